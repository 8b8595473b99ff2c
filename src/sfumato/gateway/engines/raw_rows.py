"""The rows of a private table with what was chosen for each, as a query to be selected from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class RawRows:
    """A table `t` beside its choices `c`, which are joined by the key.

    `chosen` names the columns of choices and whether they are kept already; nothing is chosen where they are not.

    >>> rows = RawRows(table=named("people"), key="id", choices=named("people", "kept"), chosen={"age.choice": True})
    >>> print(rows.query().sql("duckdb"))
    (SELECT t.*, c."age.choice" FROM "people" AS t LEFT JOIN "kept"."people" AS c ON t."id" = c."id") AS raw
    """

    table: exp.Table
    key: str
    choices: exp.Table
    chosen: Mapping[str, bool]

    def query(self) -> exp.Expression:
        """All rows."""
        return self._select().subquery("raw")

    def among(self, keys: Iterable[object], kind: str) -> exp.Expression:
        """The rows with these keys, which are of this type of DuckDB's."""
        wanted = exp.In(this=_column(self.key, "t"), expressions=[_literal(key, kind) for key in keys])
        return self._select().where(wanted).subquery("raw")

    def _select(self) -> exp.Select:
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("t"))
        query = exp.select(every).from_(exp.alias_(self.table, "t", table=True))
        query = query.select(*(_choice(name, there) for name, there in self.chosen.items()))
        if not any(self.chosen.values()):
            return query
        same = exp.EQ(this=_column(self.key, "t"), expression=_column(self.key, "c"))
        return query.join(exp.alias_(self.choices, "c", table=True), on=same, join_type="left")


def named(name: str, schema: str | None = None) -> exp.Table:
    """A table by its name, whatever is in it."""
    return exp.table_(exp.to_identifier(name, quoted=True), db=exp.to_identifier(schema, quoted=True))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def _choice(name: str, there: bool) -> exp.Expression:
    missing = exp.Alias(this=exp.cast(exp.null(), "SMALLINT"), alias=exp.to_identifier(name, quoted=True))
    return _column(name, "c") if there else missing


def _literal(value: object, kind: str) -> exp.Expression:
    if isinstance(value, int):
        return exp.Literal.number(value)
    return exp.cast(exp.Literal.string(str(value)), kind, dialect="duckdb")
