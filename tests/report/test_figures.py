from __future__ import annotations

import pytest

from sfumato.report.figures import figure, percent


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (0.5, "0.5"), (1234567.0, "1,234,567"), (-2000, "-2,000"), (float("nan"), "unknown")],
)
def test_numbers_are_short(number, text):
    assert figure(number) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (1, "100%"), (0.1, "10%"), (0.00009, "less than 0.01%"), (0.0001, "0.01%"), (1 / 3, "33.3%")],
)
def test_shares_are_percents(share, text):
    assert percent(share) == text
