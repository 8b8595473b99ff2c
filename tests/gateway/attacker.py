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
from dataclasses import dataclass, field
from typing import Any

import duckdb

from sfumato.errors import SfumatoError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people import Person
from sfumato.gateway.policy import Policy
from tests.gateway.memory import MemorySource
from tests.oracles.sums_that_tell import people_told

KINDS = {"id": "INTEGER", "town": "VARCHAR", "band": "INTEGER", "income": "INTEGER", "note": "VARCHAR"}
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
        return [place, chance.choice(TOWNS), chance.randint(0, 3), income, "x"]

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
        con = duckdb.connect()
        con.execute("CREATE TABLE person (id INT, town VARCHAR, band INT, income INT NOT NULL, note VARCHAR)")
        con.executemany("INSERT INTO person VALUES (?, ?, ?, ?, ?)", [list(row) for row in rows])
        return MemorySource(con, {"person": KINDS})

    def twin(self, incomes: Sequence[int]) -> Siege:
        """The same siege of a table with other incomes."""
        other = Siege(self.seed, self.noisy)
        other.rows = [[*row[:3], income, row[4]] for row, income in zip(self.rows, incomes, strict=True)]
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
