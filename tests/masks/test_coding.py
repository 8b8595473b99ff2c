from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.masks import Coding

AGES = pa.table({"age": [21, 5, 48, None, 99, 30]})


def coded(**settings):
    return Coding(**settings).mask(AGES, ["age"])["age"].to_pylist()


def test_limits_as_values():
    assert coded(top=40, bottom=10) == [21, 10, 40, None, 40, 30]
    assert coded(top=40, bottom_share=0) == [21, 5, 40, None, 40, 30]
    assert coded(top=1000, bottom_share=0) == AGES["age"].to_pylist()


def test_limits_as_shares():
    """Of five ages one may lie above the limit, or below it."""
    assert coded(top_share=0.2, bottom_share=0) == [21, 5, 48, None, 48, 30]
    assert coded(top_share=0, bottom_share=0.2) == [21, 21, 48, None, 99, 30]
    assert coded(top_share=0.19, bottom_share=0) == AGES["age"].to_pylist()
    assert coded(top_share=1, bottom_share=0) == [5, 5, 5, None, 5, 5]


def test_the_mean_of_those_beyond():
    assert coded(top=25, bottom_share=0, put="mean") == [21, 5, 59, None, 59, 59]


def test_the_mean_of_one_or_two_would_tell_who_they_are():
    assert coded(top=40, bottom_share=0, put="mean") == [21, 5, 40, None, 40, 30]
    alone = Coding(put="mean", top_share=0.2, bottom_share=0).mask(pa.table({"v": [1, 2, 3, 4, 99]}), ["v"])
    assert alone["v"].to_pylist() == [1, 2, 3, 4, 4]


def test_nothing_lies_above_the_top_whatever_the_bottom():
    values = pa.table({"v": list(range(20, 120, 5))})
    assert set(Coding(top=10).mask(values, ["v"])["v"].to_pylist()) == {10}


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.floats(0, 1))
def test_at_most_the_share_lies_beyond(values, share):
    made = np.array(Coding(top_share=share, bottom_share=0).mask(pa.table({"v": values}), ["v"])["v"])
    above = np.array(values) > made.max()
    assert above.sum() <= share * len(values) + 1e-6
    assert made.tolist() == np.minimum(values, made.max()).tolist()


def test_limits_that_cross_are_refused():
    with pytest.raises(ParameterError, match="'top' must not be below 'bottom'"):
        Coding(top=1, bottom=2)
