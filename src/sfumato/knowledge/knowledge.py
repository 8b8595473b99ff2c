"""Knowledge: the rules an attacker knows before seeing a release.

Models, attacks and the commands `sfumato knowledge ...` hold one `Knowledge` per sensitive column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.errors import KnowledgeError, nearest
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.exclusions import Exclusions
from sfumato.knowledge.item import Item
from sfumato.knowledge.rule import Rule


@dataclass(frozen=True)
class Knowledge:
    """Rules about one sensitive column: what `never` happens, what is `likely`, and plain `shares`.

    Rules are mined from the table that is to be published, or come from outside: every attacker knows that men do not
    have ovarian cancer.

    >>> from sfumato.datasets import hospital
    >>> known = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "Male"}, "value": "HIV"}]})
    >>> print(known.never[0])
    Sex is Male: never HIV
    >>> known.ruled_out(hospital()).sum(axis=0).tolist()
    [0, 3, 0]
    """

    sensitive: str
    never: tuple[Rule, ...] = ()
    likely: tuple[Rule, ...] = ()
    shares: tuple[Rule, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, of every kind."""
        return (*self.never, *self.likely, *self.shares)

    def __len__(self) -> int:
        return len(self.rules)

    def __or__(self, other: Knowledge) -> Knowledge:
        """The rules of both, without duplicates."""
        if self.sensitive != other.sensitive:
            raise KnowledgeError(f"rules about {self.sensitive!r} and {other.sensitive!r} cannot be joined.")
        never, likely, shares = (
            tuple(dict.fromkeys((*getattr(self, kind), *getattr(other, kind))))
            for kind in ("never", "likely", "shares")
        )
        return replace(self, never=never, likely=likely, shares=shares)

    @cached_property
    def digest(self) -> str:
        """A short hash that identifies this knowledge."""
        return sha256(self.text().encode()).hexdigest()[:12]

    @cached_property
    def never_by_items(self) -> dict[tuple[Item, ...], tuple[Rule, ...]]:
        """The rules of kind `never`, grouped by their items."""
        found: dict[tuple[Item, ...], tuple[Rule, ...]] = {}
        for rule in self.never:
            found[rule.when] = (*found.get(rule.when, ()), rule)
        return found

    def idle(self, table: Table) -> tuple[Rule, ...]:
        """The rules that apply to no record of a table, or to a value it does not have; they may be misspelt."""
        domain = table.domain(self.sensitive)
        applies = {when: bool(self.rows_where(table, when).any()) for when in {rule.when for rule in self.rules}}
        return tuple(rule for rule in self.rules if not applies[rule.when] or domain.code_of(rule.value) is None)

    def ruled_out(self, table: Table) -> Flags:
        """For every row of a table of original values, a mask of the sensitive values that rules exclude for it."""
        self.check_against(table)
        found = np.zeros((len(table), len(table.domain(self.sensitive))), dtype=bool)
        self._mark(found, table, np.arange(len(table)), _branches(self.never), {})
        return found

    def exclusions(self, table: Table, column: str) -> tuple[Exclusions, NDArray[np.int32]]:
        """The distinct sets of values that are ruled out, and the number of the set of each row."""
        ruled_out = self.ruled_out(table)
        return Exclusions.of_rows(column, table.domain(self.sensitive).texts, ruled_out)

    def rows_where(self, table: Table, when: tuple[Item, ...]) -> Flags:
        """The rows for which all items hold."""
        hit = np.ones(len(table), dtype=bool)
        for item in when:
            hit &= item.true_of(table.domain(item.column))[table.codes[item.column]]
        return hit

    def check_against(self, table: Table) -> None:
        """Refuse knowledge about columns that are not quasi or sensitive columns of the table."""
        if self.sensitive not in table.schema.sensitive:
            raise KnowledgeError(
                f"the rules are about {self.sensitive!r}, which is not a sensitive column; "
                f"{nearest(self.sensitive, table.schema.sensitive)}"
            )
        for column in {item.column for rule in self.rules for item in rule.when}:
            if column not in table.schema.quasi:
                raise KnowledgeError(
                    f"a rule uses {column!r}, which is not a quasi column; {nearest(column, table.schema.quasi)}"
                )

    def text(self) -> str:
        """The rules as TOML text for people to read and edit."""
        from sfumato.knowledge.files import knowledge_text

        return knowledge_text(self)

    def write(self, path: str | Path) -> Path:
        """Write the rules as TOML; the file appears when it is complete."""
        from sfumato.runtime.atomic_files import write_text

        return write_text(self.text(), Path(path))

    @classmethod
    def read(cls, path: str | Path) -> Knowledge:
        """Read a file of rules; an error names its place in the file."""
        from sfumato.knowledge.files import read_knowledge

        return read_knowledge(Path(path))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Knowledge:
        """Knowledge from plain tables with the keys of a file."""
        from sfumato.knowledge.files import knowledge_of

        return knowledge_of(given, "knowledge")

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain tables with the keys of a file."""
        from sfumato.knowledge.files import tables_of

        return tables_of(self)

    def _mark(
        self, found: Flags, table: Table, rows: NDArray[np.int64], branch: _Branch, known: dict[Item, Flags]
    ) -> None:
        """Rule out the values of the branch for the rows, then descend with the rows that have one more item."""
        domain = table.domain(self.sensitive)
        for code in {domain.code_of(value) for value in branch.values} - {None}:
            found[rows, code] = True
        for item, further in branch.below.items():
            if item not in known:
                known[item] = item.true_of(table.domain(item.column))
            # Each branch only looks at the rows that have all items so far, so the rows become fewer at every step.
            inner = rows[known[item][table.codes[item.column][rows]]]
            if len(inner):
                self._mark(found, table, inner, further, known)


@dataclass
class _Branch:
    """A tree node for rules that begin with the same items: the values they rule out, and branches by next item."""

    values: list[str] = field(default_factory=list)
    below: dict[Item, _Branch] = field(default_factory=dict)


def _branches(rules: tuple[Rule, ...]) -> _Branch:
    """The rules as a prefix tree, so that rows are looked up once for all rules that begin with the same items."""
    root = _Branch()
    for rule in rules:
        branch = root
        for item in rule.when:
            branch = branch.below.setdefault(item, _Branch())
        branch.values.append(rule.value)
    return root
