"""Random questions in the SQL that DuckDB and PostgreSQL share, about two small tables."""

from __future__ import annotations

import random

PERSON = {"id": "int", "age": "int", "income": "int", "name": "text", "town": "text"}
VISIT = {"visit": "int", "person": "int", "cost": "int", "ward": "text"}
TABLES = {"person": PERSON, "visit": VISIT}
NAMES, TOWNS, WARDS = ["Ann", "Al", "Bo", "Bea", "Cy"], ["Rome", "Riga", "Oslo"], ["A", "B"]
_NUMBERS = [0, 5, 10, 15, 20, 25, 30, 100, 1000]
_TEXTS = {"name": NAMES, "town": TOWNS, "ward": WARDS}


class Questions:
    """A stream of questions; `monotone` ones only add rows when data become better known."""

    def __init__(self, seed: int, *, monotone: bool = True) -> None:
        self.random = random.Random(seed)
        self.monotone = monotone

    def next(self) -> str:
        kind = self.random.random()
        if kind < 0.6:
            return self.select()
        if kind < 0.75:
            return f"{self.one_column()} UNION{self.pick([' ALL', ''])} {self.one_column()}"
        if kind < 0.9:
            return f"WITH w AS (SELECT {self.columns('person', 'p')} FROM person p WHERE {self.condition({'p': 'person'})}) SELECT * FROM w"
        return f"SELECT s.* FROM ({self.select()}) AS s"

    def select(self) -> str:
        aliases = self.aliases()
        tables = self.tables(aliases)
        columns = ", ".join(
            f"{alias}.{self.pick(list(TABLES[table]))} AS c{place}"
            for place, (alias, table) in enumerate(
                self.random.choices(list(aliases.items()), k=self.random.randint(1, 3))
            )
        )
        if self.random.random() < 0.6:
            alias = self.pick(list(aliases))
            columns += f", {alias}.{next(iter(TABLES[aliases[alias]]))}"
        where = f" WHERE {self.condition(aliases)}" if self.random.random() < 0.9 else ""
        return f"SELECT {self.pick(['', '', 'DISTINCT '])}{columns} FROM {tables}{where}"

    def one_column(self) -> str:
        column, table = self.pick([("income", "person"), ("age", "person"), ("cost", "visit")])
        return f"SELECT t.{column} AS c FROM {table} t WHERE {self.condition({'t': table})}"

    def aliases(self) -> dict[str, str]:
        return self.pick(
            [
                {"p": "person"},
                {"p": "person"},
                {"v": "visit"},
                {"p": "person", "v": "visit"},
                {"p": "person", "q": "person"},
            ]
        )

    def tables(self, aliases: dict[str, str]) -> str:
        if len(aliases) == 1 or self.random.random() < 0.3:
            return ", ".join(f"{table} {alias}" for alias, table in aliases.items())
        (one, first), (other, second) = aliases.items()
        on = f"{one}.id = {other}.person" if second == "visit" else self.comparison(aliases)
        return f"{first} {one} JOIN {second} {other} ON {on}"

    def columns(self, table: str, alias: str) -> str:
        chosen = self.random.sample(list(TABLES[table]), k=2)
        return ", ".join(f"{alias}.{name}" for name in chosen)

    def condition(self, aliases: dict[str, str], depth: int = 2) -> str:
        kind = self.random.random()
        if depth and kind < 0.4:
            inner = [self.condition(aliases, depth - 1) for _ in range(2)]
            return f"({inner[0]} {self.pick(['AND', 'OR'])} {inner[1]})"
        if depth and kind < 0.5:
            return f"NOT ({self.condition(aliases, depth - 1)})"
        if depth and kind < 0.6:
            return self.nested(aliases)
        return self.comparison(aliases)

    def nested(self, aliases: dict[str, str]) -> str:
        alias = self.pick(list(aliases))
        if aliases[alias] == "person":
            inner = self.condition({"n": "visit"}, 1)
            if self.random.random() < 0.5:
                return f"EXISTS (SELECT 1 FROM visit n WHERE n.person = {alias}.id AND {inner})"
            return f"{alias}.id IN (SELECT n.person FROM visit n WHERE {inner})"
        column, other = self.pick([("cost", "income"), ("person", "id")])
        return f"{alias}.{column} IN (SELECT n.{other} FROM person n WHERE {self.condition({'n': 'person'}, 1)})"

    def comparison(self, aliases: dict[str, str]) -> str:
        alias = self.pick(list(aliases))
        column = self.pick(list(TABLES[aliases[alias]]))
        if TABLES[aliases[alias]][column] == "text":
            return self.of_text(f"{alias}.{column}", column)
        return self.of_number(f"{alias}.{column}", aliases)

    def of_text(self, name: str, column: str) -> str:
        text = self.pick(_TEXTS[column])
        return self.pick([
            f"{name} = '{text}'", f"{name} <> '{text}'", f"{name} LIKE '{text[0]}%'", f"{name} IN ('{text}', 'x')",
            f"{name} < '{text}'", f"{name} IS NOT NULL", f"{name} IS NULL",
        ])  # fmt: skip

    def of_number(self, name: str, aliases: dict[str, str]) -> str:
        number, other = self.pick(_NUMBERS), self.pick(_NUMBERS)
        operator = self.pick(["=", "<>", "<", "<=", ">", ">="])
        alias = self.pick(list(aliases))
        numeric = [key for key, kind in TABLES[aliases[alias]].items() if kind == "int"]
        return self.pick([
            f"{name} {operator} {number}", f"{name} {operator} {number}", f"{number} {operator} {name}",
            f"{name} {operator} {alias}.{self.pick(numeric)}", f"{name} BETWEEN {min(number, other)} AND {max(number, other)}",
            f"{name} IN ({number}, {other})", f"{name} IS NULL", f"{name} IS NOT NULL", f"-{name} {operator} -{number}",
        ])  # fmt: skip

    def pick(self, things):
        return self.random.choice(things)
