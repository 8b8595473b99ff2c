"""The rows of a private table with the choices for each, as a query to select from; `PrivateDuckDb` builds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class RawRows:
    """A table `t` joined by the key with its choices `c`.

    `chosen` maps the choice columns to whether they exist yet; a missing one reads as NULL.

    >>> people, choices = table_named("people"), table_named("people", "kept")
    >>> rows = RawRows(table=people, key="id", choices=choices, chosen={"age.choice": True})
    >>> print(rows.query().sql("duckdb"))
    (SELECT t.*, c."age.choice" FROM "people" AS t LEFT JOIN "kept"."people" AS c ON t."id" = c."id") AS raw
    """

    table: exp.Table | exp.Subquery
    key: str
    choices: exp.Table
    chosen: Mapping[str, bool]

    def query(self) -> exp.Expression:
        """All rows."""
        return self._select(self.table, self.choices).subquery("raw")

    def rows_with_keys(self, kind: str, number: int) -> exp.Expression:
        """The rows whose keys are the first `number` parameters; `kind` is the keys' DuckDB type.

        Both sides of the join are filtered, otherwise all choices would be read for a few rows.
        """
        places = [exp.Parameter(this=exp.Literal.number(place)) for place in range(1, number + 1)]
        keys = [exp.cast(place, kind, dialect="duckdb") for place in places]
        wanted = exp.In(this=exp.column(exp.to_identifier(self.key, quoted=True)), expressions=keys)
        sides = (exp.select("*").from_(side).where(wanted).subquery() for side in (self.table, self.choices))
        return self._select(*sides).subquery("raw")

    def _select(self, table: exp.Expression, choices: exp.Expression) -> exp.Select:
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("t"))
        query = exp.select(every).from_(exp.alias_(table, "t", table=True))
        query = query.select(*(_choice_column(name, there) for name, there in self.chosen.items()))
        if not any(self.chosen.values()):
            return query
        same = exp.EQ(this=_column(self.key, "t"), expression=_column(self.key, "c"))
        return query.join(exp.alias_(choices, "c", table=True), on=same, join_type="left")


def table_named(name: str, schema: str | None = None) -> exp.Table:
    """A table by its name, whatever characters it has."""
    return exp.table_(exp.to_identifier(name, quoted=True), db=exp.to_identifier(schema, quoted=True))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def _choice_column(name: str, there: bool) -> exp.Expression:
    """A choice column, or NULL if it does not exist yet."""
    missing = exp.Alias(this=exp.cast(exp.null(), "SMALLINT"), alias=exp.to_identifier(name, quoted=True))
    return _column(name, "c") if there else missing


def padded_to_power_of_two(keys: Sequence[object]) -> list[object]:
    """The keys, the last one repeated up to a power of two, so that few different statements are needed.

    >>> padded_to_power_of_two([3, 5, 7])
    [3, 5, 7, 7]
    """
    wanted = 1 << max(0, len(keys) - 1).bit_length()
    return [*keys, *[keys[-1] if keys else None] * (wanted - len(keys))]
