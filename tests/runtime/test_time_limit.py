from __future__ import annotations

import pytest

from sfumato.errors import ParameterError
from sfumato.runtime.time_limit import enough, stopping, within


def test_nobody_waits_without_being_told() -> None:
    assert not enough()


def test_an_outer_limit_still_counts() -> None:
    with stopping(lambda: True), stopping(lambda: False):
        assert enough()
    with stopping(lambda: False), stopping(lambda: True):
        assert enough()
    assert not enough()


def test_time_runs_out() -> None:
    with within(1000):
        assert not enough()
        with within(0):
            assert enough()


def test_it_ends_with_an_error_too() -> None:
    with pytest.raises(RuntimeError), stopping(lambda: True):
        raise RuntimeError
    assert not enough()


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_limit_is_a_number_of_seconds(seconds: float) -> None:
    with pytest.raises(ParameterError, match="seconds >= 0"), within(seconds):
        pass
