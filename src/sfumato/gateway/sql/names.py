"""Names in a question: which relation and which column they mean, and what nobody may name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError, nearest
from sfumato.gateway.sql.values import Value

if TYPE_CHECKING:
    from sfumato.gateway.views.views import PurposeView


def folded(identifier: exp.Expr, engine: str) -> str:
    """A name as the engine compares it: PostgreSQL keeps the case of quoted names, DuckDB ignores case everywhere."""
    if not isinstance(identifier, exp.Identifier):
        raise StatementError("a name must be a plain name.")
    text: str = identifier.this
    if "." in text or "\x00" in text or not text:
        raise StatementError("a name in quotes must not be empty, nor have a dot in it.")
    return text if engine == "postgres" and identifier.args.get("quoted") else text.lower()


def nearest_name(name: str, known: Iterable[str], engine: str) -> str:
    """A hint for a mistyped name, also for one whose capitals PostgreSQL did not keep.

    >>> nearest_name("visits", ["Visits"], "postgres")
    "did you mean 'Visits'? Names with capitals are written in double quotes."
    """
    names = set(known)
    lost = engine == "postgres" and any(one != name and one.lower() == name for one in names)
    return nearest(name, names) + (" Names with capitals are written in double quotes." if lost else "")


@dataclass
class NamedRelation:
    """Something rows come from: its columns by folded name, in order, and those that were asked for.

    `own_names` are the names that the columns of a masked relation have in the table.
    """

    alias: str
    columns: dict[str, Value]
    hidden: frozenset[str] = frozenset()
    read: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    doubled: frozenset[str] = frozenset()
    merged: frozenset[str] = frozenset()
    view: PurposeView | None = None
    place: exp.Table | None = None
    own_names: Mapping[str, str] = field(default_factory=dict)

    def column(self, name: str) -> Value:
        """One column, which from now on counts as asked for."""
        if name in self.doubled:
            raise StatementError(f"column {name!r} of {self.alias!r} is there twice; give them names of their own.")
        self.read.add(name)
        return self.columns[name]


@dataclass
class Scope:
    """The relations of one SELECT, and the SELECT around it, whose columns a subquery may use.

    `uncertain`, `aggregates` and `windows` say what was found in it so far: weaker values, aggregates, windows;
    `can_fail`, that the whole question may fail on some rows, so that it must look at all of them.
    """

    engine: str
    relations: list[NamedRelation]
    outer: Scope | None
    query: Callable[[exp.Expr, Scope], object]
    uncertain: bool = False
    aggregates: bool = False
    windows: bool = False
    can_fail: bool = False

    @property
    def read(self) -> list[Value]:
        """The columns of its relations that were asked for so far."""
        return [
            found for relation in self.relations for name, found in relation.columns.items() if name in relation.read
        ]

    def resolve(self, column: exp.Column) -> Value:
        """What a column name means; a name that two relations have, or none, is refused."""
        name = folded(column.this, self.engine)
        if column.args.get("db") or column.args.get("catalog"):
            raise StatementError("a column is named as column or table.column.")
        table = column.args.get("table")
        value = self._named(None if table is None else folded(table, self.engine), name)
        if value is None:
            raise StatementError(self._unknown(name, table))
        return value

    def doubt(self) -> None:
        """Note that an answer depends on weaker values."""
        self.uncertain = True

    def _named(self, table: str | None, name: str) -> Value | None:
        found = [relation for relation in self.relations if table is None or relation.alias == table]
        having = [
            relation
            for relation in found
            if name in relation.columns and not (table is None and name in relation.merged)
        ]
        if len(having) > 1:
            raise StatementError(f"{name!r} could be a column of several tables; write table.{name}.")
        if having:
            return having[0].column(name)
        for relation in found:
            if name in relation.hidden:
                raise StatementError(f"column {name!r} is not shown to you for this purpose.")
        if self.outer is None or (table is not None and found):
            return None
        return self._from_outside(table, name)

    def _from_outside(self, table: str | None, name: str) -> Value | None:
        """A column of the SELECT around this one, whose table must not be called like one in here."""
        found = None if self.outer is None else self.outer._named(table, name)
        owners = {part.args["table"].name for part in found.parts if part.args.get("table")} if found else set()
        if any(relation.alias in owners for relation in self.relations):
            raise StatementError(f"{name!r} is of a table whose name another one has in here; give one another name.")
        return found

    def _unknown(self, name: str, table: exp.Expr | None) -> str:
        if table is not None and not any(relation.alias == folded(table, self.engine) for relation in self._all()):
            return f"there is no table {folded(table, self.engine)!r} in this question."
        return f"there is no column {name!r}; {nearest_name(name, self._columns(table), self.engine)}"

    def _all(self) -> Iterable[NamedRelation]:
        return [*self.relations, *(self.outer._all() if self.outer is not None else ())]

    def _columns(self, table: exp.Expr | None) -> set[str]:
        alias = None if table is None else folded(table, self.engine)
        having = [relation for relation in self._all() if alias in (None, relation.alias)]
        return {name for relation in (having if alias is None else having[:1]) for name in relation.columns}
