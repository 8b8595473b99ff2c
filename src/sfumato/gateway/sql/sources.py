"""Where the rows of a question come from: tables, questions inside it, and how they are joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.dialects import COMMA
from sfumato.gateway.sql.names import NamedRelation, Scope, folded
from sfumato.gateway.sql.placement import demand_of_rows
from sfumato.gateway.sql.predicates import compared, truth
from sfumato.gateway.sql.supported_nodes import demand_only, no_weaker, not_understood
from sfumato.gateway.sql.values import Range, Value, Weak, all_of

if TYPE_CHECKING:
    from sfumato.gateway.sql.outputs import Output
    from sfumato.gateway.sql.queries import Compiler

Sql = exp.Expr
_OUTER = {"LEFT", "RIGHT", "FULL"}
_WRITTEN = {("", ""), ("", "INNER"), ("", "CROSS"), *((side, kind) for side in _OUTER for kind in ("", "OUTER"))}
"""Sides and kinds of joins that are understood."""


class Sources:
    """FROM and its joins; read before the columns of a SELECT, written after it is known which of them are read."""

    def __init__(self, compiler: Compiler, scope: Scope, known: Mapping[str, tuple[Output, ...]]) -> None:
        self._compiler = compiler
        self._scope = scope
        self._known = known
        self._first: tuple[NamedRelation, Sql | None] | None = None
        self._joins: list[tuple[str, NamedRelation, Sql | None, Sql | None]] = []
        self._commas = False
        self.uncertain = False

    def read(self, node: exp.Select) -> None:
        """All relations, each seen by the joins after it."""
        given = node.args.get("from_")
        if given is None:
            if node.args.get("joins"):
                raise not_understood(node)
            return
        demand_only(given, ("this",))
        self._first = self._relation(given.this)
        for join in [*(given.this.args.get("joins") or ()), *(node.args.get("joins") or ())]:
            if join.this.args.get("joins"):
                raise StatementError("joins are written one after the other, each with its own ON or USING.")
            self._join(join)

    def every(self, alias: str | None) -> list[tuple[str, Value]]:
        """The columns that * stands for."""
        meant = [one for one in self._scope.relations if alias is None or one.alias == alias]
        if not meant:
            raise StatementError("* needs a table to take the columns from.")
        return [
            (name, relation.column(name))
            for relation in meant
            for name in relation.columns
            if not (alias is None and name in relation.merged)
        ]

    def write(self, made: exp.Select) -> None:
        """FROM and JOIN of the compiled question."""
        if self._first is None:
            return
        made.set("from_", exp.From(this=self._rows(*self._first)))
        for side, relation, rows, on in self._joins:
            kind = {"CROSS": {"kind": "CROSS"}, "INNER": {}}.get(side, {"side": side})
            made.append("joins", exp.Join(this=self._rows(relation, rows), on=on, **kind))

    def _relation(self, node: Sql) -> tuple[NamedRelation, Sql | None]:
        found, rows = self._named(node) if isinstance(node, exp.Table) else self._inner(node)
        if any(found.alias == other.alias for other in self._scope.relations):
            raise StatementError(f"two tables are called {found.alias!r}; give one another name.")
        self._scope.relations.append(found)
        return found, rows

    def _named(self, node: exp.Table) -> tuple[NamedRelation, Sql | None]:
        demand_only(node, ("this", "alias", "joins", "db", "catalog"))
        if node.args.get("db") or node.args.get("catalog"):
            raise StatementError("a table is named without a schema; the purpose decides which relation it is.")
        if not isinstance(node.this, exp.Identifier):
            raise StatementError("rows come from tables and questions, not from functions.")
        name = folded(node.this, self._compiler.engine)
        alias, renamed = self._alias(node, name)
        if name in self._known:
            return self._of_outputs(alias, renamed, self._known[name]), exp.to_identifier(name, quoted=True)
        relation = self._compiler.table(name)
        if renamed:
            raise StatementError("the columns of a table keep their names; rename them in SELECT.")
        columns = {column: _under(alias, one) for column, one in relation.columns.items()}
        seen = replace(relation, alias=alias, columns=columns, read=set(), shown=set())
        self.uncertain = self.uncertain or (relation.view is not None and relation.view.drops_rows)
        self._compiler.relations.append(seen)
        return seen, None

    def _inner(self, node: Sql) -> tuple[NamedRelation, Sql | None]:
        if not isinstance(node, exp.Subquery):
            raise not_understood(node)
        demand_only(node, ("this", "alias", "joins"))
        alias, renamed = self._alias(node, f".{len(self._scope.relations)}")
        made = self._compiler.query(node.this, self._scope.outer, self._known)
        self.uncertain = self.uncertain or made.uncertain
        return self._of_outputs(alias, renamed, made.outputs), made.sql

    def _alias(self, node: Sql, default: str) -> tuple[str, list[str]]:
        from sfumato.gateway.sql.outputs import alias_of

        if node.args.get("alias") is None:
            return default, []
        return alias_of(node, self._compiler.engine)

    def _of_outputs(self, alias: str, given: list[str], outputs: tuple[Output, ...]) -> NamedRelation:
        from sfumato.gateway.sql.outputs import flat_value, renamed

        names = renamed(outputs, given)
        flat = [flat_value(alias, output) for output in names]
        every = [output.name for output in names]
        doubled = frozenset(name for name in every if every.count(name) > 1)
        return NamedRelation(alias, dict(zip(every, flat, strict=True)), doubled=doubled)

    def _rows(self, relation: NamedRelation, rows: Sql | None) -> Sql:
        from sfumato.gateway.sql.masked import masked_rows

        if rows is None:
            return masked_rows(relation)
        if isinstance(rows, exp.Identifier):
            return exp.Table(
                this=rows.copy(), alias=exp.TableAlias(this=exp.to_identifier(relation.alias, quoted=True))
            )
        columns = [part.name for one in relation.columns.values() for part in one.parts]
        alias = exp.TableAlias(
            this=exp.to_identifier(relation.alias, quoted=True),
            columns=[exp.to_identifier(name, quoted=True) for name in columns],
        )
        return exp.Subquery(this=rows.copy(), alias=alias)

    def _join(self, join: exp.Join) -> None:
        demand_only(join, ("this", "side", "kind", "on", "using"))
        side = self._side(join)
        before, others = list(self._scope.relations), self.uncertain
        self.uncertain = False
        relation, rows = self._relation(join.this)
        on = self._on(join, side, before, relation)
        if self.uncertain and side in ("LEFT", "FULL"):
            _may_miss([relation])
        if others and side in ("RIGHT", "FULL"):
            _may_miss(before)
        self.uncertain = self.uncertain or others
        self._joins.append((side, relation, rows, on))

    def _side(self, join: exp.Join) -> str:
        """INNER, CROSS, LEFT, RIGHT or FULL; what else it says must fit."""
        if join.meta.get(COMMA):
            self._commas = True
            return "CROSS"
        side, kind = (str(join.args.get(name) or "").upper() for name in ("side", "kind"))
        if (side, kind) not in _WRITTEN:
            raise not_understood(join)
        told = join.args.get("on") is not None or bool(join.args.get("using"))
        if kind == "CROSS" and told:
            raise StatementError("CROSS JOIN has no ON and no USING; write JOIN.")
        if kind != "CROSS" and not told:
            raise StatementError("this join needs a condition; write CROSS JOIN, or ON.")
        if side in ("RIGHT", "FULL") and self._commas:
            raise StatementError(f"{side} JOIN does not follow a comma here; write CROSS JOIN in place of the comma.")
        return side or kind or "INNER"

    def _on(self, join: exp.Join, side: str, before: list[NamedRelation], relation: NamedRelation) -> Sql | None:
        using = join.args.get("using")
        if using:
            return self._using(using, side, before, relation)
        if join.args.get("on") is None:
            return None
        found = truth(join.args["on"], self._scope)
        demand_of_rows(found.true, "ON")
        if found.plain is None and side in _OUTER:
            raise no_weaker("an outer join")
        return found.true

    def _using(self, using: list[Sql], side: str, before: list[NamedRelation], relation: NamedRelation) -> Sql:
        if side not in ("INNER", "LEFT"):
            raise StatementError("USING goes with INNER and LEFT joins; write ON.")
        conditions, merged = [], set()
        for node in using:
            name = folded(node.this if isinstance(node, exp.Column) else node, self._compiler.engine)
            left = [one for one in before if name in one.columns and name not in one.merged]
            if len(left) != 1 or name not in relation.columns:
                raise StatementError(f"USING needs column {name!r} once on either side.")
            found = compared(exp.EQ, left[0].column(name), relation.column(name), self._scope)
            if found.plain is None and side == "LEFT":
                raise no_weaker("an outer join")
            conditions.append(found.true)
            merged.add(name)
        relation.merged = frozenset(merged)
        return all_of(*conditions)


def _may_miss(relations: list[NamedRelation]) -> None:
    """Where rows may be missing that there are, a join that fills up with nothing tells nothing by it."""
    for relation in relations:
        relation.columns = {name: replace(one, hideable=True) for name, one in relation.columns.items()}


def _under(alias: str, one: Value) -> Value:
    """The same value under the name that a question gives its table."""
    names = [exp.column(part.name, table=alias, quoted=True) for part in one.parts]
    if isinstance(one, Range):
        return Range(names[0], names[1], one.kind, one.column, one.hideable)
    if isinstance(one, Weak):
        return Weak(names[0], names[1], one.hideable)
    return replace(one, sql=names[0])
