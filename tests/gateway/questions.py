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
        if not self.monotone:
            return Analyses(self).next()
        kind = self.random.random()
        if kind < 0.6:
            return self.select()
        if kind < 0.75:
            return f"{self.one_column()} UNION{self.pick([' ALL', ''])} {self.one_column()}"
        if kind < 0.9:
            inner = f"SELECT {self.columns('person', 'p')} FROM person p WHERE {self.condition({'p': 'person'})}"
            return f"WITH w AS ({inner}) SELECT * FROM w"
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
        n = "n" if "n" not in aliases else "m"
        if aliases[alias] == "person":
            inner = self.condition({n: "visit"}, 1)
            if self.random.random() < 0.5:
                return f"EXISTS (SELECT 1 FROM visit {n} WHERE {n}.person = {alias}.id AND {inner})"
            return f"{alias}.id IN (SELECT {n}.person FROM visit {n} WHERE {inner})"
        column, other = self.pick([("cost", "income"), ("person", "id")])
        return f"{alias}.{column} IN (SELECT {n}.{other} FROM person {n} WHERE {self.condition({n: 'person'}, 1)})"

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
            f"{name} {operator} {alias}.{self.pick(numeric)}", f"{name} BETWEEN {number} AND {other}",
            f"{name} IN ({number}, {other})", f"{name} IS NULL", f"{name} IS NOT NULL",
            f"-{name} {operator} -{number}",
        ])  # fmt: skip

    def pick(self, things):
        return self.random.choice(things)


