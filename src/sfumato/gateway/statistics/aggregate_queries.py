"""Parses a query of a caller whose permission is for aggregates only, from its text alone.

Such a query has three parts that never mix: which records it is about (a condition and groups, over columns that are
open to selection), what is measured (aggregates of plain columns), and what is computed from the measured numbers
(everything around the aggregates, HAVING, ORDER BY, LIMIT). Only the first part decides whether it is answered. Only
the third can fail, and it sees nothing but numbers that are answered anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.functions import as_bounded_addend
from sfumato.gateway.sql.names import folded_name
from sfumato.gateway.sql.outputs import output_name

ANSWERED = "answered"
"""The relation of groups and measured numbers that the third part reads."""

_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}
_MAX_CONCATENATIONS = 20
"""Most concatenations of texts in the third part."""
_QUANTILES = (exp.WithinGroup, exp.Median, exp.Quantile, exp.PercentileCont)
_PARTS = {"expressions", "from_", "where", "group", "having", "order", "limit", "offset"}
_NOT_INSIDE = (exp.Window, exp.Filter, exp.Subquery, exp.Exists, exp.Distinct, exp.Select)


Naming = Callable[[exp.Expr], str | None]
"""The column of the relation of answers that stands for an aggregate or a group; None for any other expression."""


@dataclass(frozen=True)
class Measure:
    """One aggregate of one column, or of all rows if `column` is None. `share` says which quantile."""

    function: str
    column: exp.Column | None
    share: float | None = None


@dataclass(frozen=True)
class AggregateQuery:
    """The three parts of a query: `source`, `where` and `groups`; `measures`; and `outer`, over the measured numbers.

    In `outer` the measures are columns m0, m1, ... and the groups g0, g1, ... of the relation `answered`.
    """

    source: exp.Table
    where: exp.Expr | None
    groups: tuple[exp.Expr, ...]
    measures: tuple[Measure, ...]
    outer: exp.Select

    @classmethod
    def read(cls, tree: exp.Expr, engine: str) -> AggregateQuery:
        """From a parsed query; anything but aggregates of one table is refused."""
        source = _source(tree)
        groups, nodes = _groups(tree), _aggregates(tree)
        _demand_parameters(tree)
        spelled = _spelling(source, engine)
        measures: dict[str, Measure] = {}
        for node in nodes:
            # Equal aggregates have equal text and are measured, audited and charged once.
            measures.setdefault(spelled(node), _measure(node))
        names = {text: f"m{place}" for place, text in enumerate(measures)}
        names |= {spelled(one): f"g{place}" for place, one in enumerate(groups)}
        where = tree.args.get("where")
        return cls(
            source,
            None if where is None else where.this,
            groups,
            tuple(measures.values()),
            _outer(tree, lambda node: names.get(spelled(node)), engine),
        )

    def selection_query(self, columns: Iterable[tuple[str, exp.Expr]] = ()) -> exp.Select:
        """The query for the records that are measured: their groups, and further columns by name."""
        named = [exp.alias_(one.copy(), f"g{place}") for place, one in enumerate(self.groups)]
        named += [exp.alias_(column.copy(), name) for name, column in columns]
        made = exp.Select(expressions=named or [exp.alias_(exp.Literal.number(1), "one")])
        return self._from(made)

    def reading_query(self) -> exp.Select:
        """A query that reads every column that this one reads, for selection and for measures."""
        return self.selection_query(
            (f"v{place}", one.column) for place, one in enumerate(self.measures) if one.column is not None
        )

    def measuring_query(self) -> exp.Select:
        """The query for the measured numbers of every group, and its number of rows as `n`."""
        named = [exp.alias_(one.copy(), f"g{place}") for place, one in enumerate(self.groups)]
        named += [exp.alias_(_aggregate_of(one), f"m{place}") for place, one in enumerate(self.measures)]
        named.append(exp.alias_(exp.Count(this=exp.Star()), "n"))
        made = self._from(exp.Select(expressions=named))
        if self.groups:
            made.set("group", exp.Group(expressions=[one.copy() for one in self.groups]))
        return made

    def _from(self, made: exp.Select) -> exp.Select:
        """Add the table and the condition."""
        made.set("from_", exp.From(this=self.source.copy()))
        if self.where is not None:
            made.set("where", exp.Where(this=self.where.copy()))
        return made


def _source(tree: exp.Expr) -> exp.Table:
    """The one table of the query."""
    if not isinstance(tree, exp.Select) or {name for name, given in tree.args.items() if given} - _PARTS:
        raise StatementError(
            "with a permission for aggregates only, a question is about one table, without joins or WITH."
        )
    given = tree.args.get("from_")
    if given is None or not isinstance(given.this, exp.Table) or given.this.args.get("joins"):
        raise StatementError("with a permission for aggregates only, a question is about one table.")
    # Each of these would select records inside an aggregate, unseen by the auditors.
    if any(found is not tree for found in tree.find_all(*_NOT_INSIDE)):
        raise StatementError(
            "with a permission for aggregates only, a question has no windows, FILTER, DISTINCT or subqueries."
        )
    found: exp.Table = given.this
    return found


def _groups(tree: exp.Expr) -> tuple[exp.Expr, ...]:
    """The expressions of GROUP BY."""
    group = tree.args.get("group")
    if group is None:
        return ()
    if {name for name, given in group.args.items() if given} - {"expressions"}:
        raise StatementError("GROUP BY takes expressions only; no ROLLUP, CUBE or GROUPING SETS.")
    return tuple(_group(one, tree.expressions) for one in group.expressions)


def _group(node: exp.Expr, items: list[exp.Expr]) -> exp.Expr:
    """The expression of a group; a number means the output column at that position."""
    if isinstance(node, exp.Literal) and node.is_int and 1 <= int(node.this) <= len(items):
        item = items[int(node.this) - 1]
        return item.this if isinstance(item, exp.Alias) else item
    return node


def _aggregates(tree: exp.Expr) -> list[exp.Expr]:
    """All aggregates of a query; there is at least one, and none in the condition or the groups."""
    nodes = [node for part in _outer_parts(tree) for node in part.find_all(exp.AggFunc)]
    found: list[exp.Expr] = [node.parent if isinstance(node.parent, exp.WithinGroup) else node for node in nodes]
    if not found:
        raise StatementError("only aggregates may be asked for, such as count, sum and avg.")
    for name in ("where", "group"):
        if tree.args.get(name) is not None and tree.args[name].find(exp.AggFunc):
            raise StatementError("aggregates are allowed in SELECT, HAVING and ORDER BY, not in WHERE and GROUP BY.")
    return found


def _outer_parts(tree: exp.Expr) -> list[exp.Expr]:
    """Everything but the condition, the groups and the table."""
    parts = [tree.args.get(name) for name in ("having", "order", "limit", "offset")]
    return [*tree.expressions, *(part for part in parts if part is not None)]


def _demand_parameters(tree: exp.Expr) -> None:
    """Refuse parameters outside WHERE."""
    group = tree.args.get("group")
    if any(part.find(exp.Parameter, exp.Placeholder) for part in [*_outer_parts(tree), *([group] if group else [])]):
        raise StatementError("with a permission for aggregates only, parameters are allowed in WHERE only.")


def _measure(node: exp.Expr) -> Measure:
    """The measure that an aggregate stands for."""
    if isinstance(node, _QUANTILES):
        return _quantile(node)
    function = _FUNCTIONS.get(type(node))
    if function is None:
        raise StatementError("only count, sum, avg, min and max are answered; with noise also quantiles.")
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
        return Measure(function, None)
    if {name for name, given in node.args.items() if given} - {"this", "big_int"}:
        raise StatementError(f"{function} takes one column here.")
    return Measure(function, _column(node.this, function))


def _quantile(node: exp.Expr) -> Measure:
    """The quantile that an aggregate stands for."""
    if isinstance(node, exp.Median):
        return Measure("quantile", _column(node.this, "median"), 0.5)
    if isinstance(node, exp.WithinGroup):
        order = node.expression.expressions
        if not isinstance(node.this, exp.PercentileCont) or len(order) != 1 or order[0].args.get("desc"):
            raise StatementError("a quantile is percentile_cont(share) WITHIN GROUP (ORDER BY column).")
        return Measure("quantile", _column(order[0].this, "a quantile"), _share(node.this.this))
    share = node.args.get("quantile") or node.args.get("expression")
    return Measure("quantile", _column(node.this, "a quantile"), _share(share))


def _column(node: exp.Expr | None, what: str) -> exp.Column:
    """The column inside an aggregate."""
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        raise StatementError(f"{what} takes a column here, not an expression.")
    return node


def _share(node: exp.Expr | None) -> float:
    """Which quantile, as a number from 0 to 1."""
    if not isinstance(node, exp.Literal) or node.is_string or not 0 <= float(node.this) <= 1:
        raise StatementError("the share of a quantile is a literal number from 0 to 1.")
    return float(node.this)


def _aggregate_of(measure: Measure) -> exp.Expr:
    """The SQL aggregate of a measure."""
    kind = next(kind for kind, name in _FUNCTIONS.items() if name == measure.function)
    if measure.column is None:
        return kind(this=exp.Star())
    column = measure.column
    # A sum that overflows would make the query fail depending on values.
    # The compiler turns marked arguments into addends that cannot overflow.
    return kind(this=as_bounded_addend(column) if measure.function in ("sum", "avg") else column.copy())


def _outer(tree: exp.Expr, named: Naming, engine: str) -> exp.Select:
    """Everything around the aggregates, as a query on the relation of measured numbers."""
    made = exp.Select(
        expressions=[
            exp.alias_(_with_answer_columns(item.unalias(), named), output_name(item, place, engine), quoted=True)
            for place, item in enumerate(tree.expressions)
        ],
        from_=exp.From(this=exp.to_table(ANSWERED)),
    )
    own = {one.alias for one in made.expressions}
    for name in ("having", "order", "limit", "offset"):
        part = tree.args.get(name)
        if part is not None:
            replaced = _with_answer_columns(part, named)
            if name == "having":
                # In the relation of answers every group is a row, so HAVING becomes a condition on rows.
                made.set("where", exp.Where(this=replaced.this))
            else:
                made.set(name, replaced)
            _demand_answered(replaced, own if name == "order" else set())
    for item in made.expressions:
        _demand_answered(item, set())
    _demand_short(made)
    return made


def _demand_short(outer: exp.Select) -> None:
    """Refuse operations that make long texts from short ones, because the gateway itself evaluates this part."""
    if outer.find(exp.Replace) or sum(1 for _ in outer.find_all(exp.DPipe, exp.Concat)) > _MAX_CONCATENATIONS:
        raise StatementError(
            "texts of aggregates and groups are not built by REPLACE, or by more than "
            f"{_MAX_CONCATENATIONS} times ||; build them from the answer."
        )


def _spelling(source: exp.Table, engine: str) -> Callable[[exp.Expr], str]:
    """Write expressions so that all spellings of a column are the same: `Town`, `town` and `staff.town`."""
    alias = source.args.get("alias")
    table = folded_name(source.this if alias is None else alias.this, engine)

    def spelled(node: exp.Expr) -> str:
        made = node.copy()
        for column in made.find_all(exp.Column):
            qualifier = column.args.get("table")
            if qualifier is not None and not column.db and folded_name(qualifier, engine) == table:
                column.set("table", None)
            if isinstance(column.this, exp.Identifier):
                column.set("this", exp.to_identifier(folded_name(column.this, engine), quoted=True))
        return made.sql()

    return spelled


def _with_answer_columns(part: exp.Expr, named: Naming) -> exp.Expr:
    """The same with a column in place of every aggregate and group."""

    def column(node: exp.Expr) -> exp.Expr:
        name = named(node)
        return node if name is None else exp.column(name, table=ANSWERED)

    return part.copy().transform(column)


def _demand_answered(part: exp.Expr, own: set[str]) -> None:
    """Every column outside an aggregate must be one that the query groups by, or an output column."""
    for column in part.find_all(exp.Column):
        if column.table != ANSWERED and not (column.name in own and not column.table):
            raise StatementError("what is selected beside aggregates must be in GROUP BY.")
