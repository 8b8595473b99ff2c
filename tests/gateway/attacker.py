"""Somebody who may ask for aggregates alone and wants one person's value: asks what helps, and looks at everything.

The attacker knows all columns that are open to selection, every text, refusal, error and answer, and may come for
several purposes, under a second name of the same team, and after restarts. `recovered` are the people whose value the
attacker can name in the end: by adding and subtracting sums, by extremes that a single person can have, or by a search
that halves the range of a value with every question whose outcome, other than an aggregate that was answered, depends
on it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, ClassVar

from sfumato.errors import SfumatoError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway.memory import DAY, MemorySource, fill, memory_database
from tests.oracles.sums_that_tell import people_told

KINDS = {
    "id": "INTEGER", "town": "VARCHAR", "band": "INTEGER", "income": "INTEGER", "note": "VARCHAR", "born": "DATE",
}  # fmt: skip
TOWNS = ["Rome", "Riga", "Oslo"]
LARGEST = 100_000
SEARCHES = [
    "SELECT {measure} AS m FROM person WHERE id IN ({others}) OR (id = {target} AND income > {bound})",
    "SELECT {measure} AS m FROM person WHERE id IN ({others}) AND NOT (id = {target} AND income > {bound})",
    "SELECT count(*) AS m FROM person"
    " WHERE CASE WHEN id = {target} AND income > {bound} THEN CAST(note AS INTEGER) END = 1",
    "SELECT count(*) AS m FROM person WHERE CASE WHEN income > {bound} THEN CAST(note AS INTEGER)"
    " ELSE income * 2147483647 * 2147483647 END > 1 AND id = {target}",
    "SELECT income > {bound} AS g, count(*) AS m FROM person"
    " WHERE id IN ({others}, {target}) GROUP BY income > {bound}",
    "SELECT {measure} AS m FROM person WHERE id = {target} HAVING max(income) > {bound}",
    "SELECT sum(income) FILTER (WHERE id = {target} AND income > {bound}) AS m FROM person",
    "SELECT sum(CASE WHEN id = {target} AND income > {bound} THEN income ELSE 0 END) AS m FROM person",
    "SELECT {measure} AS m FROM person WHERE id IN ({others}, {target}) ORDER BY income > {bound} LIMIT 1",
    "SELECT count(*) AS m FROM person WHERE id = {target} AND income > {bound} AND born > 'x'",
    "SELECT count(*) AS m FROM person WHERE id = {target} AND income > {bound} AND note > 5",
    "SELECT count(*) AS m FROM person WHERE (id <> {target} OR income <= {bound} OR band = 'x')",
    "SELECT {measure} AS m FROM person WHERE 1 / (CASE WHEN id = {target} AND income > {bound} THEN 0 ELSE 1 END) = 1",
]
"""Questions of which the attacker hopes that whether, or how, they are refused depends on somebody's income."""


