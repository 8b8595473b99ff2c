"""Random policies over a small shop, and its twin: the same for whoever asks, another in all that they may not see.

A case is a policy with rules, choices, row policies, permissions of every kind and people with several roles; the shop
it is about; and questions to ask. The twin has other values wherever this person, for this purpose, sees none; another
value of the same weaker form where they see that; and other values in all columns that none of their permissions lets
them read. So whatever differs between the two was told by what is hidden.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from sfumato.gateway.people.authority import Authority
from sfumato.gateway.people.people import Person
from sfumato.gateway.people.system_attributes import system_attributes
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.views.access_rules import access
from sfumato.gateway.views.views import PurposeView
from tests.gateway.questions import NAMES, TABLES, TOWNS, WARDS, Questions
from tests.gateway.shops import CHOSEN, NOW, types

PURPOSES = {"General": ["Admin", "Marketing"], "Marketing": ["Phone"]}
EVERY = ["General", "Admin", "Marketing", "Phone"]
FORMS = {
    "age": [{"transform": "bucket", "width": 10}],
    "income": [{"transform": "bucket", "width": 10}],
    "cost": [{"transform": "bucket", "width": 25}],
    "name": [{"transform": "first_letter"}],
    "town": [{"transform": "first_letter"}],
}
KEYS = {"person": "id", "visit": "visit"}
TEXTS = {"name": NAMES, "town": TOWNS, "ward": WARDS}
CONDITIONS = {
    "person": ["age > 18", "town = 'Rome'", "income is null", "id < 4"],
    "visit": ["cost >= 20", "ward = 'A'"],
}
Rows = dict[str, list[dict[str, Any]]]


@dataclass
class Case:
    """One random policy, its shop, somebody who asks, and what they ask for."""

    seed: int

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.given = self._policy()
        self.policy = Policy.of(self.given)
        self.rows: Rows = {
            "person": [self._row("person", place) for place in range(self.chance.randint(1, 9))],
            "visit": [self._row("visit", place) for place in range(self.chance.randint(1, 9))],
        }
        roles = {
            *self.chance.sample(["a", "b", "c"], self.chance.randint(1, 2)),
            *("a" if self.chance.random() < 0.7 else ""),
        }
        self.person = Person("ada", frozenset(roles), {"level": self.chance.choice([1, 3])})
        self.purpose = self._some_purpose()

    def _some_purpose(self) -> str:
        """One that they may state for some table, mostly."""
        mine = Authority.of(self.policy.sections).purposes(self.person, system_attributes(NOW), day=NOW.date())
        return self.chance.choice(sorted(mine) if mine and self.chance.random() < 0.9 else EVERY)

    def questions(self, number: int) -> list[str]:
        """What is asked, one after the other; mostly of what somebody may ask."""
        streams = [Questions(self.seed * 7 + place, monotone=place % 2 == 0) for place in range(2)]
        return [self._question(streams) for _ in range(number)]

    def _question(self, streams: list[Questions]) -> str:
        chance = self.chance
        aggregates = [table for table, grants in self._grants.items() if grants[-1].only_aggregates]
        if chance.random() < (0.6 if aggregates else 0.15):
            return self._aggregate(chance.choice(aggregates) if aggregates else chance.choice(list(TABLES)))
        text = chance.choice(streams).next()
        for _ in range(4):
            if all(table in self._grants for table in TABLES if table in text):
                break
            text = chance.choice(streams).next()
        return text

    @cached_property
    def twin(self) -> Rows:
        """The shop with everything else where this person sees nothing of it."""
        return {table: [self._other(table, row) for row in rows] for table, rows in self.rows.items()}

    def _policy(self) -> dict[str, Any]:
        pick, chance = self.chance.choice, self.chance
        rules = [
            {
                "name": f"r{place}",
                "table": (table := pick(list(TABLES))),
                "where": pick(CONDITIONS[table]),
                **self._said(),
            }
            for place in range(chance.randint(0, 2))
        ]
        return {
            "name": f"case {self.seed}",
            "purposes": PURPOSES,
            "closes_upward": chance.random() < 0.8,
            "choices": {"yes": {"allowed": ["General"]}, "some": self._said(), "no": {"prohibited": ["General"]}},
            "tables": {table: self._table(table) for table in TABLES},
            "rules": rules,
            "roles": {"a": {}, "b": {"parent": "a"} if chance.random() < 0.3 else {}, "c": {}},
            "conditional_roles": {"d": {"role": "c", "when": "level > 2"}},
            "permissions": [
                *(self._permission(table, "a") for table in TABLES if chance.random() < 0.8),
                *(
                    self._permission(pick(["person", "person", "visit"]), pick("abcd"))
                    for _ in range(chance.randint(1, 4))
                ),
            ],
            "auditing": {"least": pick([1, 2, 3]), "sums": chance.random() < 0.8, "keeps_answers": pick([0, 30])},
        }

    def _said(self) -> dict[str, Any]:
        """What is allowed, weaker and prohibited."""
        made: dict[str, list[str]] = {}
        if self.chance.random() < 0.7:
            made["allowed"] = [self.chance.choice(EVERY[:3])]
        if self.chance.random() < 0.4:
            made["conditional"] = [self.chance.choice(EVERY[1:])]
        if self.chance.random() < 0.15:
            made["prohibited"] = [self.chance.choice(EVERY[1:])]
        return made

    def _table(self, table: str) -> dict[str, Any]:
        chance, columns = self.chance, {}
        for name in TABLES[table]:
            if chance.random() < 0.05 and name != KEYS[table]:
                continue
            by_choice = name in CHOSEN[table] and chance.random() < 0.4
            said = {} if by_choice or chance.random() < 0.6 else self._said()
            columns[name] = {
                **said,
                **(
                    {"by_choice": True, **({"default_choice": "some"} if chance.random() < 0.3 else {})}
                    if by_choice
                    else {}
                ),
                "conditions": FORMS.get(name, []),
                "selects": chance.choice([True, True, False, "with_noise"]),
                "missing": chance.choice(["open", "secret"]),
                "bounds": [0.0, 100.0],
            }
        return {
            "key": KEYS[table],
            "allowed": ["General"] if chance.random() < 0.9 else ["Marketing"],
            "row_policy": chance.choice(["mask_cell", "mask_cell", "drop_row", "drop_if_all_hidden"]),
            "new_columns": chance.choice(["hidden", "as_table"]),
            "rows_a_person": chance.choice([1, 2]),
            "columns": columns,
        }

    def _permission(self, table: str, role: str) -> dict[str, Any]:
        chance = self.chance
        purpose = chance.choice(["General", "General", "General", "Marketing"])
        made: dict[str, Any] = {"role": role, "table": table, "purpose": purpose}
        if chance.random() < 0.25:
            made["columns"] = chance.sample(list(TABLES[table]), chance.randint(1, len(TABLES[table])))
        if chance.random() < 0.5:
            made["only_aggregates"] = True
            if chance.random() < 0.4:
                made["epsilon"] = chance.choice([0.1, 0.3, 1.0])
        if chance.random() < 0.1:
            made["valid_until"] = date(2026, 1, 1)
        return made

    def _row(self, table: str, place: int) -> dict[str, Any]:
        row = {name: self._value(name) for name in TABLES[table]}
        row[KEYS[table]] = place
        if table == "visit":
            row["person"] = self.chance.choice([0, 1, 2])
        return row | {f"{name}.choice": self.chance.choice([None, 1, 2, 3]) for name in CHOSEN[table]}

    def _value(self, name: str) -> Any:
        if name in TEXTS:
            return self.chance.choice([*TEXTS[name], None])
        return self.chance.choice([0, 3, 5, 12, 17, 20, 25, 29, 30, 100, None])

    def _aggregate(self, table: str) -> str:
        chance = self.chance
        number = chance.choice([name for name, kind in TABLES[table].items() if kind == "int"])
        other = chance.choice(list(TABLES[table]))
        measure = chance.choice([
            "count(*)", f"sum({number})", f"avg({number})", f"min({number})", f"max({number})", f"count({other})",
            f"median({number})", f"sum({number}) FILTER (WHERE {number} > 5)", f"sum({number} * 2)",
        ])  # fmt: skip
        where = chance.choice([
            "", f" WHERE {number} > {chance.choice([0, 10, 25])}", f" WHERE {KEYS[table]} < {chance.randint(0, 9)}",
            f" WHERE {KEYS[table]} IN (1, 2, 3) OR ({KEYS[table]} = 4 AND {number} > 12)", f" WHERE {other} IS NULL",
            f" WHERE {KEYS[table]} = 4 AND {number} > 12 AND {other} > {chance.choice(['5', repr('x')])}",
            f" WHERE CASE WHEN {number} > 12 THEN CAST({other} AS INTEGER) ELSE {number} * 2147483647 END > 1",
        ])  # fmt: skip
        if chance.random() < 0.3:
            return f"SELECT {other}, {measure} AS m FROM {table}{where} GROUP BY {other}"
        return f"SELECT {measure} AS m FROM {table}{where}"

    def _other(self, table: str, row: dict[str, Any]) -> dict[str, Any]:
        """A row that looks the same to this person for this purpose."""
        made = dict(row)
        for name in TABLES[table]:
            if name == KEYS[table] or name in self._needed(table):
                continue
            seen = self._seen(table, name, row)
            if seen is Access.FULL:
                continue
            if seen is Access.HIDDEN:
                made[name] = self._value(name)
            elif row[name] is not None:
                made[name] = self._alike(name, row[name])
        return made

    def _alike(self, name: str, value: Any) -> Any:
        """Another value of the same weaker form."""
        if name in TEXTS:
            return self.chance.choice([text for text in TEXTS[name] if text[0] == value[0]])
        width = FORMS[name][0]["width"] if name in FORMS else 1
        return value // width * width + self.chance.randrange(width)

    def _seen(self, table: str, name: str, row: dict[str, Any]) -> Access:
        """What this person sees of a cell at most, by any of their permissions to see rows, or open to selection."""
        grants = self._grants.get(table, ())
        column = self._view(table).by_name.get(name)
        rows = any(grant.covers([name]) for grant in grants if not grant.only_aggregates)
        opened = self.policy.column(table, name).selects is True and any(grant.only_aggregates for grant in grants)
        if column is None or not (rows or opened):
            return self._presence(table, name, row)
        seen = access(column.rules, row, row.get(f"{name}.choice") or 0)
        if seen is Access.CONDITIONAL and column.transform is None:
            seen = Access.HIDDEN
        return Access.HIDDEN if seen is Access.HIDDEN else seen

    def _presence(self, table: str, name: str, row: dict[str, Any]) -> Access:
        """Whether somebody has a value is told where the policy says that this is no secret: then it stays as it is."""
        said = self.policy.column(table, name)
        kept = said.missing == "open" and any(grant.only_aggregates for grant in self._grants.get(table, ()))
        return Access.FULL if kept else Access.HIDDEN

    def _needed(self, table: str) -> set[str]:
        """Columns that rules look at: they decide about what others may see, so both shops have them alike."""
        named: set[str] = set()
        for rule in self.policy.sections.rules:
            condition = self.policy.condition_of(rule)
            if rule.table == table and condition is not None:
                named |= set(condition.names)
        return named

    @cached_property
    def _grants(self) -> dict[str, Any]:
        authority = Authority.of(self.policy.sections)
        system, found = system_attributes(NOW), {}
        for table in TABLES:
            decided = authority._cached_grants(
                authority.enabled(self.person, system), table, self.purpose, NOW.date(), "select"
            )
            if decided:
                found[table] = decided
        return found

    def _view(self, table: str) -> PurposeView:
        return PurposeView.of(self.policy, table, self.purpose, types()[table], day=NOW.date())
