"""Bars and whether they are met."""

import pytest
from benchmarks.row import Row, at_least, at_most


@pytest.mark.parametrize(
    ("bar", "met"),
    [
        (at_most(2), True),
        (at_most(1.9), False),
        (at_most(100, "ratio"), True),
        (at_least(100, "ratio"), True),
        (at_least(101, "ratio"), False),
        (None, None),
    ],
)
def test_a_bar_is_for_the_figure_or_the_ratio(bar, met):
    assert Row(question="q", name="n", figure=2.0, unit="s", ratio=100.0, bar=bar).met is met


def test_nothing_measured_meets_nothing():
    assert Row(question="q", name="n", figure=None, unit="s", bar=at_most(1)).met is None
