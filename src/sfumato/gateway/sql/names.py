"""Resolves names in a query: which relation and column a name means, and which may not be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError, nearest
from sfumato.gateway.policy.characters import LONGEST_NAME, is_cut
from sfumato.gateway.sql.values import Doubt, Value

if TYPE_CHECKING:
    from sfumato.gateway.views.views import PurposeView


def folded_name(identifier: exp.Expr, engine: str) -> str:
    """A name as the engine compares it: PostgreSQL keeps the case of quoted names, DuckDB always ignores case."""
    if not isinstance(identifier, exp.Identifier):
        raise StatementError("a name must be a plain name.")
    text: str = identifier.this
    if "." in text or "\x00" in text or not text:
        raise StatementError("a name in quotes must not be empty, nor have a dot in it.")
    if is_cut(text):
        raise StatementError(f"a name has at most {LONGEST_NAME} bytes; use a shorter one.")
    return text if engine == "postgres" and identifier.args.get("quoted") else text.lower()


def name_hint(name: str, candidates: Iterable[str], engine: str) -> str:
    """A hint for a mistyped name, also for one whose capitals PostgreSQL has folded.

    >>> name_hint("visits", ["Visits"], "postgres")
    "did you mean 'Visits'? Names with capitals are written in double quotes."
    """
    names = set(candidates)
    lost_case = engine == "postgres" and any(one != name and one.lower() == name for one in names)
    return nearest(name, names) + (" Names with capitals are written in double quotes." if lost_case else "")


@dataclass
class NamedRelation:
    """A relation in FROM: its columns by folded name, in order, and those that the query reads.

    - `hidden`: names of columns that exist and are not shown for this purpose.
    - `columns_read`: all columns that the query reads; `columns_selected`: those that its SELECT list reads.
    - `duplicate_columns`: names that occur twice, and so cannot be read.
    - `merged_columns`: columns of USING that an earlier relation stands for.
    - `view`, `stored_table`: the view of a masked relation, and the table under which the engine holds it.
    - `own_names`: the names that the columns of a masked relation have in the table.
    """

    alias: str
    columns: dict[str, Value]
    hidden: frozenset[str] = frozenset()
    columns_read: set[str] = field(default_factory=set)
    columns_selected: set[str] = field(default_factory=set)
    duplicate_columns: frozenset[str] = frozenset()
    merged_columns: frozenset[str] = frozenset()
    view: PurposeView | None = None
    stored_table: exp.Table | None = None
    own_names: Mapping[str, str] = field(default_factory=dict)

    def column(self, name: str) -> Value:
        """The value of a column, which from now on counts as read."""
        if name in self.duplicate_columns:
            raise StatementError(f"{self.alias!r} has two columns named {name!r}; give them different names.")
        self.columns_read.add(name)
        return self.columns[name]


@dataclass
class Scope:
    """The relations of one SELECT, and the scope around it, whose columns a subquery may use.

    `aggregates` and `windows` say whether there are any so far. `doubt` is the doubt about the rows or groups that are
    left by the clauses compiled so far, and `rows_doubt` that about the rows that aggregates are computed from: HAVING
    leaves out groups, and no rows of them. `can_fail` says that some row may make the whole query fail, so that it must
    evaluate all rows.
    """

    engine: str
    relations: list[NamedRelation]
    outer: Scope | None
    query: Callable[[exp.Expr, Scope], object]
    doubt: Doubt = Doubt.NONE
    rows_doubt: Doubt = Doubt.NONE
    aggregates: bool = False
    windows: bool = False
    can_fail: bool = False

    @property
    def around(self) -> Iterable[Scope]:
        """The scopes around this one, from the nearest."""
        return () if self.outer is None else (self.outer, *self.outer.around)

    @property
    def values_read(self) -> list[Value]:
        """The values of the columns read so far."""
        return [
            found
            for relation in self.relations
            for name, found in relation.columns.items()
            if name in relation.columns_read
        ]

    def resolve(self, column: exp.Column) -> Value:
        """The value that a column name means; a name that no relation has, or more than one, is refused."""
        name = folded_name(column.this, self.engine)
        if column.args.get("db") or column.args.get("catalog"):
            raise StatementError("a column is named as column or table.column.")
        table = column.args.get("table")
        value = self._named(None if table is None else folded_name(table, self.engine), name)
        if value is None:
            raise StatementError(self._unknown(name, table))
        return value

    def _named(self, table: str | None, name: str) -> Value | None:
        """The value of a name in this scope or in one around it; None if there is no such name."""
        found = [relation for relation in self.relations if table is None or relation.alias == table]
        owners_of_name = [
            relation
            for relation in found
            if name in relation.columns and not (table is None and name in relation.merged_columns)
        ]
        if len(owners_of_name) > 1:
            raise StatementError(f"{name!r} could be a column of several tables; write table.{name}.")
        if owners_of_name:
            return owners_of_name[0].column(name)
        for relation in found:
            if name in relation.hidden:
                raise StatementError(f"column {name!r} is not shown to you for this purpose.")
        # A qualified name whose table is in this scope is not
        # looked up outside: the inner alias covers the outer one.
        if self.outer is None or (table is not None and found):
            return None
        return self._named_in_outer(table, name)

    def _named_in_outer(self, table: str | None, name: str) -> Value | None:
        """A column of the SELECT around this one.

        Its relation must not have the alias of a relation in here, since the engine would take that one.
        """
        found = None if self.outer is None else self.outer._named(table, name)
        owners = {part.args["table"].name for part in found.shared_parts if part.args.get("table")} if found else set()
        if any(relation.alias in owners for relation in self.relations):
            raise StatementError(
                f"{name!r} is a column of the outer query, and the subquery has a table of the same name; give one of "
                "them another alias."
            )
        return found

    def _unknown(self, name: str, table: exp.Expr | None) -> str:
        """The message for a name that does not exist."""
        if table is not None and not any(
            relation.alias == folded_name(table, self.engine) for relation in self._all_relations()
        ):
            return f"there is no table {folded_name(table, self.engine)!r} in this query."
        return f"there is no column {name!r}; {name_hint(name, self._column_names(table), self.engine)}"

    def _all_relations(self) -> Iterable[NamedRelation]:
        """The relations of this scope and of all around it."""
        return [relation for scope in (self, *self.around) for relation in scope.relations]

    def _column_names(self, table: exp.Expr | None) -> set[str]:
        """The column names that a hint may suggest."""
        alias = None if table is None else folded_name(table, self.engine)
        owners_of_name = [relation for relation in self._all_relations() if alias in (None, relation.alias)]
        return {
            name for relation in (owners_of_name if alias is None else owners_of_name[:1]) for name in relation.columns
        }