class Analyses:
    """Questions that compute: aggregates, groups, windows, CASE, arithmetic, outer joins and all set operations."""

    def __init__(self, questions: Questions) -> None:
        self.plain = questions
        self.pick, self.chance = questions.pick, questions.random.random

    def next(self) -> str:
        return self.pick([
            self.grouped, self.grouped, self.windowed, self.computed, self.computed, self.combined, self.outer,
            self.ordered, self.chosen, self.counted, self.within,
        ])()  # fmt: skip

    def grouped(self) -> str:
        aliases = self.plain.aliases()
        keys = self.keys(aliases)
        having = f" HAVING {self.pick(['count(*) > 1', f'{self.whole(aliases)} > {self.number()}'])}"
        aggregates = ", ".join(f"{self.aggregate(aliases)} AS a{place}" for place in range(self.pick([1, 2])))
        names = ", ".join(f"{key} AS k{place}" for place, key in enumerate(keys))
        by = self.pick([", ".join(keys), ", ".join(str(place + 1) for place in range(len(keys)))])
        return (
            f"SELECT {names}, {aggregates} FROM {self.plain.tables(aliases)}{self.where(aliases)}"
            f" GROUP BY {by}{having if self.chance() < 0.3 else ''}"
        )

    def counted(self) -> str:
        aliases = self.plain.aliases()
        found = ", ".join(f"{self.aggregate(aliases)} AS a{place}" for place in range(self.pick([1, 2, 3])))
        return f"SELECT {found} FROM {self.plain.tables(aliases)}{self.where(aliases)}"

    def windowed(self) -> str:
        table = self.pick(list(TABLES))
        aliases, key = {"t": table}, f"t.{next(iter(TABLES[table]))}"
        parts = f"PARTITION BY {self.column(aliases, self.pick(['int', 'text']))} " if self.chance() < 0.5 else ""
        order = f"ORDER BY {self.pick(['', self.sortable(aliases) + self.pick(['', ' DESC']) + ', '])}{key}"
        frame = self.pick(["", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS UNBOUNDED PRECEDING"])
        number = self.value(aliases, 1)
        function = self.pick(["row_number()", "rank()", "dense_rank()", "ntile(2)", "percent_rank()", "cume_dist()"])
        moved = self.pick([f"lag({number})", f"lead({number}, 1)", f"first_value({number})", f"last_value({number})"])
        made = self.pick([f"{function} OVER ({parts}{order})", f"{moved} OVER ({parts}{order})",
                          f"{self.aggregate(aliases, distinct=False)} OVER ({parts}{order}{frame})",
                          f"{self.aggregate(aliases, distinct=False)} OVER ({parts})"])  # fmt: skip
        return f"SELECT {key}, {made} AS w FROM {table} t{self.where(aliases)}"

    def computed(self) -> str:
        aliases = self.plain.aliases()
        made = [
            self.pick([self.value, self.value, self.text, self.truth])(aliases) for _ in range(self.pick([1, 2, 3]))
        ]
        found = ", ".join(f"{one} AS c{place}" for place, one in enumerate(made))
        order = self.pick(["", "", " ORDER BY 1", " ORDER BY c0 DESC"])
        tables = f"{self.plain.tables(aliases)}{self.where(aliases)}"
        return f"SELECT {self.pick(['', 'DISTINCT '])}{found} FROM {tables}{order}"

    def combined(self) -> str:
        sides, kinds = [], [self.pick([self.value, self.text, self.any_number]) for _ in range(self.pick([1, 2]))]
        for _ in range(2):
            table = self.pick(list(TABLES))
            columns = ", ".join(f"{kind({'t': table})} AS c{place}" for place, kind in enumerate(kinds))
            sides.append(f"SELECT {columns} FROM {table} t{self.where({'t': table})}")
        order = self.pick(["", "", " ORDER BY 1 DESC", " ORDER BY c0"])
        return sides[0] + self.pick([" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT "]) + sides[1] + order

    def outer(self) -> str:
        side = self.pick(["LEFT", "RIGHT", "FULL"])
        aliases = {"p": "person", "v": "visit"}
        more = self.pick(["", "", f" AND {self.plain.comparison(aliases)}", " AND v.visit > 0"])
        found = ", ".join(f"{self.any_number(aliases)} AS c{place}" for place in range(2))
        where = self.pick(["", self.where(aliases), " WHERE v.visit IS NULL"])
        return f"SELECT {found}, p.id, v.visit FROM person p {side} JOIN visit v ON p.id = v.person{more}{where}"

    def ordered(self) -> str:
        table = self.pick(list(TABLES))
        aliases, key = {"t": table}, f"t.{next(iter(TABLES[table]))}"
        keys = [self.sortable(aliases) + self.pick(["", " DESC", " DESC NULLS LAST", " NULLS FIRST"])]
        limit = f" LIMIT {self.pick([1, 2, 3])}{self.pick(['', ' OFFSET 1'])}"
        return (
            f"SELECT {key}, {self.any_number(aliases)} AS c FROM {table} t{self.where(aliases)}"
            f" ORDER BY {', '.join(keys)}, {key} DESC{self.pick([limit, limit, ''])}"
        )

    def chosen(self) -> str:
        aliases = self.plain.aliases()
        tests = " ".join(f"WHEN {self.plain.condition(aliases, 1)} THEN {self.any_number(aliases)}" for _ in range(2))
        last = self.pick(["", f" ELSE {self.any_number(aliases)}"])
        return f"SELECT CASE {tests}{last} END AS c FROM {self.plain.tables(aliases)}{self.where(aliases)}"

    def within(self) -> str:
        scalar = f"(SELECT {self.aggregate({'n': 'visit'})} FROM visit n{self.pick([' WHERE n.person = p.id', ''])})"
        negated = self.pick([f"NOT {self.plain.nested({'p': 'person'})}", "p.id NOT IN (SELECT n.person FROM visit n)"])
        where = self.pick([f" WHERE {negated}", f" WHERE {self.any_number({'p': 'person'})} > {scalar}", ""])
        return f"SELECT p.id, {self.pick([scalar, self.any_number({'p': 'person'})])} AS c FROM person p{where}"

    def where(self, aliases: dict[str, str]) -> str:
        return f" WHERE {self.plain.condition(aliases, 1)}" if self.chance() < 0.4 else ""

    def keys(self, aliases: dict[str, str]) -> list[str]:
        names = [f"{alias}.{name}" for alias, table in aliases.items() for name in TABLES[table]] + ["2", "'x'"]
        return self.plain.random.sample(names, k=self.pick([1, 1, 2]))

    def number(self) -> int:
        return self.pick(_NUMBERS)

    def column(self, aliases: dict[str, str], kind: str) -> str:
        return self.pick(
            [
                f"{alias}.{name}"
                for alias, table in aliases.items()
                for name, own in TABLES[table].items()
                if own == kind
            ]
        )

    def any_number(self, aliases: dict[str, str]) -> str:
        """A number that may be shown as a range."""
        return self.pick([self.column(aliases, "int"), self.value(aliases, 1), f"-{self.column(aliases, 'int')}"])

    def known(self, aliases: dict[str, str]) -> str:
        """A number that is plain, whatever its column is."""
        return self.pick(["exact", "lo", "hi"]) + f"({self.column(aliases, 'int')})"

    def sortable(self, aliases: dict[str, str]) -> str:
        return self.pick([self.known(aliases), f"exact({self.column(aliases, 'text')})", self.value(aliases, 1)])

    def value(self, aliases: dict[str, str], depth: int = 2) -> str:
        """A number computed from plain ones."""
        if not depth:
            return self.pick([self.known(aliases), self.known(aliases), str(self.number()), "1.5"])
        one, other = (self.value(aliases, depth - 1) for _ in range(2))
        return self.pick([
            self.known(aliases), f"({one} + {other})", f"({one} - {other})", f"{one} * {self.pick([2, 0.5])}",
            f"{one} / {self.pick([other, 2, 4, 3])}",
            f"{self.known(aliases)} % {self.pick([7, -3, self.known(aliases)])}",
            f"abs({one})", f"round({one} / 4)", f"round({one} * 0.25, 1)", f"floor({one} / 3)", f"ceil({one} / 3)",
            f"sign({one})", f"coalesce({self.known(aliases)}, 7)", f"nullif({self.known(aliases)}, {self.number()})",
            f"greatest({one}, {other})", f"least({one}, {other})", f"length({self.text(aliases, 0)})",
            f"strpos({self.text(aliases, 0)}, 'o')",
            f"CAST({one} AS {self.pick(['INTEGER', 'DOUBLE PRECISION', 'BIGINT', 'DECIMAL(12, 2)'])})",
            f"CASE WHEN {self.plain.comparison(aliases)} THEN {one} ELSE {other} END", f"CAST({one} / 8 AS INTEGER)",
            f"CAST({one} / 8 AS DECIMAL(12, 2))", f"{self.day(aliases)} - DATE '2026-11-15'", "1e3",
            f"extract({self.pick(['year', 'dow', 'doy', 'week', 'epoch', 'second'])} FROM {self.day(aliases)})",
            f"CAST('{self.pick(['7', '2.5', ' 12 '])}' AS INTEGER)",
            f"CAST({self.plain.comparison(aliases)} AS BIGINT)",
        ])  # fmt: skip

    def text(self, aliases: dict[str, str], depth: int = 1) -> str:
        """A text computed from plain ones."""
        one = f"exact({self.column(aliases, 'text')})"
        if not depth:
            return one
        return self.pick([
            one, f"upper({one})", f"lower({one})", f"substring({one}, {self.pick([1, 2, 0])}, 2)", f"left({one}, 2)",
            f"right({one}, 2)", f"replace({one}, 'o', '0')", f"{one} || '-' || {self.text(aliases, 0)}",
            f"trim({one})",
            f"{one} || {self.known(aliases)}", f"CAST({self.known(aliases)} AS VARCHAR)", f"coalesce({one}, 'none')",
            f"greatest({one}, {self.text(aliases, 0)})", f"CAST({self.value(aliases, 1)} AS VARCHAR)",
            f"CAST({self.day(aliases)} AS VARCHAR)", f"date_trunc('month', {self.day(aliases)}) || ''",
            f"CASE WHEN {self.plain.comparison(aliases)} THEN {one} ELSE 'x' END",
        ])  # fmt: skip

    def day(self, aliases: dict[str, str]) -> str:
        return self.pick(
            [f"(DATE '2026-11-15' + {self.known(aliases)})", f"(DATE '2024-02-29' - {self.known(aliases)})"]
        )

    def truth(self, aliases: dict[str, str], depth: int = 1) -> str:
        return self.pick([self.plain.condition(aliases, 1), f"{self.text(aliases)} < {self.text(aliases)}",
                          f"{self.value(aliases)} >= {self.value(aliases)}", f"{self.text(aliases)} LIKE '%\\_%'",
                          f"starts_with({self.text(aliases)}, 'R')", f"{self.day(aliases)} >= '2026-11-20'",
                          f"{self.day(aliases)} IN ('2026-11-20', DATE '2026-12-15')",
                          f"CAST({self.known(aliases)} AS BOOLEAN)", f"{self.text(aliases)} ILIKE 'r%'"])  # fmt: skip

    def whole(self, aliases: dict[str, str]) -> str:
        return f"{self.pick(['sum', 'min', 'max', 'avg'])}({self.any_number(aliases)})"

    def aggregate(self, aliases: dict[str, str], *, distinct: bool = True) -> str:
        number = self.any_number(aliases)
        found = [
            self.whole(aliases), self.whole(aliases), "count(*)", f"count({number})", f"stddev({number})",
            f"variance({number})", f"stddev_pop({number})", f"min({self.text(aliases)})",
            f"max({self.text(aliases)})",
            f"bool_or({self.plain.comparison(aliases)})", f"count(*) FILTER (WHERE {self.plain.comparison(aliases)})",
            f"sum({number}) FILTER (WHERE {self.plain.comparison(aliases)})",
        ]  # fmt: skip
        if distinct:
            found += [f"count(DISTINCT {self.text(aliases)})", f"sum(DISTINCT {self.value(aliases, 1)})"]
        return self.pick(found)


class Picks:
    """Questions whose answers depend on an order that they do not wholly say: windows with ties, LIMIT and OFFSET."""

    def __init__(self, seed: int) -> None:
        self.plain = Questions(seed)
        self.parts = Analyses(self.plain)
        self.pick, self.chance = self.plain.pick, self.plain.random.random

    def next(self) -> str:
        return self.pick([self.some, self.distinct, self.combined, self.windowed, self.windowed, self.windowed,
                          self.grouped, self.ranked, self.defined, self.within, self.joined, self.tied])()  # fmt: skip

    def limit(self) -> str:
        return self.pick([" LIMIT 1", " LIMIT 2", " LIMIT 3 OFFSET 1", " OFFSET 1", " OFFSET 2", " LIMIT 0"])

    def order(self, aliases: dict[str, str]) -> str:
        return self.pick(["", f" ORDER BY {self.parts.sortable(aliases)}{self.pick(['', ' DESC', ' NULLS FIRST'])}"])

    def some(self) -> str:
        aliases = self.plain.aliases()
        tables = f"{self.plain.tables(aliases)}{self.parts.where(aliases)}"
        return f"SELECT {self.columns(aliases)} FROM {tables}{self.order(aliases)}{self.limit()}"

    def tied(self) -> str:
        """Sorted, but not wholly, and nothing left out."""
        aliases = self.plain.aliases()
        order = f" ORDER BY {self.parts.sortable(aliases)}{self.pick(['', ' DESC'])}"
        return f"SELECT {self.columns(aliases)} FROM {self.plain.tables(aliases)}{self.parts.where(aliases)}{order}"

    def distinct(self) -> str:
        aliases = self.plain.aliases()
        order = self.pick(["", " ORDER BY 1 DESC", " ORDER BY c0"])
        return f"SELECT DISTINCT {self.columns(aliases)} FROM {self.plain.tables(aliases)}{order}{self.limit()}"

    def combined(self) -> str:
        first, second = self.plain.one_column(), self.plain.one_column()
        if self.chance() < 0.4:
            first = f"({first}{self.limit()})"
        order = self.pick(["", " ORDER BY c DESC", " ORDER BY 1"])
        return f"{first} UNION{self.pick([' ALL', ''])} {second}{order}{self.pick([self.limit(), ''])}"

    def window(self, aliases: dict[str, str], *, grouped: bool = False) -> str:
        """A function over a window whose order is not a whole one."""
        number = "count(*)" if grouped else self.pick([self.parts.value(aliases, 1), self.parts.known(aliases)])
        order = self.pick(["", f"ORDER BY {number}", f"ORDER BY {number} DESC"])
        if not grouped:
            order = self.pick([order, f"ORDER BY {self.parts.sortable(aliases)}"])
        parts = "" if grouped else f"PARTITION BY {self.parts.column(aliases, self.pick(['int', 'text']))} "
        frame = self.pick([" ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS UNBOUNDED PRECEDING",
                           " ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING", " RANGE UNBOUNDED PRECEDING",
                           " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", ""])  # fmt: skip
        function = self.pick([
            "row_number()", "ntile(2)", f"lag({number})", f"lead({number}, 1)", f"first_value({number})",
            f"last_value({number})", f"sum({number})", f"min({number})", "count(*)", "rank()", "dense_rank()",
            "percent_rank()", "cume_dist()",
        ])  # fmt: skip
        return f"{function} OVER ({self.pick([parts, ''])}{order}{frame})"

    def windowed(self) -> str:
        aliases = self.plain.aliases()
        made = ", ".join(f"{self.window(aliases)} AS w{place}" for place in range(self.pick([1, 2])))
        columns = self.pick([f"{self.columns(aliases)}, ", ""])
        limit = self.pick([self.limit(), "", ""])
        return f"SELECT {columns}{made} FROM {self.plain.tables(aliases)}{self.parts.where(aliases)}{limit}"

    def ranked(self) -> str:
        """A window over groups."""
        aliases = self.plain.aliases()
        keys = self.parts.keys(aliases)
        names = ", ".join(f"{key} AS k{place}" for place, key in enumerate(keys))
        tables = f"{self.plain.tables(aliases)}{self.parts.where(aliases)}"
        made = self.window(aliases, grouped=True)
        return f"SELECT {names}, {made} AS w FROM {tables} GROUP BY {', '.join(keys)}{self.pick(['', self.limit()])}"

    def grouped(self) -> str:
        return f"{self.parts.grouped()}{self.limit()}"

    def defined(self) -> str:
        return f"WITH w AS ({self.some()}) SELECT * FROM w"

    def within(self) -> str:
        inner = self.pick([self.windowed, self.some, self.combined])()
        return f"SELECT count(*) AS n FROM ({inner}) AS s" if self.chance() < 0.3 else f"SELECT s.* FROM ({inner}) AS s"

    def joined(self) -> str:
        inner = f"SELECT t.person AS k, t.cost FROM visit t{self.order({'t': 'visit'})}{self.limit()}"
        return f"SELECT p.id, s.cost, p.town FROM person p JOIN ({inner}) AS s ON p.id = s.k"

    def columns(self, aliases: dict[str, str]) -> str:
        made = [
            self.pick([self.parts.any_number, self.parts.text, self.parts.truth])(aliases)
            for _ in range(self.pick([1, 2]))
        ]
        return ", ".join(f"{one} AS c{place}" for place, one in enumerate(made))
