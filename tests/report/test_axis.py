from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.report.axis import MOST, Axis, even_step


def axis_over(values, frequency=None):
    domain, _ = Domain.of("c", values)
    return domain, Axis.over(domain, np.ones(len(domain), dtype=np.int64) if frequency is None else frequency)


def test_few_numbers_stay_as_they_are():
    _, axis = axis_over(["30", "35", "38", None])
    assert axis.names == ("30", "35", "38", "missing")
    assert axis.ordered


def test_many_numbers_go_into_round_steps_and_the_missing_ones_to_the_end():
    domain, axis = axis_over([str(age) for age in range(17, 91)] + [None])
    assert axis.names[:2] == ("10 to 20", "20 to 30")
    assert axis.names[-2:] == ("90 to 100", "missing")
    assert axis.names[axis.place[domain.code_of("20")]] == "20 to 30"


def test_the_commonest_words_stay_and_the_rest_is_one_place():
    words = [f"w{number:02d}" for number in range(20)]
    _, axis = axis_over(words, np.arange(20, dtype=np.int64))
    assert axis.names[0] == "w19"
    assert axis.names[-1] == "8 others"
    assert axis.others == 8
    assert len(axis.names) == MOST + 1


def test_one_word_more_than_fits_is_no_crowd():
    _, axis = axis_over([f"w{number:02d}" for number in range(MOST + 1)])
    assert (axis.others, len(axis.names)) == (0, MOST + 1)


@pytest.mark.parametrize(
    ("days", "names"),
    [
        (20, ("2023-01", "2023-02")),
        (700, ("from 2023-01", "from 2023-03")),
        (20000, ("from 2020-01", "from 2025-01")),
    ],
)
def test_dates_go_into_months_and_years(days, names):
    first = date(2023, 1, 20)
    _, axis = axis_over([(first + timedelta(day)).isoformat() for day in range(days)])
    assert axis.names[:2] == names
    assert len(axis.names) <= MOST


def test_days_of_a_short_time_stay_days():
    """Thirteen moments on three days."""
    moments = [f"2023-01-{day:02d}T{hour:02d}:00" for day in (1, 2, 3) for hour in range(5)]
    _, axis = axis_over(moments)
    assert axis.names == ("2023-01-01", "2023-01-02", "2023-01-03")


def test_shares_add_up_by_place():
    _, axis = axis_over(["a", "b"])
    assert axis.shares(np.array([3.0, 1.0])) == (0.75, 0.25)
    assert axis.shares(np.zeros(2)) == (0.0, 0.0)


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=MOST + 1, max_size=60, unique=True))
def test_every_number_lies_between_the_ends_of_its_place(numbers):
    domain, axis = axis_over([repr(number) for number in numbers])
    assert len(axis.names) <= MOST + 1
    for code in range(len(domain)):
        low, high = (
            (float(end) for end in axis.names[axis.place[code]].split(" to ")) if domain.present > MOST else (0, 0)
        )
        slack = 1e-6 * max(1.0, abs(low), abs(high))
        assert domain.present <= MOST or low - slack <= domain.numbers[code] <= high + slack


@given(st.floats(1e-9, 1e12))
def test_a_step_covers_the_width_in_about_a_dozen(width):
    assert width / even_step(width) <= MOST
    assert width / even_step(width) >= 2
