"""What an expression of a question is: a plain value, a value known to lie in a range, or a weaker text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from sfumato.gateway.views.views import ViewColumn


@dataclass(frozen=True)
class Plain:
    """A value that is what it is; `kind` is its type as far as it is known.

    `hideable` says that it may be NULL because it is hidden, and not because there is none. `under` is the type of a
    value whose kind is uncertain; nothing but its place among others depends on it. `small` says that it is a whole
    number or decimal of at most 64 bits, of which no sum leaves the range of 128. `column` is the column that it is, if
    it comes straight from one.
    """

    sql: exp.Expr
    kind: str = "other"
    hideable: bool = False
    under: str | None = None
    small: bool = False
    column: ViewColumn | None = None

    @property
    def sorts_as(self) -> str:
        """The type by which it is sorted: numbers with any digits go as decimals."""
        found = self.under or self.kind
        return "decimal" if found == "number" else found

    @property
    def parts(self) -> tuple[exp.Expr, ...]:
        """The columns that it is made of."""
        return (self.sql.copy(),)

    @property
    def held(self) -> tuple[exp.Expr, ...]:
        """The same, not to be put into anything."""
        return (self.sql,)


@dataclass(frozen=True)
class Range:
    """A value that lies from `low` to `high`, both included, and is known where they are equal.

    `column` is the column it is shown as, if it comes straight from one.
    """

    low: exp.Expr
    high: exp.Expr
    kind: str = "other"
    column: ViewColumn | None = None
    hideable: bool = True

    @property
    def any_digits(self) -> bool:
        """Whether its bounds are decimals of which nobody knows how many digits they have."""
        return self.kind in ("decimal", "number") and (self.column is None or self.column.type.scale is None)

    @property
    def parts(self) -> tuple[exp.Expr, ...]:
        """The columns that it is made of."""
        return (self.low.copy(), self.high.copy())

    @property
    def held(self) -> tuple[exp.Expr, ...]:
        """The same, not to be put into anything."""
        return (self.low, self.high)


@dataclass(frozen=True)
class Weak:
    """A text that may stand for others; it is what it is where `exact` is true."""

    text: exp.Expr
    exact: exp.Expr
    hideable: bool

    kind = "text"

    @property
    def parts(self) -> tuple[exp.Expr, ...]:
        """The columns that it is made of."""
        return (self.text.copy(), self.exact.copy())

    @property
    def held(self) -> tuple[exp.Expr, ...]:
        """The same, not to be put into anything."""
        return (self.text, self.exact)


Value = Plain | Range | Weak


@dataclass(frozen=True)
class Truth:
    """A condition: where it is certainly true and where it is certainly false.

    `plain` is the condition itself where no weaker value has a part in it; then SQL's own logic decides. `false` is
    None where nobody can be certain that the condition is false, as with rows that may or may not be found.
    """

    true: exp.Expr
    false: exp.Expr | None
    plain: exp.Expr | None = None

    @classmethod
    def of(cls, condition: exp.Expr, *, certain: bool = True) -> Truth:
        """A condition on plain values; not `certain` where one of them may be hidden."""
        return cls(condition, negated(condition), condition if certain else None)


def negated(condition: exp.Expr) -> exp.Expr:
    """NOT of a condition."""
    return exp.Not(this=exp.paren(condition.copy()))


def all_of(*conditions: exp.Expr) -> exp.Expr:
    """AND of conditions, each in parentheses."""
    return exp.and_(*(one.copy() for one in conditions), wrap=True)


def any_of(*conditions: exp.Expr) -> exp.Expr:
    """OR of conditions, each in parentheses."""
    return exp.or_(*(one.copy() for one in conditions), wrap=True)


def bounds(value: Plain | Range) -> tuple[exp.Expr, exp.Expr]:
    """The least and the largest value that it may be."""
    if isinstance(value, Range):
        return value.low.copy(), value.high.copy()
    return value.sql.copy(), value.sql.copy()


def exactly(value: Value) -> exp.Expr:
    """Whether the value is known."""
    if isinstance(value, Range):
        return exp.EQ(this=value.low.copy(), expression=value.high.copy())
    return value.exact.copy() if isinstance(value, Weak) else exp.true()


def likeliest(value: Value) -> exp.Expr:
    """The value itself where it is known; something else where it is not."""
    return value.held[0].copy()
