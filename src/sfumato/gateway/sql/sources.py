"""FROM and JOIN: compiles the tables and nested queries that the rows of a query come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.dialects import is_comma
from sfumato.gateway.sql.masked_relations import masked_rows
from sfumato.gateway.sql.names import NamedRelation, Scope, folded_name
from sfumato.gateway.sql.outputs import NamedQuery, Output, alias_of, flat_value, rename_outputs
from sfumato.gateway.sql.placement import demand_row_level
from sfumato.gateway.sql.predicates import comparison, truth
from sfumato.gateway.sql.supported_nodes import demand_only, unsupported_node, unsupported_on_masked
from sfumato.gateway.sql.values import Doubt, Truth, Value, all_of

if TYPE_CHECKING:
    from sfumato.gateway.sql.queries import Compiler

Sql = exp.Expr
_OUTER_JOINS = {"LEFT", "RIGHT", "FULL"}
_SUPPORTED_JOINS = {
    ("", ""),
    ("", "INNER"),
    ("", "CROSS"),
    *((side, kind) for side in _OUTER_JOINS for kind in ("", "OUTER")),
}
"""The supported combinations of side and kind of a join."""


class Sources:
    """FROM and its joins.

    `read` runs before the SELECT list is compiled, `write` after it: which rows a row policy drops depends on the
    columns that the query reads. `doubt` is the doubt about the rows of the relations and of their joins.
    """

    def __init__(self, compiler: Compiler, scope: Scope, ctes: Mapping[str, NamedQuery]) -> None:
        self._compiler = compiler
        self._scope = scope
        self._ctes = ctes
        self._first: tuple[NamedRelation, Sql | None] | None = None
        self._joins: list[tuple[str, NamedRelation, Sql | None, Sql | None]] = []
        self._commas = False
        self.doubt = Doubt.NONE

    def read(self, node: exp.Select) -> None:
        """Add all relations to the scope, in order; a join condition can refer to the relations before it."""
        clause = node.args.get("from_")
        if clause is None:
            if node.args.get("joins"):
                raise unsupported_node(node)
            return
        demand_only(clause, ("this",))
        self._first = self._relation(clause.this)
        for join in [*(clause.this.args.get("joins") or ()), *(node.args.get("joins") or ())]:
            if join.this.args.get("joins"):
                raise StatementError("joins are written one after the other, each with its own ON or USING.")
            self._join(join)

    def star_columns(self, alias: str | None) -> list[tuple[str, Value]]:
        """The columns that `*` or `alias.*` stands for."""
        relations = [one for one in self._scope.relations if alias is None or one.alias == alias]
        if not relations:
            raise StatementError("* needs a table to take the columns from.")
        return [
            (name, relation.column(name))
            for relation in relations
            for name in relation.columns
            if not (alias is None and name in relation.merged_columns)
        ]

    def write(self, compiled: exp.Select) -> None:
        """Write FROM and JOIN of the compiled query."""
        if self._first is None:
            return
        compiled.set("from_", exp.From(this=self._rows(*self._first)))
        for side, relation, rows, on in self._joins:
            kind = {"CROSS": {"kind": "CROSS"}, "INNER": {}}.get(side, {"side": side})
            compiled.append("joins", exp.Join(this=self._rows(relation, rows), on=on, **kind))

    def _relation(self, node: Sql) -> tuple[NamedRelation, Sql | None]:
        """Compile one relation and add it to the scope; returns it with its rows, None for a masked relation."""
        found, rows = self._table(node) if isinstance(node, exp.Table) else self._subquery(node)
        if any(found.alias == other.alias for other in self._scope.relations):
            raise StatementError(f"two tables are called {found.alias!r}; give one another name.")
        # Added only now: a nested query in FROM must not see the relations beside it, nor itself.
        self._scope.relations.append(found)
        return found, rows

    def _table(self, node: exp.Table) -> tuple[NamedRelation, Sql | None]:
        """A table or a WITH query by its name."""
        demand_only(node, ("this", "alias", "joins", "db", "catalog"))
        if node.args.get("db") or node.args.get("catalog"):
            raise StatementError("a table is named without a schema; the purpose decides which relation it is.")
        if not isinstance(node.this, exp.Identifier):
            raise StatementError("rows come from tables and queries, not from functions.")
        name = folded_name(node.this, self._compiler.engine)
        alias, column_names = self._alias(node, name)
        if name in self._ctes:
            named = self._ctes[name]
            self.doubt = max(self.doubt, named.doubt)
            return self._of_outputs(alias, column_names, named.outputs), exp.to_identifier(name, quoted=True)
        relation = self._compiler.table(name)
        if column_names:
            raise StatementError("the columns of a table keep their names; rename them in SELECT.")
        columns = {column: _qualified(alias, one) for column, one in relation.columns.items()}
        # Each mention of a table records its own reads, because a row policy applies to each of them separately.
        qualified = replace(relation, alias=alias, columns=columns, columns_read=set(), columns_selected=set())
        if relation.view is not None and relation.view.drops_rows:
            self.doubt = max(self.doubt, Doubt.ABSENCE)
        self._compiler.relations.append(qualified)
        return qualified, None

    def _subquery(self, node: Sql) -> tuple[NamedRelation, Sql | None]:
        """A nested query in FROM; it cannot refer to the relations beside it."""
        if not isinstance(node, exp.Subquery):
            raise unsupported_node(node)
        demand_only(node, ("this", "alias", "joins"))
        alias, column_names = self._alias(node, f".{len(self._scope.relations)}")
        compiled = self._compiler.query(node.this, self._scope.outer, self._ctes)
        self.doubt = max(self.doubt, compiled.doubt)
        return self._of_outputs(alias, column_names, compiled.outputs), compiled.sql

    def _alias(self, node: Sql, default: str) -> tuple[str, list[str]]:
        """The alias of a relation and of its columns, or the default."""
        if node.args.get("alias") is None:
            return default, []
        return alias_of(node, self._compiler.engine)

    def _of_outputs(self, alias: str, column_names: list[str], outputs: tuple[Output, ...]) -> NamedRelation:
        """A relation from the output columns of a query."""
        renamed = rename_outputs(outputs, column_names)
        flat = [flat_value(alias, output) for output in renamed]
        names = [output.name for output in renamed]
        duplicates = frozenset(name for name in names if names.count(name) > 1)
        return NamedRelation(alias, dict(zip(names, flat, strict=True)), duplicate_columns=duplicates)

    def _rows(self, relation: NamedRelation, rows: Sql | None) -> Sql:
        """The rows of a relation as SQL."""
        if rows is None:
            return masked_rows(relation)
        if isinstance(rows, exp.Identifier):
            return exp.Table(
                this=rows.copy(), alias=exp.TableAlias(this=exp.to_identifier(relation.alias, quoted=True))
            )
        columns = [part.name for one in relation.columns.values() for part in one.shared_parts]
        alias = exp.TableAlias(
            this=exp.to_identifier(relation.alias, quoted=True),
            columns=[exp.to_identifier(name, quoted=True) for name in columns],
        )
        return exp.Subquery(this=rows.copy(), alias=alias)

    def _join(self, join: exp.Join) -> None:
        """Compile one join.

        If rows of one side may be missing, the NULLs by which an outer join fills up that side do not prove that there
        is no row; so all columns of that side become hideable.
        """
        demand_only(join, ("this", "side", "kind", "on", "using"))
        side = self._side(join)
        before, doubt_before = list(self._scope.relations), self.doubt
        # The doubt of the new relation alone: which side of an
        # outer join is affected depends on which side may lack rows.
        self.doubt = Doubt.NONE
        relation, rows = self._relation(join.this)
        on = self._on(join, side, before, relation)
        if self.doubt and side in ("LEFT", "FULL"):
            _mark_hideable([relation])
        if doubt_before and side in ("RIGHT", "FULL"):
            _mark_hideable(before)
        self.doubt = max(self.doubt, doubt_before)
        self._joins.append((side, relation, rows, on))

    def _side(self, join: exp.Join) -> str:
        """The type of a join: INNER, CROSS, LEFT, RIGHT or FULL. Refuses a missing or superfluous condition."""
        if is_comma(join):
            self._commas = True
            return "CROSS"
        side, kind = (str(join.args.get(name) or "").upper() for name in ("side", "kind"))
        if (side, kind) not in _SUPPORTED_JOINS:
            raise unsupported_node(join)
        has_condition = join.args.get("on") is not None or bool(join.args.get("using"))
        if kind == "CROSS" and has_condition:
            raise StatementError("CROSS JOIN has no ON and no USING; write JOIN.")
        if kind != "CROSS" and not has_condition:
            raise StatementError("this join needs a condition; write CROSS JOIN, or ON.")
        if side in ("RIGHT", "FULL") and self._commas:
            raise StatementError(f"{side} JOIN does not follow a comma here; write CROSS JOIN in place of the comma.")
        return side or kind or "INNER"

    def _on(self, join: exp.Join, side: str, before: list[NamedRelation], relation: NamedRelation) -> Sql | None:
        """The join condition where it is certainly true; None for CROSS."""
        using, on = join.args.get("using"), join.args.get("on")
        if using:
            found = self._using(using, side, before, relation)
        elif on is not None:
            found = truth(on, self._scope)
            demand_row_level(found.true, "ON")
        else:
            return None
        if found.exact is None:
            # An outer join shows rows without a match, so it would treat "not certainly equal" as "not equal".
            if side in _OUTER_JOINS:
                raise unsupported_on_masked("an outer join")
            # An inner join lacks the rows whose condition is not certain. A later outer join must not take them for
            # rows that do not exist.
            self.doubt = max(self.doubt, Doubt.ABSENCE)
        return found.true

    def _using(self, using: list[Sql], side: str, before: list[NamedRelation], relation: NamedRelation) -> Truth:
        """The join condition of USING; the column of the right side counts as merged."""
        if side not in ("INNER", "LEFT"):
            raise StatementError("USING goes with INNER and LEFT joins; write ON.")
        conditions, merged_columns = list[Truth](), set[str]()
        for node in using:
            name = folded_name(node.this if isinstance(node, exp.Column) else node, self._compiler.engine)
            left = [one for one in before if name in one.columns and name not in one.merged_columns]
            if len(left) != 1 or name not in relation.columns:
                raise StatementError(f"USING needs column {name!r} once on either side.")
            conditions.append(comparison(exp.EQ, left[0].column(name), relation.column(name), self._scope))
            merged_columns.add(name)
        # With INNER and LEFT, the left column holds the common value, so `*` and bare names mean that one.
        relation.merged_columns = frozenset(merged_columns)
        exact = [one.exact for one in conditions if one.exact is not None]
        return Truth(
            all_of(*(one.true for one in conditions)), None, all_of(*exact) if len(exact) == len(conditions) else None
        )


def _mark_hideable(relations: list[NamedRelation]) -> None:
    """Mark all columns of these relations as hideable, where a NULL may come from a row that is missing."""
    for relation in relations:
        relation.columns = {name: one.doubted(Doubt.ABSENCE) for name, one in relation.columns.items()}


def _qualified(alias: str, one: Value) -> Value:
    """The same value, qualified by the alias that the query gives to its table."""
    return one.held_in(*(exp.column(part.name, table=alias, quoted=True) for part in one.shared_parts))
