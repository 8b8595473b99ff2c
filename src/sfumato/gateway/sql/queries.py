"""Compiles whole queries (SELECT, WITH, UNION, INTERSECT, EXCEPT) to SQL on masked relations.

`compiling` creates one `Compiler` per query; nested queries come back to it through their `Scope`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expression_size import count_built, limited_size
from sfumato.gateway.sql.expressions import value
from sfumato.gateway.sql.failures import evaluate_all_rows, full_scan_key
from sfumato.gateway.sql.names import NamedRelation, Scope, folded_name
from sfumato.gateway.sql.outputs import (
    NamedQuery,
    Output,
    alias_of,
    output_name,
    outputs_of,
    rename_outputs,
    select_list,
    table_alias,
    union_side,
    union_value,
)
from sfumato.gateway.sql.placement import demand_no_windows, demand_row_level
from sfumato.gateway.sql.predicates import truth
from sfumato.gateway.sql.sorting import (
    apply_limits,
    is_limited,
    named_output,
    sort_rows,
    value_sort_keys,
    without_ordinals,
)
from sfumato.gateway.sql.sources import Sources
from sfumato.gateway.sql.supported_nodes import demand_only, unsupported_node, unsupported_on_masked
from sfumato.gateway.sql.tie_breaks import with_tie_breaks
from sfumato.gateway.sql.values import Doubt, Value, always_exact
from sfumato.gateway.sql.windows import break_ties

Sql = exp.Expr

Item = tuple[str, Callable[[], Value]]
"""An item of the SELECT list: its name, and a function that returns its value."""


@dataclass(frozen=True)
class CompiledTree:
    """A compiled query as a syntax tree, with its output columns.

    `doubt` is the doubt about its rows; `one_row` says that the query returns exactly one row whatever the data are;
    `ordered`, that visible values alone decide the order of any two rows that differ.
    """

    sql: exp.Query
    outputs: tuple[Output, ...]
    doubt: Doubt = Doubt.NONE
    one_row: bool = False
    ordered: bool = False

    def __post_init__(self) -> None:
        count_built(self.sql)


@dataclass
class Compiler:
    """Compiles one query.

    `table` returns the masked relation for a table name. `relations` collects the masked relations that the query
    reads. `can_fail` says that some row may make the query fail, so that it must evaluate all rows.
    """

    engine: str
    table: Callable[[str], NamedRelation]
    relations: list[NamedRelation] = field(default_factory=list)
    can_fail: bool = False

    def query(
        self,
        node: Sql,
        outer: Scope | None,
        ctes: Mapping[str, NamedQuery] | None = None,
        *,
        outermost: bool = False,
    ) -> CompiledTree:
        """Compile any query; `ctes` are the WITH queries that it can name.

        The rows of the `outermost` query are the answer, so its row order is visible and must be total.
        """
        with limited_size() if outermost else nullcontext():
            return self._query(node, outer, dict(ctes or {}), outermost)

    def _query(self, node: Sql, outer: Scope | None, ctes: dict[str, NamedQuery], outermost: bool) -> CompiledTree:
        """The same; what it names in WITH is added to `ctes`."""
        while isinstance(node, exp.Subquery | exp.Paren):
            demand_only(node, ("this",))
            node = node.this
        common_tables = self._common_tables(node, outer, ctes)
        if isinstance(node, exp.Select):
            compiled = self._select(node, outer, ctes, outermost)
        elif isinstance(node, exp.Union | exp.Intersect | exp.Except):
            compiled = self._set_operation(node, outer, ctes, outermost)
        else:
            raise unsupported_node(node)
        if common_tables:
            sql = compiled.sql.copy()
            sql.set("with_", exp.With(expressions=common_tables))
            return replace(compiled, sql=sql)
        return compiled

    def _common_tables(self, node: Sql, outer: Scope | None, ctes: dict[str, NamedQuery]) -> list[Sql]:
        """Compile WITH name AS (...), in order; each query can name those before it. Adds them to `ctes`."""
        clause = node.args.get("with_")
        if clause is None:
            return []
        demand_only(clause, ("expressions",))
        compiled: list[Sql] = []
        names: set[str] = set()
        for one in clause.expressions:
            demand_only(one, ("this", "alias"))
            name, names_of = alias_of(one, self.engine)
            inner = self.query(one.this, outer, ctes)
            outputs = rename_outputs(inner.outputs, names_of)
            if name in names:
                raise StatementError(f"WITH defines {name!r} twice.")
            names.add(name)
            ctes[name] = NamedQuery(outputs, inner.doubt)
            compiled.append(exp.CTE(this=inner.sql, alias=table_alias(name, outputs)))
        return compiled

    def _select(
        self, node: exp.Select, outer: Scope | None, ctes: dict[str, NamedQuery], outermost: bool
    ) -> CompiledTree:
        """Compile one SELECT, in the order in which its clauses apply.

        Whether the value of an aggregate or a window is certain depends on the clauses that choose and group its rows.
        """
        demand_only(node, _SELECT)
        # Names resolve innermost first: a nested query gets this scope as its outer one and can read these relations.
        scope = Scope(
            self.engine, [], outer, lambda inner, around: self.query(inner, around, ctes), can_fail=self.can_fail
        )
        sources = Sources(self, scope, ctes)
        # FROM first, because the SELECT list refers to its relations; FROM is written last (`sources.write`), because
        # a row policy needs to know which columns the whole query reads.
        sources.read(node)
        where = self._condition(node, "where", scope)
        items = self._items(node, scope, sources)
        groups = self._groups(node, scope, items)
        scope.doubt = max(scope.doubt, sources.doubt)
        # Hidden and weaker values put rows of different groups into one, and rows of one group into several.
        if not all(map(always_exact, groups)):
            scope.doubt = Doubt.PRESENCE
        scope.rows_doubt = scope.doubt
        having = self._condition(node, "having", scope)
        outputs = outputs_of([(name, found()) for name, found in items])
        order = self._order(node, scope, items)
        doubt = _doubt_of_distinct(node, outputs, scope.doubt)
        outputs = _limited(node, [found for _, found in order], outputs, doubt, outermost=outermost)
        compiled = exp.Select(expressions=select_list(outputs))
        sources.write(compiled)
        for name, clause in (("where", where), ("having", having)):
            if clause is not None:
                compiled.set(name, (exp.Where if name == "where" else exp.Having)(this=clause))
        if groups:
            keys = [without_ordinals(part, one.kind) for one in groups for part in one.parts]
            compiled.set("group", exp.Group(expressions=keys))
        # An aggregate without GROUP BY gives one row, whatever the data are.
        one_group = scope.aggregates and not groups
        total_order = self._order_is_visible(node, outermost=outermost, at_most_one_row=one_group)
        compiled = self._finish(node, compiled, outputs, order, scope, total_order)
        if scope.windows:
            break_ties(compiled, groups if groups or scope.aggregates else scope.values_read, scope)
        one_row = one_group and having is None and not is_limited(node)
        # That row is there whatever the data are; only its values may be in doubt.
        doubt = Doubt.NONE if one_row else doubt
        return CompiledTree(compiled, outputs, doubt, one_row, one_row or total_order)

    def _order_is_visible(self, node: exp.Query, *, outermost: bool, at_most_one_row: bool = False) -> bool:
        """Whether visible values must decide the order of rows completely.

        They must if LIMIT selects rows by the order, or if the answer is sorted: the storage order of ties could be the
        order of a hidden column. If rows can fail, the sort also forces all of them to be evaluated.
        """
        is_sorted = node.args.get("order") is not None
        return is_limited(node) or (outermost and (is_sorted or (self.can_fail and not at_most_one_row)))

    def _condition(self, node: exp.Select, clause: str, scope: Scope) -> Sql | None:
        """The condition of WHERE or HAVING where it is certainly true; None if there is no such clause."""
        if node.args.get(clause) is None:
            return None
        found = truth(node.args[clause].this, scope)
        if found.exact is None:
            scope.doubt = max(scope.doubt, Doubt.ABSENCE)
        demand = demand_row_level if clause == "where" else demand_no_windows
        demand(found.true, clause.upper())
        return found.true

    def _finish(
        self,
        node: exp.Select,
        compiled: exp.Select,
        outputs: tuple[Output, ...],
        order: list[tuple[Sql, Value]],
        scope: Scope,
        total_order: bool,
    ) -> exp.Select:
        """Add DISTINCT, ORDER BY, LIMIT and OFFSET; a `total_order` is one by all output columns."""
        if node.args.get("distinct") is not None:
            demand_only(node.args["distinct"], ())
            compiled = self._distinct(compiled, outputs)
            if order or total_order:
                named = [(one, _output_of(found, outputs)) for one, found in order]
                compiled = sort_rows(compiled, outputs, named, scope, total_order=total_order)
        else:
            keys = [key for pair in order for key in value_sort_keys(*pair, scope)]
            keys = with_tie_breaks(keys, [output.value for output in outputs], scope) if total_order else keys
            keys = [full_scan_key(), *keys] if total_order and self.can_fail else keys
            compiled.set("order", exp.Order(expressions=keys) if keys else None)
        apply_limits(node, compiled)
        return compiled

    def _distinct(self, compiled: exp.Select, outputs: tuple[Output, ...]) -> exp.Select:
        """SELECT DISTINCT.

        If rows can fail, all of them are evaluated first: PostgreSQL stops at the first row if it expects all to be
        equal.
        """
        if self.can_fail:
            compiled = evaluate_all_rows(compiled, [name for output in outputs for name in output.names])
            compiled = exp.select(exp.Star()).from_(compiled.subquery("every"))
        compiled.set("distinct", exp.Distinct())
        return compiled

    def _items(self, node: exp.Select, scope: Scope, sources: Sources) -> list[Item]:
        """The items of the SELECT list by name. Each is compiled when it is first asked for, and only once.

        GROUP BY asks for those that it refers to, which are about single rows, before any aggregate is compiled.
        """
        found: list[Item] = []
        for place, item in enumerate(node.expressions):
            if isinstance(item, exp.Star):
                demand_only(item, ())
                found.extend(self._star(None, scope, sources))
            elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
                demand_only(item, ("this", "table"))
                demand_only(item.this, ())
                found.extend(self._star(folded_name(item.args["table"], self.engine), scope, sources))
            else:
                inner = item.this if isinstance(item, exp.Alias) else item
                name = output_name(item, place, self.engine)
                found.append((name, cache(partial(_item, inner, scope))))
        if not found:
            raise StatementError("a query has at least one column.")
        return found

    def _star(self, alias: str | None, scope: Scope, sources: Sources) -> list[Item]:
        """The items that `*` or `alias.*` stands for."""
        with _selecting(scope):
            return [(name, partial(_itself, one)) for name, one in sources.star_columns(alias)]

    def _groups(self, node: exp.Select, scope: Scope, items: Sequence[Item]) -> list[Value]:
        """The values of GROUP BY."""
        group = node.args.get("group")
        if group is None:
            return []
        demand_only(group, ("expressions",))
        found = [self._group_or_sort_value(one, scope, items) for one in group.expressions]
        for part in [part for one in found for part in one.shared_parts]:
            demand_row_level(part, "GROUP BY")
        return found

    def _group_or_sort_value(self, node: Sql, scope: Scope, items: Sequence[Item], first: bool = False) -> Value:
        """The value of an item of GROUP BY or ORDER BY: an output column by position or name, or an expression.

        If a name means both an output and a column of a table, ORDER BY takes the output (`first`), and GROUP BY the
        column.
        """
        if isinstance(node, exp.Literal) and node.is_int:
            if not 1 <= int(node.this) <= len(items):
                raise StatementError(f"the answer has {len(items)} columns; there is no column number {node.this}.")
            return items[int(node.this) - 1][1]()
        if isinstance(node, exp.Var):
            raise StatementError("GROUP BY and ORDER BY name columns and expressions, one by one.")
        if isinstance(node, exp.Column) and node.args.get("table") is None:
            name = folded_name(node.this, self.engine)
            own = [found for own_name, found in items if own_name == name]
            # Whether a table in FROM has a column of this name, which GROUP BY prefers to an output of the same name.
            in_tables = any(name in relation.columns for relation in scope.relations)
            if own and (first or not in_tables):
                return own[0]()
        return value(node, scope)

    def _order(self, node: exp.Select, scope: Scope, items: Sequence[Item]) -> list[tuple[Sql, Value]]:
        """The items of ORDER BY with their values."""
        order = node.args.get("order")
        if order is None:
            return []
        demand_only(order, ("expressions",))
        return [(one, self._group_or_sort_value(one.this, scope, items, first=True)) for one in order.expressions]

    def _set_operation(
        self, node: exp.SetOperation, outer: Scope | None, ctes: dict[str, NamedQuery], outermost: bool
    ) -> CompiledTree:
        """Compile UNION, INTERSECT or EXCEPT.

        INTERSECT and EXCEPT need exact values on both sides: a row could stay or go because of a hidden value.
        """
        demand_only(node, ("this", "expression", "distinct", "with_", "order", "limit", "offset"))
        for side in (node.this, node.expression):
            if not isinstance(side, exp.Subquery) and (is_limited(side) or side.args.get("order") is not None):
                raise StatementError("a query with ORDER BY, LIMIT or OFFSET beside UNION stands in parentheses.")
        sides = [self.query(side, outer, ctes) for side in (node.this, node.expression)]
        if len(sides[0].outputs) != len(sides[1].outputs):
            raise StatementError("both sides of UNION have the same number of columns.")
        pairs = [[one.value, other.value] for one, other in zip(sides[0].outputs, sides[1].outputs, strict=True)]
        if not isinstance(node, exp.Union) and (
            any(side.doubt for side in sides) or not all(always_exact(one) for pair in pairs for one in pair)
        ):
            raise unsupported_on_masked(type(node).__name__.upper())
        # SQL takes the names of the first side; both sides get as
        # many flat columns as the wider form of the two needs.
        names = [output.name for output in sides[0].outputs]
        shaped = [union_side(side, pairs, place, names) for place, side in enumerate(sides)]
        outputs = outputs_of([(name, union_value(name, pair)) for name, pair in zip(names, pairs, strict=True)])
        compiled: exp.Query = type(node)(this=shaped[0], expression=shaped[1], distinct=bool(node.args.get("distinct")))
        order = node.args.get("order")
        total_order = self._order_is_visible(node, outermost=outermost)
        keys = self._sort_outputs(order, outputs)
        doubt = _doubt_of_distinct(node, outputs, max(side.doubt for side in sides))
        shown = _limited(node, [output.value for _, output in keys], outputs, doubt, outermost=outermost)
        if order is not None or total_order:
            # The sort keys are output columns, so this scope needs no
            # relations; it only carries the engine and `can_fail`.
            scope = Scope(self.engine, [], None, self.query, can_fail=self.can_fail)
            compiled = sort_rows(compiled, outputs, keys, scope, total_order=total_order)
        apply_limits(node, compiled)
        return CompiledTree(compiled, shown, doubt, ordered=total_order)

    def _sort_outputs(self, order: Sql | None, outputs: tuple[Output, ...]) -> list[tuple[Sql, Output]]:
        """The output columns by which ORDER BY sorts the result of a set operation."""
        if order is None:
            return []
        demand_only(order, ("expressions",))
        return [(one, named_output(one, outputs, self.engine)) for one in order.expressions]


_SELECT = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_")
"""The clauses of SELECT that are supported."""


def _doubt_of_distinct(node: Sql, outputs: Sequence[Output], doubt: Doubt) -> Doubt:
    """The doubt about rows after DISTINCT, which merges rows that are equal and hides which weaker ones are."""
    if node.args.get("distinct") and not all(always_exact(output.value) for output in outputs):
        return Doubt.PRESENCE
    return doubt


def _limited(
    node: Sql, order: Sequence[Value], outputs: tuple[Output, ...], doubt: Doubt, *, outermost: bool
) -> tuple[Output, ...]:
    """The output columns of the rows that LIMIT and OFFSET choose.

    If hidden values or missing rows decide which rows these are, others may be the right ones, with other values.
    """
    if not is_limited(node) or not (doubt or not all(map(always_exact, order))):
        return outputs
    if doubt is Doubt.PRESENCE and node.args.get("offset") is not None and not outermost:
        # If rows are merged, OFFSET may skip all of them; what the query around concludes from one would be wrong.
        raise unsupported_on_masked("OFFSET in a nested query")
    return tuple(replace(output, value=output.value.doubted(Doubt.PRESENCE)) for output in outputs)


def _item(node: Sql, scope: Scope) -> Value:
    """Compile an item of the SELECT list."""
    with _selecting(scope):
        return value(node, scope)


def _itself(one: Value) -> Value:
    return one


@contextmanager
def _selecting(scope: Scope) -> Iterator[None]:
    """Record the columns that are read within as selected.

    They are recorded apart from those that other clauses read: a row of which nothing selected can be shown is dropped
    under the row policy `drop_if_all_hidden`.
    """
    before = [relation.columns_read for relation in scope.relations]
    for relation in scope.relations:
        relation.columns_read = set()
    yield
    for relation, read_before in zip(scope.relations, before, strict=True):
        relation.columns_selected |= relation.columns_read
        relation.columns_read |= read_before


def _output_of(found: Value, outputs: Sequence[Output]) -> Output:
    """The output column that holds this value."""
    for output in outputs:
        if output.value.shared_parts == found.shared_parts:
            return output
    raise StatementError("SELECT DISTINCT is sorted by columns of its answer.")
