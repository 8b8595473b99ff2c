"""The value of a compiled expression: a scalar, a range that holds the true value, or a weaker text.

Every module of the compiler takes and returns these. `Truth` is the counterpart for conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from sqlglot import exp

from sfumato.gateway.sql.expression_size import count_built

if TYPE_CHECKING:
    from sfumato.gateway.views.views import ViewColumn

Bound = Literal["low", "high"]
_Value = TypeVar("_Value", bound="_Compiled")


class Doubt(IntEnum):
    """How far a value, or the rows of a query, are in doubt because of hidden values and missing rows.

    Of several doubts the greatest counts.
    """

    NONE = 0
    """It is the true value, and these are all rows."""

    ABSENCE = 1
    """NULL may stand for a value that is hidden or in a missing row, and rows may be missing; what is there is true."""

    PRESENCE = 2
    """Also what is there may not be true: what is hidden or missing counted as absent, or rows were merged by it."""

    @classmethod
    def of(cls, *values: Value) -> Doubt:
        """The doubt of a value that is computed from these row by row, and is NULL where one of them is."""
        return max((one.doubt for one in values), default=cls.NONE)


@dataclass(frozen=True, kw_only=True)
class _Compiled:
    """What all values share.

    - `doubt`: how far hidden values and missing rows leave it in doubt. Whoever makes a value has to say this.
    - `bound`: a value whose presence is in doubt is at least a "low" or a "high" bound of the true value.
    """

    doubt: Doubt
    bound: Bound | None = None
    HELD_IN: ClassVar[tuple[str, ...]] = ()
    """The fields with the expressions that hold it."""

    def __post_init__(self) -> None:
        count_built(*self.shared_parts)

    @property
    def hideable(self) -> bool:
        """Whether it may be NULL because it is hidden, and not because the table has no value."""
        return self.doubt >= Doubt.ABSENCE

    @property
    def uncertain(self) -> bool:
        """Whether the true value may be another one even where it is not NULL."""
        return self.doubt >= Doubt.PRESENCE

    def doubted(self: _Value, least: Doubt) -> _Value:
        """The same value with at least this doubt; with the greatest it is no bound either."""
        bound = None if least is Doubt.PRESENCE else self.bound
        return replace(self, doubt=max(self.doubt, least), bound=bound)

    def held_in(self: _Value, *parts: exp.Expr) -> _Value:
        """The same value in other expressions, such as the columns of the query that computes it."""
        fields: dict[str, Any] = dict(zip(self.HELD_IN, parts, strict=True))
        return replace(self, **fields)

    @property
    def parts(self) -> tuple[exp.Expr, ...]:
        """The expressions that hold it, copied, so that they can be attached to a tree."""
        return tuple(map(_copied, self.shared_parts))

    @property
    def shared_parts(self) -> tuple[exp.Expr, ...]:
        """The same expressions without a copy; do not attach them to another tree."""
        return tuple(getattr(self, name) for name in self.HELD_IN)


@dataclass(frozen=True)
class Scalar(_Compiled):
    """A value in one SQL expression; `kind` is its type as far as it is known.

    - `fits_64_bits`: an integer or decimal of at most 64 bits, so that no sum overflows 128 bits.
    - `column`: the column that the value comes from unchanged, if any.
    """

    sql: exp.Expr
    kind: str = "other"
    fits_64_bits: bool = False
    column: ViewColumn | None = None
    HELD_IN = ("sql",)

    @property
    def sorts_as(self) -> str:
        """The type by which it is sorted; numbers of varying scale sort as decimals."""
        return "decimal" if self.kind == "number" else self.kind


@dataclass(frozen=True)
class Range(_Compiled):
    """A value between `low` and `high`, both included; it is exact where they are equal.

    `column` is the column that it comes from unchanged, if any.
    """

    low: exp.Expr
    high: exp.Expr
    kind: str = "other"
    column: ViewColumn | None = None
    HELD_IN = ("low", "high")

    @property
    def unscaled_decimals(self) -> bool:
        """Whether its bounds are decimals of varying scale."""
        return self.kind in ("decimal", "number") and (self.column is None or self.column.type.scale is None)


@dataclass(frozen=True)
class WeakerText(_Compiled):
    """A text that may stand for several texts, such as a prefix; it is the true text where `exact` is true."""

    text: exp.Expr
    exact: exp.Expr
    HELD_IN = ("text", "exact")

    kind = "text"


Value = Scalar | Range | WeakerText


@dataclass(frozen=True)
class Truth:
    """A condition as two conditions: where it is certainly true, and where it is certainly false.

    On hidden and weaker values a condition may be neither. NOT then swaps the two; negating `true` instead would return
    rows whose condition is merely not known. `exact` is the condition itself if only exact values take part, and then
    SQL's own three-valued logic applies. `false` is None if nothing is certain to make the condition false: a row that
    a subquery does not find may exist and be hidden.
    """

    true: exp.Expr
    false: exp.Expr | None
    exact: exp.Expr | None = None

    def __post_init__(self) -> None:
        count_built(*filter(None, (self.true, self.false)))

    @classmethod
    def of(cls, condition: exp.Expr, *, certain: bool = True) -> Truth:
        """A condition on scalars; not `certain` if one of them may be hidden."""
        return cls(condition, negation(condition), condition if certain else None)


def negation(condition: exp.Expr) -> exp.Expr:
    """NOT of a condition."""
    return exp.Not(this=exp.paren(condition))


def all_of(*conditions: exp.Expr) -> exp.Expr:
    """AND of conditions, each in parentheses."""
    return exp.and_(*conditions, wrap=True)


def any_of(*conditions: exp.Expr) -> exp.Expr:
    """OR of conditions, each in parentheses."""
    return exp.or_(*conditions, wrap=True)


def _copied(part: exp.Expr) -> exp.Expr:
    """A copy, which counts as built before it is made."""
    count_built(part)
    return part.copy()


def bounds(value: Scalar | Range) -> tuple[exp.Expr, exp.Expr]:
    """The smallest and the largest value that it may have."""
    if isinstance(value, Range):
        return _copied(value.low), _copied(value.high)
    return _copied(value.sql), _copied(value.sql)


def is_exact(value: Value) -> exp.Expr:
    """The SQL condition that the true value is known."""
    if isinstance(value, Range):
        return exp.EQ(this=_copied(value.low), expression=_copied(value.high))
    return _copied(value.exact) if isinstance(value, WeakerText) else exp.true()


def always_exact(value: Value) -> bool:
    """Whether the true value is known in every row: it is never hidden and never weaker."""
    return isinstance(value, Scalar) and not value.hideable


def first_part(value: Value) -> exp.Expr:
    """Its first expression: the true value where it is exact, and a bound or a weaker text elsewhere."""
    return _copied(value.shared_parts[0])
