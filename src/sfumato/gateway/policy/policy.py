"""A policy: purposes, what data may be used for, and who may ask, read from one file and checked as a whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import PolicyError, UsageError, nearest
from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.policy.contradictions import demand_no_contradiction
from sfumato.gateway.policy.intended_purposes import Codes
from sfumato.gateway.policy.purposes import PurposeTree
from sfumato.gateway.policy.sections import (
    ColumnRulesSection,
    IntendedSection,
    PolicySections,
    RuleSection,
    TableSection,
)
from sfumato.settings import toml_sections as sections

if TYPE_CHECKING:
    from sfumato.gateway.transforms.base import Transform


@dataclass(frozen=True)
class Policy:
    """What data may be used for, and who may ask for it.

    >>> policy = Policy.of({
    ...     "name": "shop",
    ...     "purposes": {"General": ["Admin", "Marketing"]},
    ...     "tables": {"customer": {"key": "id", "allowed": ["Admin"]}},
    ... })
    >>> policy.tree.root, list(policy.sections.tables)
    ('General', ['customer'])
    """

    sections: PolicySections
    folder: Path = Path()

    @classmethod
    def read(cls, path: str | Path) -> Policy:
        """From a TOML file; other files are looked for beside it."""
        found = Path(path)
        given = sections.read_toml(found, called="policy", error=PolicyError)
        return cls.of(given, folder=found.parent, described=f"policy {found.name!r}")

    @classmethod
    def of(cls, given: Mapping[str, Any], *, folder: Path = Path(), described: str = "policy") -> Policy:
        """From the same tables as in a file."""
        policy = cls(sections.validate_sections(PolicySections, given, described=described, error=PolicyError), folder)
        try:
            policy._demand_sense()
        except PolicyError as error:
            raise PolicyError(f"{described}: {error}") from None
        return policy

    @cached_property
    def tree(self) -> PurposeTree:
        """All purposes."""
        return PurposeTree.of_children(self.sections.purposes)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """What people can choose, by name; a choice is kept as its place here, the first as 1."""
        return tuple(self.sections.choices)

    @cached_property
    def digest(self) -> str:
        """The same for the same policy, and for no other."""
        said = [self.sections.model_dump(mode="json"), self.choices]  # a choice is kept by its place among all
        plain = json.dumps(said, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()

    def table(self, name: str) -> TableSection:
        """What the policy says of a table."""
        found = self.sections.tables.get(name)
        if found is None:
            raise PolicyError(f"the policy has no table {name!r}; {nearest(name, self.sections.tables)}")
        return found

    def column(self, table: str, name: str) -> ColumnRulesSection:
        """What the policy says of a column by name; nothing, for one that it does not name."""
        return self.table(table).columns.get(name, ColumnRulesSection())

    def named_columns(self, table: str) -> frozenset[str]:
        """The columns of a table that the policy names: the key, and those of sections, rules and permissions."""
        return self._named_columns[table]

    @cached_property
    def _named_columns(self) -> dict[str, frozenset[str]]:
        named = {name: {said.key, *said.columns} for name, said in self.sections.tables.items()}
        for table, listed in self.sections.column_lists():
            named[table].update(listed)
        return {name: frozenset(columns) for name, columns in named.items()}

    def is_new(self, table: str, column: str) -> bool:
        """Whether a column is hidden because the policy does not name it."""
        return self.table(table).new_columns == "hidden" and column not in self.named_columns(table)

    def codes(self, said: IntendedSection) -> Codes:
        """Intended purposes, ready for decisions."""
        return said.intended.codes(self.tree, closes_upward=self.sections.closes_upward)

    def condition_of(self, rule: RuleSection) -> Condition | None:
        """Where a rule speaks; None where it speaks of every row."""
        return None if rule.where is None else Condition.parse(rule.where)

    def transform(self, table: str, column: str, purpose: str) -> Transform | None:
        """The weaker form of a column for a purpose: the first that is meant for it; None where nobody said one."""
        for place, one in enumerate(self.column(table, column).conditions):
            if one.purpose is None or purpose in self.tree.down([one.purpose]):
                return self._transforms[table, column, place]
        return None

    def form(self, table: str, column: str, place: int) -> Transform:
        """One of the weaker forms of a column, by its place among them."""
        return self._transforms[table, column, place]

    @cached_property
    def _transforms(self) -> dict[tuple[str, str, int], Transform]:
        from sfumato.settings import catalogue

        made: dict[tuple[str, str, int], Transform] = {}
        for table, column, said in self._columns():
            for place, one in enumerate(said.conditions):
                try:
                    thing = catalogue.find("transforms", one.transform)
                    files = {"folder": str(self.folder)} if "folder" in {item.name for item in thing.settings()} else {}
                    made[table, column, place] = thing.build({**files, **one.settings})  # type: ignore[assignment]
                except UsageError as error:
                    raise PolicyError(f"the weaker form of column {column!r} of {table!r}: {error}") from None
        return made

    def _columns(self) -> list[tuple[str, str, ColumnRulesSection]]:
        return [
            (table, column, said)
            for table, section in self.sections.tables.items()
            for column, said in section.columns.items()
        ]

    def _demand_sense(self) -> None:
        """Refuse names that nothing has, and rules that cannot mean what they say."""
        demand_no_contradiction(self.sections)
        for said in self._said():
            self.codes(said)
        for table, column, section in self._columns():
            self._demand_choices(table, column, section)
            for one in section.conditions:
                self.tree.known(one.purpose or self.tree.root)
        names = [rule.name for rule in self.sections.rules]
        for rule in self.sections.rules:
            self.table(rule.table)
            self.condition_of(rule)
            if names.count(rule.name) > 1:
                raise PolicyError(f"two rules are called {rule.name!r}; a rule has a name of its own.")
        for section_of_table in self.sections.tables.values():
            for limit in section_of_table.retention:
                self.tree.known(limit.purpose or self.tree.root)
        self._transforms  # noqa: B018 - built here, so that a wrong one is refused now
        from sfumato.gateway.people.authority import Authority

        Authority.of(self.sections)

    def _said(self) -> list[IntendedSection]:
        return [
            *self.sections.choices.values(),
            *self.sections.tables.values(),
            *(section for *_, section in self._columns()),
            *self.sections.rules,
        ]

    def _demand_choices(self, table: str, column: str, said: ColumnRulesSection) -> None:
        where = f"column {column!r} of {table!r}"
        if said.by_choice and (said.allowed or said.conditional):
            raise PolicyError(f"{where} is by choice, so the policy cannot allow it as well; it may only prohibit.")
        if said.by_choice and not self.choices:
            raise PolicyError(f"{where} is by choice, but there are no [choices] to choose from.")
        if said.default_choice is not None and not said.by_choice:
            raise PolicyError(f"{where} has a default choice and no choice; say by_choice = true.")
        if said.default_choice is not None and said.default_choice not in self.choices:
            raise PolicyError(
                f"{where}: there is no choice {said.default_choice!r}; {nearest(said.default_choice, self.choices)}"
            )
