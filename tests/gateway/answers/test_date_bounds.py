from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest

from sfumato.errors import StatementError
from sfumato.gateway.answers.date_bounds import demand_readable_dates

DAYS = [(date.min - date(1970, 1, 1)).days, (date.max - date(1970, 1, 1)).days]


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_everything_that_python_can_read_passes(unit: str) -> None:
    moments = pa.array([datetime.min, datetime.max.replace(microsecond=0), None], pa.timestamp(unit))
    table = pa.table([pa.array([date.min, date.max, None]), moments, moments, pa.array([1, 2, 3])], names=list("abba"))
    demand_readable_dates(table)
    assert table.column(1).to_pylist()[0] == datetime.min


@pytest.mark.parametrize("day", [DAYS[0] - 1, DAYS[1] + 1, 2**31 - 1, -(2**31) + 1])
def test_other_days_are_refused(day: int) -> None:
    with pytest.raises(StatementError, match="column 'a' of the answer has an infinite date"):
        demand_readable_dates(pa.table({"a": pa.array([0, day], pa.int32()).cast(pa.date32())}))


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_other_moments_are_refused(unit: str) -> None:
    ends = (
        pa.array([datetime.min, datetime.max.replace(microsecond=0)], pa.timestamp(unit)).cast(pa.int64()).to_pylist()
    )
    step = {"s": 1, "ms": 10**3, "us": 10**6}[unit]
    for beyond in (ends[0] - 1, ends[1] + step, 2**63 - 1):
        with pytest.raises(StatementError):
            demand_readable_dates(pa.table({"a": pa.array([beyond], pa.int64()).cast(pa.timestamp(unit))}))
