"""Frames that cannot be read; how they come back is tested in tests/engines/writing/test_publishing.py."""

from __future__ import annotations

import pandas as pd
import pytest

from sfumato.engines.frames.frames import to_arrow
from sfumato.errors import DataError


@pytest.mark.parametrize("mixed", [[1, 2, "canary"], ["canary", b"x", 1.5], [{"canary": 1}, 3]], ids=repr)
def test_mixed_objects_are_refused_without_a_value(mixed: list[object]) -> None:
    """Neither in the message nor in an error that it came from, which debuggers and loggers show."""
    with pytest.raises(DataError, match="column of mixed Python objects") as caught:
        to_arrow(pd.DataFrame({"age": pd.Series(mixed, dtype=object)}))
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_periods_are_refused_with_what_to_convert_them_to() -> None:
    frame = pd.DataFrame({"month": pd.period_range("2020-01", periods=3, freq="M"), "n": [1, 2, 3]})
    with pytest.raises(DataError, match=r"column 'month' holds periods; convert it to dates by \.dt\.to_timestamp"):
        to_arrow(frame)
    assert to_arrow(frame.assign(month=frame["month"].astype(str))).num_rows == 3
