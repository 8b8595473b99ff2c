"""Refuses dates and timestamps in an answer that Python and most programs cannot represent."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from sfumato.errors import StatementError

if TYPE_CHECKING:
    import pyarrow as pa

_EPOCH = date(1970, 1, 1).toordinal()
_DAY_BOUNDS = (date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH)
"""The first and the last day, in days since 1970."""

_SECOND_BOUNDS = tuple(
    int(end.replace(tzinfo=UTC).timestamp()) for end in (datetime.min, datetime(9999, 12, 31, 23, 59, 59))
)
"""The first and the last second, in seconds since 1970."""

_TICKS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def demand_readable_dates(table: pa.Table) -> None:
    """Refuse an answer with infinite dates, or with dates before year 1 or after year 9999."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, stored in enumerate(table.schema.types):
        if pa.types.is_date32(stored):
            low, high, kind = *_DAY_BOUNDS, pa.int32()
        elif pa.types.is_timestamp(stored):
            tick = _TICKS_PER_SECOND[stored.unit]
            low, high, kind = _SECOND_BOUNDS[0] * tick, (_SECOND_BOUNDS[1] + 1) * tick - 1, pa.int64()
        else:
            continue
        found = pc.min_max(table.column(place).cast(kind)).as_py()
        if found["min"] is not None and not (low <= found["min"] and found["max"] <= high):
            name = table.column_names[place]
            raise StatementError(
                f"column {name!r} of the answer has an infinite date, or one too far off; cast it to text."
            )
