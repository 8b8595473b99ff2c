"""Measured values as plain JSON data, so that the ledger stores them exactly, and as values to compare.

Exact statistics and the auditor of extremes use them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.errors import StatementError

if TYPE_CHECKING:
    import pyarrow as pa

_EPOCH = datetime(1970, 1, 1)
_FROM_TEXT: dict[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "float": float.fromhex,
    "moment": datetime.fromisoformat,
    "day": date.fromisoformat,
}


def to_plain(value: Any) -> Any:
    """A number, date or timestamp as JSON data.

    >>> to_plain(7), to_plain(Decimal("1.50")), to_plain(0.5), to_plain(date(2026, 1, 2)), to_plain(None)
    (7, {'decimal': '1.50'}, {'float': '0x1.0000000000000p-1'}, {'day': '2026-01-02'}, None)
    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, float):
        # Hexadecimal digits restore the same float exactly, also infinities and NaN, which JSON cannot hold.
        return {"float": value.hex()}
    if isinstance(value, datetime):
        return {"moment": value.isoformat()}
    if isinstance(value, date):
        return {"day": value.isoformat()}
    raise StatementError("aggregates take numbers, dates and timestamps here.")


def from_plain(kept: Any) -> Any:
    """The value that was stored.

    >>> from_plain(to_plain(Decimal("1.50")))
    Decimal('1.50')
    """
    if not isinstance(kept, dict):
        return kept
    ((kind, text),) = kept.items()
    return _FROM_TEXT[kind](text)


def fits(kept: Any, kind: pa.DataType) -> bool:
    """Whether a stored value has the type that an Arrow column has now, so that it can be given out unchanged.

    >>> import pyarrow as pa
    >>> fits(to_plain(7.5), pa.float64()), fits(to_plain(7.5), pa.int32())
    (True, False)
    >>> fits(to_plain(7), pa.date32()), fits(None, pa.int8())
    (False, True)
    """
    from pyarrow import types

    if kept is None:
        return True
    if isinstance(kept, dict):
        ((name, _),) = kept.items()
        if name == "moment":
            return types.is_timestamp(kind) and (from_plain(kept).tzinfo is None) == (kind.tz is None)
        return bool({"decimal": types.is_decimal, "float": types.is_floating, "day": types.is_date}[name](kind))
    return bool(types.is_integer(kind) or types.is_boolean(kind))


class ComparableValue(NamedTuple):
    """A number, date or timestamp in a total order: infinite values before and after all others, NaN last."""

    infinity: int
    finite: Fraction = Fraction(0)

    @classmethod
    def of(cls, kept: Any) -> ComparableValue | None:
        """From a stored value; None if it is missing.

        >>> half, day, infinite = (ComparableValue.of(to_plain(one)) for one in (0.5, date(1970, 1, 3), math.inf))
        >>> half < day < infinite
        True
        """
        value = from_plain(kept)
        if value is None:
            return None
        if isinstance(value, datetime):
            # Days as exact fractions, so that dates and timestamps can be compared with each other.
            return cls(0, Fraction((value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1), 10**6 * 86_400))
        if isinstance(value, date):
            return cls(0, Fraction((value - _EPOCH.date()).days))
        if isinstance(value, float | Decimal) and not math.isfinite(value):
            return cls(2 if math.isnan(value) else 1 if value > 0 else -1)
        return cls(0, Fraction(value))

    def negated(self) -> ComparableValue:
        """With all signs changed, so that the minimum becomes the maximum."""
        return ComparableValue(-self.infinity, -self.finite)