@dataclass
class Siege:
    """One random policy for aggregates, the table behind it, and everything that was asked of it."""

    seed: int
    noisy: bool = False
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.size = self.chance.randint(6, 14)
        self.rows = [self._row(place) for place in range(self.size)]
        self.policy = self._policy()
        self.source = self._source(self.rows)
        self.gate = Gateway(self.policy, self.source)
        self.sums: list[set[int]] = []

    def _row(self, place: int) -> list[Any]:
        chance = self.chance
        income = chance.randrange(LARGEST)
        return [place, chance.choice(TOWNS), chance.randint(0, 3), income, "x", date(1990, 1, 1)]

    def _policy(self) -> Policy:
        chance = self.chance
        permission: dict[str, Any] = {"role": "r", "table": "person", "purpose": "General", "only_aggregates": True}
        if self.noisy:
            permission |= {"epsilon": 1.0, "epsilon_a_question": 0.1}
        table = {
            "key": "id",
            "allowed": ["General"],
            "columns": {
                "id": {"selects": True},
                "town": {"selects": True},
                "band": {"selects": chance.random() < 0.5},
                "note": {"selects": chance.random() < 0.5},
                "born": {"selects": chance.random() < 0.5},
                "income": {
                    "missing": chance.choice(["open", "secret"]),
                    "bounds": [0.0, float(LARGEST)],
                    "selects": chance.choice([False, "with_noise"]),
                },
            },
        }
        auditing = {"least": chance.choice([1, 2, 3]), "keeps_answers": chance.choice([0, 30])}
        purposes = {"General": ["One", "Two", "Three"]}
        return Policy.of({
            "name": "siege", "purposes": purposes, "tables": {"person": table}, "roles": {"r": {}},
            "permissions": [permission], "auditing": auditing,
        })  # fmt: skip

    @staticmethod
    def _source(rows: Sequence[Sequence[Any]]) -> MemorySource:
        con = memory_database()
        con.execute(
            "CREATE TABLE person (id INT, town VARCHAR, band INT, income INT NOT NULL, note VARCHAR, born DATE)"
        )
        fill(con, "person", rows)
        return MemorySource(con, {"person": KINDS})

    def twin(self, incomes: Sequence[int]) -> Siege:
        """The same siege of a table with other incomes."""
        other = Siege(self.seed, self.noisy)
        other.rows = [[*row[:3], income, *row[4:]] for row, income in zip(self.rows, incomes, strict=True)]
        other.source = self._source(other.rows)
        other.gate = Gateway(other.policy, other.source)
        return other

    def ask(self, text: str, *, purpose: str = "General", name: str = "eve") -> tuple[Any, Any]:
        """What can be observed of a question apart from the numbers of an answer, and these numbers."""
        person = Person(name, frozenset({"r"}), {}, account="thieves")
        try:
            answer = self.gate.query(text, person=person, purpose=purpose)
        except SfumatoError as refusal:
            seen = type(refusal).__name__, str(refusal)
            return seen, None
        return ("answered", tuple(answer.table.column_names), len(answer), answer.repeated), answer.rows()

    def restart(self) -> None:
        """A new gateway on the same data."""
        self.gate = Gateway(self.policy, self.source)

    def adaptive(self, questions: int) -> None:
        """Ask for sums of sets that would tell most, given those that were answered."""
        for _ in range(questions):
            members = self._promising()
            purpose = self.chance.choice(["General", "One", "Two", "Three"])
            if self.chance.random() < 0.1:
                self.restart()
            where = ", ".join(map(str, sorted(members)))
            function = self.chance.choice(["sum", "avg"])
            text = f"SELECT {function}(income) AS m FROM person WHERE id IN ({where})"
            _, rows = self.ask(text, purpose=purpose, name=self.chance.choice(["eve", "mallory"]))
            if rows is not None:
                self.sums.append(members)

    def _promising(self) -> set[int]:
        """A set next to one that was answered, a combination of two, or any."""
        chance, everybody = self.chance, range(self.size)
        if self.sums and chance.random() < 0.5:
            return set(chance.choice(self.sums)) ^ {chance.randrange(self.size)} or {0}
        if len(self.sums) > 1 and chance.random() < 0.6:
            one, other = chance.sample(self.sums, 2)
            return (one ^ other) or {chance.randrange(self.size)}
        return set(chance.sample(everybody, chance.randint(1, self.size)))

    def told_by_sums(self) -> set[int]:
        """The people of whom something alone follows from the sums that were answered."""
        return people_told(self.sums, list(range(self.size))) if self.sums else set()


