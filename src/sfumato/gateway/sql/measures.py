"""What an aggregate question measures, and the question after the records that it measures."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.compiling import Answerable

_FUNCTIONS: dict[type[exp.Expr], str] = {exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg"}
_PARTS = {"expressions", "from_", "where", "group", "having", "order", "limit"}


@dataclass(frozen=True)
class Measure:
    """One aggregate of one column; of all rows, where there is no column."""

    function: str
    column: exp.Column | None

    @property
    def name(self) -> str | None:
        """The column, as it is written."""
        return None if self.column is None else self.column.name.lower()


def measures_of(tree: exp.Expr) -> list[Measure]:
    """The measures of a question that asks for nothing but aggregates of one table; any other is refused."""
    if not isinstance(tree, exp.Select) or {name for name, given in tree.args.items() if given} - _PARTS:
        raise StatementError("who may ask for aggregates alone asks for them of one table, without joins or WITH.")
    if tree.args.get("from_") is None or not isinstance(tree.args["from_"].this, exp.Table):
        raise StatementError("who may ask for aggregates alone asks a table.")
    if list(tree.find_all(exp.Window, exp.Filter, exp.Subquery, exp.Exists, exp.Distinct)):
        raise StatementError("who may ask for aggregates alone uses no windows, FILTER, DISTINCT or questions inside.")
    outside = [one for name, one in tree.args.items() if name in ("expressions", "having", "group", "order")]
    if any(one.find(exp.Parameter, exp.Placeholder) for part in outside if part for one in _each(part)):
        raise StatementError("who may ask for aggregates alone gives parameters in WHERE only.")
    found = [_measure(node) for node in tree.find_all(exp.AggFunc)]
    if not found:
        raise StatementError("only aggregates may be asked for: count, sum and avg.")
    _demand_grouped(tree)
    return found


def _each(part: exp.Expr | list[exp.Expr]) -> list[exp.Expr]:
    return part if isinstance(part, list) else [part]


def _measure(node: exp.Expr) -> Measure:
    function = _FUNCTIONS.get(type(node))
    if function is None:
        raise StatementError("of aggregates, count, sum and avg are watched over, and no others may be asked for.")
    if isinstance(node.this, exp.Star):
        return Measure(function, None)
    if not isinstance(node.this, exp.Column):
        raise StatementError(f"{function} is of a column here, not of an expression.")
    return Measure(function, node.this)


def _demand_grouped(tree: exp.Select) -> None:
    """Every column outside an aggregate is one that the question groups by."""
    group = tree.args.get("group")
    grouped = {one.sql() for one in group.expressions} if group is not None else set()
    for item in tree.expressions:
        inner = item.this if isinstance(item, exp.Alias) else item
        if inner.sql() not in grouped and not inner.find(exp.AggFunc):
            raise StatementError("what is asked for beside aggregates must be what the question groups by.")


def records_asked(tree: exp.Select, measures: list[Measure], key: str) -> exp.Select:
    """The question after the groups, keys and values of all records that are measured."""
    group = tree.args.get("group")
    columns = [one.copy() for one in group.expressions] if group is not None else []
    named = [exp.alias_(one, f"g{place}") for place, one in enumerate(columns)]
    named.append(exp.alias_(exp.column(key, quoted=True), "k"))
    for place, measure in enumerate(measures):
        if measure.column is not None:
            named.append(exp.alias_(measure.column.copy(), f"v{place}"))
    made = exp.Select(expressions=named, from_=tree.args["from_"].copy())
    if tree.args.get("where") is not None:
        made.set("where", tree.args["where"].copy())
    return made


def hashed(made: Answerable, place: int, engine: str) -> str:
    """SQL that gives a hash of the group and one of the record, for every row in which a measure has a value."""
    flat = [(output.name, name) for output in made.outputs for name in output.names]
    groups = [name for of, name in flat if of.startswith("g")]
    value = [name for of, name in flat if of == f"v{place}"]
    parts = [_hash(groups, engine), _hash(["k", *value], engine)]
    chosen = ", ".join(exp.alias_(part, name).sql(engine) for part, name in zip(parts, HASHES, strict=True))
    known = f" WHERE {exp.column(value[0], quoted=True).sql(engine)} IS NOT NULL" if value else ""
    return f'SELECT {chosen} FROM ({made.sql}) AS "rows"{known}'


HASHES = ("of_group", "of_record")


def _hash(names: list[str], engine: str) -> exp.Expr:
    columns: list[exp.Expr] = [exp.column(name, quoted=True) for name in names]
    if not columns:
        return exp.cast(exp.Literal.number(0), "bigint")
    if engine == "duckdb":
        return exp.Anonymous(this="hash", expressions=columns)
    row = exp.cast(exp.Anonymous(this="ROW", expressions=columns), "text")
    return exp.Anonymous(this="hashtextextended", expressions=[row, exp.Literal.number(0)])
