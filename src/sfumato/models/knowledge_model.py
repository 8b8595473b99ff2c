"""What models have in common that guard against what is known of people."""

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
    """Base of models with a setting `knowledge`; an author writes `_noted` and says in `notes` what that is.

    The model notes in a column of its own what is known of every record, and judges groups by the histograms of that
    column and of the secret.
    """

    notes: ClassVar[str] = ""
    one_record_a_person = True

    knowledge: Knowledge | Miner | Path
    sensitive: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "knowledge", source_of(self.knowledge, self.sensitive))
        super().__post_init__()

    def with_knowledge(self, table: Table | None) -> Self:
        """The model with rules: read from the file, or mined from the table."""
        found = load_knowledge(self.knowledge, table, self.sensitive, self)
        return self if found is self.knowledge else replace(self, knowledge=found)

    def with_derived_columns(self, table: Table) -> Table:
        """The table with a column that says what is known of each record."""
        name, rules = self.column, self.rules
        if name in table.domains:
            return table
        refuse_published((*rules.never, *rules.likely, *rules.shares), table)
        domain, codes = self._noted(table, name)
        return table.with_column(name, codes, domain)

    def warnings(self, table: Table) -> tuple[str, ...]:
        """Rules that are about nobody in the table, or about a value that it does not have."""
        idle = len(self.rules.idle(table))
        if not idle:
            return ()
        return (
            f"{idle:,} of {len(self.rules):,} rules about {self.rules.sensitive!r} are about nobody here, or about a "
            "value that does not occur; look at them with 'sfumato knowledge show --data' if that is not meant.",
        )

    @abstractmethod
    def _noted(self, table: Table, column: str) -> tuple[Domain, NDArray[np.int32]]:
        """What is known of every row of a table of original values, as a column of that name."""

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive column, and that of what is known."""
        return schema.one_sensitive(self.rules.sensitive), self.column

    @property
    def rules(self) -> Knowledge:
        """The rules; refuses a model that has not learned them yet."""
        return rules_at_hand(self.knowledge, self)

    @property
    def column(self) -> str:
        """The name of the column of what is known."""
        return f"{self.notes} {self.rules.sensitive} ({self.rules.digest})"

    def public_settings(self) -> dict[str, Any]:
        """Name and settings; of what is known only how much it is, and how to tell it from anything else."""
        return self.to_dict() | {"knowledge": source_brief(self.knowledge)}

    def to_dict(self) -> dict[str, Any]:
        """Name and settings; what is known as plain tables, as the name of its file, or as how to mine it."""
        return source_settings(super().to_dict())

    def __str__(self) -> str:
        plain = self.to_dict() | {"knowledge": source_words(self.knowledge)}
        shown = {setting.name: plain[setting.name] for setting in self.settings() if setting.name in plain}
        return f"{self.name()}({', '.join(f'{key}={value}' for key, value in shown.items())})"
