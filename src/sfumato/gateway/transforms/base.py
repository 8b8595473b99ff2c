"""The contract of a transform: the weaker form of a value that data subjects agreed to show."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.errors import PolicyError
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.settings.params import Declared

if TYPE_CHECKING:
    from sqlglot import exp

Form = Literal["range", "text", "plain"]
"""How a weaker form is published: two bounds, a text, or the value itself."""


class Transform(Declared):
    """Base of all transforms; an author writes `weaker`, the same as SQL, and the facts below.

    A transform depends on one value and on nothing else: neither on other values nor on the time. So the weaker form
    reveals nothing but itself, and two values with the same weaker form cannot be distinguished. `makes` says whether
    the weaker form is a `range` (the lowest and the highest value that it may be), a `text`, or the `plain` value
    itself; `for_kinds` lists the kinds of columns that it applies to.

    The SQL means the same on DuckDB and PostgreSQL and as `weaker` in Python, and it fails for no value: the message of
    an engine could show the value. A value that has no weaker form is hidden, as NULL.
    """

    makes: ClassVar[Form]
    for_kinds: ClassVar[frozenset[str]]

    @property
    def hides(self) -> tuple[str, ...]:
        """Columns that are hidden in the rows in which this one is shown."""
        return ()

    def suits(self, column_type: ColumnType) -> bool:
        """Whether columns of this type can be shown in this form."""
        return self.objection(column_type) is None

    def demand(self, column_type: ColumnType, column: str) -> None:
        """Refuse a column that cannot be shown in this form, and say why."""
        refusal = self.objection(column_type)
        if refusal is not None:
            raise PolicyError(f"column {column!r} is {column_type.words} and cannot be shown as {self}: {refusal}.")

    def objection(self, column_type: ColumnType) -> str | None:
        """Why columns of this type cannot be shown in this form; None if they can."""
        if column_type.kind not in self.for_kinds:
            return f"{self.name()} is for columns of kind {', '.join(sorted(self.for_kinds))}"
        return self._objection(column_type)

    def _objection(self, column_type: ColumnType) -> str | None:
        """Why a column of a suitable kind cannot be shown in this form all the same; None if it can."""
        return None

    def is_total(self, column_type: ColumnType) -> bool:
        """Whether every value of such a column has a weaker form.

        If some values are hidden because of what they are, a missing weaker value reveals something about the stored
        value; so aggregates of such columns are refused.
        """
        return False

    @abstractmethod
    def weaker(self, value: Any, column_type: ColumnType) -> Any:
        """The weaker form of a value: a pair for a range, else a text or the value; None if it is hidden."""

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value that it may be."""
        raise PolicyError(f"{self.name()} makes no ranges.")

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The weaker text."""
        raise PolicyError(f"{self.name()} makes no texts.")

    def shown(self, low: Any, column_type: ColumnType) -> str | None:
        """The label of a range, from its lowest value; None if it is written as its lowest and highest value."""
        return None

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr | None:
        """The same as SQL. The argument is always the lowest value of a range, but no other value may make it fail."""
        return None
