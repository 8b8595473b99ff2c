"""Whole questions: SELECT, WITH, UNION and their kin, compiled to SQL on masked relations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expressions import value
from sfumato.gateway.sql.failures import after_all, looked_through
from sfumato.gateway.sql.names import NamedRelation, Scope, folded
from sfumato.gateway.sql.outputs import (
    Output,
    alias_of,
    called,
    outputs_of,
    projected,
    renamed,
    reshaped,
    shape_of,
    table_alias,
)
from sfumato.gateway.sql.placement import demand_no_windows, demand_of_rows
from sfumato.gateway.sql.predicates import held
from sfumato.gateway.sql.sorting import is_limited, limited, named_output, no_ordinal, sort_keys, sorted_answer
from sfumato.gateway.sql.sources import Sources
from sfumato.gateway.sql.supported_nodes import demand_only, no_weaker, not_understood
from sfumato.gateway.sql.tie_breaks import settled
from sfumato.gateway.sql.values import Plain, Value
from sfumato.gateway.sql.windows import settle

Sql = exp.Expr


@dataclass(frozen=True)
class Compiled:
    """A question as SQL on masked relations, and what its columns are.

    `uncertain` says that rows may be missing because of weaker values; `one_row`, that there is one row whatever the
    data are; `ordered`, that rows which differ are in an order that what is seen of them decides.
    """

    sql: exp.Query
    outputs: tuple[Output, ...]
    uncertain: bool = False
    one_row: bool = False
    ordered: bool = False


@dataclass
class Compiler:
    """Compiles one question; `table` gives the masked relation of a name."""

    engine: str
    table: Callable[[str], NamedRelation]
    relations: list[NamedRelation] = field(default_factory=list)
    can_fail: bool = False

    def query(
        self,
        node: Sql,
        outer: Scope | None,
        known: Mapping[str, tuple[Output, ...]] | None = None,
        *,
        last: bool = False,
    ) -> Compiled:
        """Any question; of the `last` one, whose rows are the answer, the order is seen."""
        while isinstance(node, exp.Subquery | exp.Paren):
            demand_only(node, ("this",))
            node = node.this
        known = dict(known or {})
        defined = self._defined(node, outer, known)
        if isinstance(node, exp.Select):
            made = self._select(node, outer, known, last)
        elif isinstance(node, exp.Union | exp.Intersect | exp.Except):
            made = self._combined(node, outer, known, last)
        else:
            raise not_understood(node)
        if defined:
            sql = made.sql.copy()
            sql.set("with_", exp.With(expressions=defined))
            return replace(made, sql=sql, uncertain=made.uncertain or self._doubts(defined))
        return made

    def _doubts(self, defined: Sequence[Sql]) -> bool:
        return any(one.meta.get("uncertain") for one in defined)

    def _defined(self, node: Sql, outer: Scope | None, known: dict[str, tuple[Output, ...]]) -> list[Sql]:
        """WITH name AS (...), one after the other; each sees those before it."""
        given = node.args.get("with_")
        if given is None:
            return []
        demand_only(given, ("expressions",))
        made: list[Sql] = []
        names: set[str] = set()
        for one in given.expressions:
            demand_only(one, ("this", "alias"))
            name, names_of = alias_of(one, self.engine)
            inner = self.query(one.this, outer, known)
            outputs = renamed(inner.outputs, names_of)
            if name in names:
                raise StatementError(f"WITH defines {name!r} twice.")
            names.add(name)
            known[name] = outputs
            cte = exp.CTE(this=inner.sql, alias=table_alias(name, outputs))
            cte.meta["uncertain"] = inner.uncertain
            made.append(cte)
        return made

    def _select(
        self, node: exp.Select, outer: Scope | None, known: dict[str, tuple[Output, ...]], last: bool
    ) -> Compiled:
        demand_only(node, _SELECT)
        scope = Scope(
            self.engine, [], outer, lambda inner, around: self.query(inner, around, known), can_fail=self.can_fail
        )
        sources = Sources(self, scope, known)
        sources.read(node)
        outputs = self._outputs(node, scope, sources)
        where = self._condition(node, "where", scope)
        groups = self._groups(node, scope, outputs)
        having = self._condition(node, "having", scope)
        order = self._order(node, scope, outputs)
        made = exp.Select(expressions=projected(outputs))
        sources.write(made)
        for name, clause in (("where", where), ("having", having)):
            if clause is not None:
                made.set(name, (exp.Where if name == "where" else exp.Having)(this=clause))
        if groups:
            keys = [no_ordinal(part, one.kind) for one in groups for part in one.parts]
            made.set("group", exp.Group(expressions=keys))
        single = scope.aggregates and not groups
        whole = is_limited(node) or (last and (bool(order) or (self.can_fail and not single)))
        made = self._finished(node, made, outputs, order, scope, whole)
        if scope.windows:
            settle(made, groups if groups or scope.aggregates else scope.read, scope)
        one_row = single and having is None and not is_limited(node)
        return Compiled(made, outputs, scope.uncertain or sources.uncertain, one_row, one_row or whole)

    def _condition(self, node: exp.Select, clause: str, scope: Scope) -> Sql | None:
        """Where WHERE or HAVING certainly holds; None where there is none."""
        if node.args.get(clause) is None:
            return None
        found = held(node.args[clause].this, scope)
        demand = demand_of_rows if clause == "where" else demand_no_windows
        demand(found, clause.upper())
        return found

    def _finished(
        self,
        node: exp.Select,
        made: exp.Select,
        outputs: tuple[Output, ...],
        order: list[tuple[Sql, Value]],
        scope: Scope,
        whole: bool,
    ) -> exp.Select:
        """DISTINCT, ORDER BY, LIMIT and OFFSET; a `whole` order is one by all columns of the answer."""
        if node.args.get("distinct") is not None:
            demand_only(node.args["distinct"], ())
            made = self._distinct(made, outputs)
            if order or whole:
                named = [(one, _among(found, outputs)) for one, found in order]
                made = sorted_answer(made, outputs, named, scope, whole=whole)
        else:
            keys = [key for pair in order for key in sort_keys(*pair, scope)]
            keys = settled(keys, [output.value for output in outputs], scope) if whole else keys
            keys = [after_all(), *keys] if whole and self.can_fail else keys
            made.set("order", exp.Order(expressions=keys) if keys else None)
        limited(node, made)
        return made

    def _distinct(self, made: exp.Select, outputs: tuple[Output, ...]) -> exp.Select:
        """SELECT DISTINCT; PostgreSQL stops at the first row where it knows that all are alike."""
        if self.can_fail:
            made = looked_through(made, [name for output in outputs for name in output.names])
            made = exp.select(exp.Star()).from_(made.subquery("every"))
        made.set("distinct", exp.Distinct())
        return made

    def _outputs(self, node: exp.Select, scope: Scope, sources: Sources) -> tuple[Output, ...]:
        found: list[tuple[str, Value]] = []
        before = [relation.read for relation in scope.relations]
        for relation in scope.relations:
            relation.read = set()
        for place, item in enumerate(node.expressions):
            if isinstance(item, exp.Star):
                demand_only(item, ())
                found.extend(sources.every(None))
            elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
                demand_only(item, ("this", "table"))
                demand_only(item.this, ())
                found.extend(sources.every(folded(item.args["table"], self.engine)))
            else:
                inner = item.this if isinstance(item, exp.Alias) else item
                found.append((called(item, place, self.engine), value(inner, scope)))
        for relation, read in zip(scope.relations, before, strict=True):
            relation.shown = set(relation.read)
            relation.read |= read
        if not found:
            raise StatementError("a question has at least one column.")
        return outputs_of(found)

    def _groups(self, node: exp.Select, scope: Scope, outputs: tuple[Output, ...]) -> list[Value]:
        group = node.args.get("group")
        if group is None:
            return []
        demand_only(group, ("expressions",))
        found = [self._meant(one, scope, outputs) for one in group.expressions]
        for part in [part for one in found for part in one.held]:
            demand_of_rows(part, "GROUP BY")
        return found

    def _meant(self, node: Sql, scope: Scope, outputs: tuple[Output, ...], first: bool = False) -> Value:
        """What GROUP BY or ORDER BY names: a column of the answer by place or name, or an expression."""
        if isinstance(node, exp.Literal) and node.is_int:
            if not 1 <= int(node.this) <= len(outputs):
                raise StatementError(f"the answer has {len(outputs)} columns; there is no column number {node.this}.")
            return outputs[int(node.this) - 1].value
        if isinstance(node, exp.Var):
            raise StatementError("GROUP BY and ORDER BY name columns and expressions, one by one.")
        if isinstance(node, exp.Column) and node.args.get("table") is None:
            name = folded(node.this, self.engine)
            own = [output.value for output in outputs if output.name == name]
            known = any(name in relation.columns for relation in scope.relations)
            if own and (first or not known):
                return own[0]
        return value(node, scope)

    def _order(self, node: exp.Select, scope: Scope, outputs: tuple[Output, ...]) -> list[tuple[Sql, Value]]:
        order = node.args.get("order")
        if order is None:
            return []
        demand_only(order, ("expressions",))
        return [(one, self._meant(one.this, scope, outputs, first=True)) for one in order.expressions]

    def _combined(
        self, node: exp.SetOperation, outer: Scope | None, known: dict[str, tuple[Output, ...]], last: bool
    ) -> Compiled:
        demand_only(node, ("this", "expression", "distinct", "with_", "order", "limit", "offset"))
        for side in (node.this, node.expression):
            if not isinstance(side, exp.Subquery) and (is_limited(side) or side.args.get("order") is not None):
                raise StatementError("a question with ORDER BY, LIMIT or OFFSET beside UNION stands in parentheses.")
        sides = [self.query(side, outer, known) for side in (node.this, node.expression)]
        if len(sides[0].outputs) != len(sides[1].outputs):
            raise StatementError("both sides of UNION have the same number of columns.")
        pairs = [[one.value, other.value] for one, other in zip(sides[0].outputs, sides[1].outputs, strict=True)]
        if not isinstance(node, exp.Union) and (
            any(side.uncertain for side in sides)
            or any(not isinstance(one, Plain) or one.hideable for pair in pairs for one in pair)
        ):
            raise no_weaker(type(node).__name__.upper())
        names = [output.name for output in sides[0].outputs]
        shaped = [reshaped(side, pairs, place, names) for place, side in enumerate(sides)]
        outputs = outputs_of([(name, shape_of(name, pair)) for name, pair in zip(names, pairs, strict=True)])
        made: exp.Query = type(node)(this=shaped[0], expression=shaped[1], distinct=bool(node.args.get("distinct")))
        order = node.args.get("order")
        whole = is_limited(node) or (last and (order is not None or self.can_fail))
        if order is not None or whole:
            keys = self._named(order, outputs)
            scope = Scope(self.engine, [], None, self.query, can_fail=self.can_fail)
            made = sorted_answer(made, outputs, keys, scope, whole=whole)
        limited(node, made)
        return Compiled(made, outputs, any(side.uncertain for side in sides), ordered=whole)

    def _named(self, order: Sql | None, outputs: tuple[Output, ...]) -> list[tuple[Sql, Output]]:
        """The columns of an answer by which ORDER BY sorts it."""
        if order is None:
            return []
        demand_only(order, ("expressions",))
        return [(one, named_output(one, outputs, self.engine)) for one in order.expressions]


_SELECT = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_")


def _among(found: Value, outputs: Sequence[Output]) -> Output:
    """The column of an answer that a value is."""
    for output in outputs:
        if output.value.parts == found.parts:
            return output
    raise StatementError("what SELECT DISTINCT leaves is sorted by columns of its answer.")