class VisitSiege:
    """A table in which people have several rows, not all of which are kept for every purpose, or shown as they are.

    The unknowns of the attacker are the single rows: their costs, and for one purpose the least cost in the range of
    each. Whatever follows of rows of one person alone is recovered.
    """

    PURPOSES = ("All", "Month", "Year", "Weaker")
    KEPT: ClassVar = {"Month": 30, "Year": 365}

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.size = chance.randint(5, 9)
        self.rows = [
            [person, chance.choice(TOWNS), DAY - timedelta(days=chance.choice([5, 90, 900])), chance.randrange(LARGEST)]
            for person in range(self.size)
            for _ in range(chance.randint(1, 3))
        ]
        self.policy = self._policy()
        con = memory_database()
        con.execute("CREATE TABLE visit (visit INT PRIMARY KEY, id INT, town VARCHAR, day DATE, cost INT NOT NULL)")
        fill(con, "visit", [[at, *row] for at, row in enumerate(self.rows)])
        kinds = {"visit": "INTEGER", "id": "INTEGER", "town": "VARCHAR", "day": "DATE", "cost": "INTEGER"}
        self.source = MemorySource(con, {"visit": kinds})
        self.gate = Gateway(self.policy, self.source)
        self.asked: list[str] = []
        self.sums: list[set[int]] = []

    def _policy(self) -> Policy:
        chance = self.chance
        kept = [{"column": "day", "days": days, "purpose": purpose} for purpose, days in self.KEPT.items()]
        cost = {"missing": "open", "conditional": ["Weaker"], "conditions": [{"transform": "bucket", "width": 1000}]}
        columns = {
            "visit": {}, "id": {"selects": True}, "town": {"selects": chance.random() < 0.7}, "day": {"selects": True},
            "cost": cost,
        }  # fmt: skip
        table = {"key": "id", "allowed": ["General"], "columns": columns, "retention": kept}
        return Policy.of({
            "name": "siege", "purposes": {"General": list(self.PURPOSES)}, "closes_upward": False,
            "tables": {"visit": table}, "roles": {"r": {}},
            "permissions": [
                {"role": "r", "table": "visit", "purpose": one, "only_aggregates": True} for one in self.PURPOSES
            ],
            "auditing": {"least": chance.choice([1, 2]), "keeps_answers": chance.choice([0, 30])},
        })  # fmt: skip

    def adaptive(self, questions: int) -> None:
        """Ask for sums of people, for all purposes, again and again of nearly the same ones."""
        chance, members = self.chance, set(range(self.size))
        for _ in range(questions):
            purpose, town = chance.choice(self.PURPOSES), chance.choice(["", "", *TOWNS])
            if chance.random() < 0.3:
                members = members ^ {chance.randrange(self.size)} or {0}
            if chance.random() < 0.1:
                self.gate = Gateway(self.policy, self.source)
            if chance.random() < 0.1:
                self._move(chance.randrange(len(self.rows)))
            where = f"id IN ({', '.join(map(str, sorted(members)))})" + (f" AND town = '{town}'" if town else "")
            text = f"SELECT {chance.choice(['sum', 'avg'])}(cost) AS m FROM visit WHERE {where}"
            person = Person(chance.choice(["eve", "mallory"]), frozenset({"r"}), {}, account="thieves")
            with suppress(SfumatoError):
                self.gate.query(text, person=person, purpose=purpose)
                self.asked.append(text)
                self.sums.append(self._rows_of(purpose, members, town))

    def _move(self, place: int) -> None:
        """A row gets another town; what it cost stays."""
        self.rows[place][1] = self.chance.choice(TOWNS)
        self.source.raw.execute("UPDATE visit SET town = ? WHERE visit = ?", [self.rows[place][1], place])

    def _rows_of(self, purpose: str, members: set[int], town: str) -> set[int]:
        """The rows that a sum is of; those in their weaker form are others."""
        since = DAY - timedelta(days=self.KEPT.get(purpose, 10_000))
        return {
            place + (len(self.rows) if purpose == "Weaker" else 0)
            for place, row in enumerate(self.rows)
            if row[0] in members and row[2] >= since and town in ("", row[1])
        }

    def told_by_sums(self) -> set[int]:
        """The people of whom something alone follows from the sums that were answered."""
        return people_told(self.sums, [row[0] for row in self.rows] * 2) if self.sums else set()


def observable(siege: Siege, template: str, target: int, bound: int) -> Any:
    """What is seen of one step of a search: everything but the numbers of an answer."""
    others = ", ".join(str(one) for one in range(siege.size) if one != target)
    text = template.format(measure="count(*)", others=others, target=target, bound=bound)
    return siege.ask(text)[0]


def search(siege: Siege, template: str, target: int) -> int | None:
    """Halve the range of somebody's income by what is observed; None where nothing depends on it."""
    low, high = 0, LARGEST
    seen: Callable[[int], Any] = lambda bound: observable(siege, template, target, bound)  # noqa: E731
    ends = seen(-1), seen(LARGEST)
    if ends[0] == ends[1]:
        return None
    while low < high:
        middle = (low + high) // 2
        if seen(middle) == ends[0]:
            low = middle + 1
        else:
            high = middle
    return low
