"""A policy: purposes, what data may be used for, and who may query it; read from one file and checked as a whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.errors import PolicyError, UsageError, nearest
from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.policy.contradictions import demand_no_contradiction
from sfumato.gateway.policy.intended_purposes import IntendedPurposes, PurposeCodes
from sfumato.gateway.policy.purposes import PurposeTree
from sfumato.gateway.policy.roles import checked_roles
from sfumato.gateway.policy.sections import (
    ColumnRulesSection,
    IntendedSection,
    PolicySections,
    RuleSection,
    TableSection,
)
from sfumato.settings import catalogue
from sfumato.settings import toml_sections as sections

if TYPE_CHECKING:
    from sfumato.gateway.transforms.base import Transform

_NO_RULES = ColumnRulesSection()
"""The section of a column that a policy does not mention."""


class ColumnReference(NamedTuple):
    """A column that a policy names: the part of the policy, what that part says of the column, and its name."""

    where: str
    said: str
    column: str


@dataclass(frozen=True)
class Policy:
    """What data may be used for, and who may query it.

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
        """From a TOML file; other files that it names are looked up beside it."""
        file = Path(path)
        given = sections.read_toml(file, called="policy", error=PolicyError)
        return cls.of(given, folder=file.parent, described=f"policy {file.name!r}")

    @classmethod
    def of(cls, given: Mapping[str, Any], *, folder: Path = Path(), described: str = "policy") -> Policy:
        """From the same tables as in a file; refuses what is inconsistent."""
        policy = cls(sections.validate_sections(PolicySections, given, described=described, error=PolicyError), folder)
        try:
            policy._demand_consistent()
        except PolicyError as error:
            raise PolicyError(f"{described}: {error}") from None
        return policy

    @cached_property
    def tree(self) -> PurposeTree:
        """The tree of all purposes."""
        return PurposeTree.of_children(self.sections.purposes)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The names of the choices; a choice is stored as its position here, from 1."""
        return tuple(self.sections.choices)

    @cached_property
    def digest(self) -> str:
        """A hash that is equal for equal policies only."""
        content = [
            self.sections.model_dump(mode="json"),
            self.choices,
        ]  # the order matters: a choice is stored by its position
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def table(self, name: str) -> TableSection:
        """The section of a table."""
        section = self.sections.tables.get(name)
        if section is None:
            raise PolicyError(f"the policy has no table {name!r}; {nearest(name, self.sections.tables)}")
        return section

    def column(self, table: str, name: str) -> ColumnRulesSection:
        """The section of a column; an empty one if the policy has no section for it."""
        return self.table(table).columns.get(name, _NO_RULES)

    def named_columns(self, table: str) -> frozenset[str]:
        """The columns of a table that the policy names: the key, and those of sections, rules and permissions."""
        return self._named_columns[table]

    @cached_property
    def _named_columns(self) -> dict[str, frozenset[str]]:
        named = {name: {rules.key, *rules.columns} for name, rules in self.sections.tables.items()}
        for table, listed in self.sections.column_lists():
            named[table].update(listed)
        return {name: frozenset(columns) for name, columns in named.items()}

    def is_new(self, table: str, column: str) -> bool:
        """Whether a column is hidden because the policy does not name it."""
        return self.table(table).new_columns == "hidden" and column not in self.named_columns(table)

    def codes(self, rules: IntendedSection) -> PurposeCodes:
        """The intended purposes of a section, ready for decisions; computed once for equal ones."""
        intended = rules.intended
        codes = self._codes.get(intended)
        if codes is None:
            codes = self._codes[intended] = intended.codes(self.tree, closes_upward=self.sections.closes_upward)
        return codes

    @cached_property
    def _codes(self) -> dict[IntendedPurposes, PurposeCodes]:
        return {}

    def condition_of(self, rule: RuleSection) -> Condition | None:
        """The condition of a rule; None if the rule applies to every row."""
        return None if rule.where is None else Condition.parse(rule.where)

    def references(self, table: str) -> Iterator[ColumnReference]:
        """Every column that the policy names for a table; the table must have them all."""
        section = self.table(table)
        yield ColumnReference(f"table {table!r}", "its key is column", section.key)
        for name, rules in section.columns.items():
            where = f"column {name!r} of {table!r}"
            yield ColumnReference(where, "it is about column", name)
            for position, _ in enumerate(rules.conditions):
                for hidden in self.transform_at(table, name, position).hides:
                    yield ColumnReference(where, "it is shown while identifiers are hidden, among them", hidden)
        for limit in section.retention:
            yield ColumnReference(f"retention of {table!r}", "records are kept from the day in column", limit.column)
        for rule in self.sections.rules:
            if rule.table == table:
                condition = self.condition_of(rule)
                for name in dict.fromkeys([*(rule.columns or ()), *sorted(condition.names if condition else ())]):
                    yield ColumnReference(f"rule {rule.name!r}", "it names column", name)

    def transform(self, table: str, column: str, purpose: str) -> Transform | None:
        """The weaker form of a column for a purpose: the first declared one that covers it; None if there is none."""
        for position, one in enumerate(self.column(table, column).conditions):
            if one.purpose is None or purpose in self.tree.down([one.purpose]):
                return self._transforms[table, column, position]
        return None

    def transform_at(self, table: str, column: str, position: int) -> Transform:
        """One of the weaker forms of a column, by its position."""
        return self._transforms[table, column, position]

    @cached_property
    def _transforms(self) -> dict[tuple[str, str, int], Transform]:
        """All weaker forms, built once, by table, column and position."""
        transforms: dict[tuple[str, str, int], Transform] = {}
        for table, column, rules in self._columns():
            for position, one in enumerate(rules.conditions):
                try:
                    thing = catalogue.find("transforms", one.transform)
                    files = {"folder": str(self.folder)} if "folder" in {item.name for item in thing.settings()} else {}
                    transforms[table, column, position] = thing.build({**files, **one.settings})  # type: ignore[assignment]
                except UsageError as error:
                    raise PolicyError(f"the weaker form of column {column!r} of {table!r}: {error}") from None
        return transforms

    def _columns(self) -> list[tuple[str, str, ColumnRulesSection]]:
        """All column sections, with table and column."""
        return [
            (table, column, rules)
            for table, section in self.sections.tables.items()
            for column, rules in section.columns.items()
        ]

    def _demand_consistent(self) -> None:
        """Refuse names that do not exist, and rules that contradict each other."""
        demand_no_contradiction(self.sections)
        for rules in self._intended_sections():
            self.codes(rules)
        for table, column, section in self._columns():
            self._demand_choices(table, column, section)
            for one in section.conditions:
                self.tree.require(one.purpose or self.tree.root)
        names = [rule.name for rule in self.sections.rules]
        for rule in self.sections.rules:
            self.table(rule.table)
            self.condition_of(rule)
            if names.count(rule.name) > 1:
                raise PolicyError(f"two rules are called {rule.name!r}; a rule has a name of its own.")
        for section_of_table in self.sections.tables.values():
            for limit in section_of_table.retention:
                self.tree.require(limit.purpose or self.tree.root)
        self._transforms  # noqa: B018 - built here, so that a wrong transform is refused now
        checked_roles(self.sections, self.tree)

    def _intended_sections(self) -> list[IntendedSection]:
        """All sections that state intended purposes."""
        return [
            *self.sections.choices.values(),
            *self.sections.tables.values(),
            *(section for *_, section in self._columns()),
            *self.sections.rules,
        ]

    def _demand_choices(self, table: str, column: str, rules: ColumnRulesSection) -> None:
        """Refuse a column section whose settings of choices contradict each other."""
        where = f"column {column!r} of {table!r}"
        if rules.by_choice and (rules.allowed or rules.conditional):
            raise PolicyError(f"{where} is by choice, so the policy cannot allow it as well; it may only prohibit.")
        if rules.by_choice and not self.choices:
            raise PolicyError(f"{where} is by choice, but there are no [choices] to choose from.")
        if rules.default_choice is not None and not rules.by_choice:
            raise PolicyError(f"{where} has a default choice and is not by choice; set by_choice = true.")
        if rules.default_choice is not None and rules.default_choice not in self.choices:
            raise PolicyError(
                f"{where}: there is no choice {rules.default_choice!r}; {nearest(rules.default_choice, self.choices)}"
            )
