"""The contract of a transform: the weaker form of a value that people agreed to show."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.errors import PolicyError
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.settings.params import Declared

if TYPE_CHECKING:
    from sqlglot import exp

Form = Literal["range", "text", "plain"]


class Transform(Declared):
    """Base of all transforms; an author writes `weaker`, the same as SQL, and what it makes of which columns.

    A transform looks at one value and at nothing else: neither at other values nor at the hour. So whoever sees the
    weaker form learns nothing but it, and two values with the same weaker form cannot be told apart. Facts that others
    read: `makes` says whether the weaker form is a `range`, the least and the largest value it may be, a `text`, or
    the `plain` value itself; `for_kinds` for which kinds of columns it is.

    The SQL means the same on DuckDB and PostgreSQL and as `weaker` in Python, and there is no value for which it fails:
    what an engine says about a failure could show the value. A value that has no weaker form is hidden, as NULL.
    """

    makes: ClassVar[Form]
    for_kinds: ClassVar[frozenset[str]]

    @property
    def hides(self) -> tuple[str, ...]:
        """Columns that are hidden in the rows in which this one is seen."""
        return ()

    def suits(self, column_type: ColumnType) -> bool:
        """Whether columns of this type can be shown so."""
        return self.objection(column_type) is None

    def demand(self, column_type: ColumnType, column: str) -> None:
        """Refuse a column that cannot be shown so, and say why."""
        refusal = self.objection(column_type)
        if refusal is not None:
            raise PolicyError(f"column {column!r} is {column_type.words} and cannot be shown as {self}: {refusal}.")

    def objection(self, column_type: ColumnType) -> str | None:
        """Why columns of this type cannot be shown so; None if they can."""
        if column_type.kind not in self.for_kinds:
            return f"{self.name()} is for columns of kind {', '.join(sorted(self.for_kinds))}"
        return self._objection(column_type)

    def _objection(self, column_type: ColumnType) -> str | None:
        """Why a column of a kind that it is for cannot be shown so all the same; None if it can."""
        return None

    def is_total(self, column_type: ColumnType) -> bool:
        """Whether every value of such a column has a weaker form.

        Where some values are hidden because of what they are, who has no weaker value tells something about the stored
        one; so aggregates of such columns are not offered.
        """
        return False

    @abstractmethod
    def weaker(self, value: Any, column_type: ColumnType) -> Any:
        """The weaker form of a value: a pair for a range, else a text or the value; None where it is hidden."""

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The least and the largest value it may be."""
        raise PolicyError(f"{self.name()} makes no ranges.")

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The weaker text."""
        raise PolicyError(f"{self.name()} makes no texts.")

    def shown(self, low: Any, column_type: ColumnType) -> str | None:
        """How a range is written, from its least value; None where it is written as its least and largest value."""
        return None

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr | None:
        """The same as SQL; only asked where it is the least value of a range, though no other value makes it fail."""
        return None
