"""Base of models that protect against background knowledge about persons."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.miner import Miner
from sfumato.knowledge.source import (
    load_knowledge,
    refuse_published,
    rules_at_hand,
    source_brief,
    source_of,
    source_settings,
    source_words,
)
from sfumato.models.group_model import GroupModel


class KnowledgeModel(GroupModel):
    """Base of models with a setting `knowledge`; a model defines `_derived` and describes that column in `derives`.

    The model derives a column with what is known of every record, and judges groups by the histograms of this column
    and of the sensitive one.
    """

    derives: ClassVar[str] = ""
    one_record_a_person = True

    knowledge: Knowledge | Miner | Path
    sensitive: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "knowledge", source_of(self.knowledge, self.sensitive))
        super().__post_init__()

    def with_knowledge(self, table: Table | None) -> Self:
        """The model with its rules, read from the file or mined from the table."""
        found = load_knowledge(self.knowledge, table, self.sensitive, self)
        return self if found is self.knowledge else replace(self, knowledge=found)

    def with_derived_columns(self, table: Table) -> Table:
        """The table with a column of what is known of each record."""
        name = self.column
        if name in table.domains:
            return table
        refuse_published(self.rules.rules, table)
        domain, codes = self._derived(table, name)
        return table.with_column(name, codes, domain)

    def warnings(self, table: Table) -> tuple[str, ...]:
        """A message if rules match no record of the table, or are about a value that does not occur."""
        idle = len(self.rules.idle(table))
        if not idle:
            return ()
        return (
            f"{idle:,} of {len(self.rules):,} rules about {self.rules.sensitive!r} match no record, or are about a "
            "value that does not occur; if this is not intended, list them with 'sfumato knowledge show --data'.",
        )

    @abstractmethod
    def _derived(self, table: Table, column: str) -> tuple[Domain, NDArray[np.int32]]:
        """The derived column with the given name: what is known of every row of a table of original values."""

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive column and the derived one."""
        return schema.one_sensitive(self.rules.sensitive), self.column

    @property
    def named_values(self) -> tuple[str, ...]:
        """The values that rules are about, if they are loaded."""
        rules = self.knowledge.rules if isinstance(self.knowledge, Knowledge) else ()
        return tuple(dict.fromkeys(rule.value for rule in rules))

    @property
    def rules(self) -> Knowledge:
        """The rules; raises an error if the model does not have them yet."""
        return rules_at_hand(self.knowledge, self)

    @property
    def column(self) -> str:
        """The name of the derived column."""
        return f"{self.derives} {self.rules.sensitive} ({self.rules.digest})"

    def public_settings(self) -> dict[str, Any]:
        """The name and settings; of the knowledge only the number of rules and a digest."""
        return self.to_dict() | {"knowledge": source_brief(self.knowledge)}

    def to_dict(self) -> dict[str, Any]:
        """The name and settings; the knowledge as rules, as the name of a file, or as settings of a miner."""
        return source_settings(super().to_dict())

    def __str__(self) -> str:
        plain = self.to_dict() | {"knowledge": source_words(self.knowledge)}
        shown = {setting.name: plain[setting.name] for setting in self.settings() if setting.name in plain}
        return f"{self.name()}({', '.join(f'{key}={value}' for key, value in shown.items())})"
