from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.gateway.statistics.auditors import DifferenceControl, OverlapControl, SetSizeControl
from tests.gateway.statistics.people import asked, records_of

small_sets = st.sets(st.integers(0, 9))
owners = st.lists(st.integers(0, 6), min_size=10, max_size=10)


def people(group, person_of) -> set[int]:
    return {person_of[record] for record in group}


def test_a_difference_tells_the_newcomer():
    """Tables 17.1 and 17.2 of Fung, Wang, Fu and Yu (2011): a mean of 96, then a sum of 195, tell 99."""
    auditor = DifferenceControl(2)
    auditor.remember(asked({4}, function="avg", population=4))
    assert not auditor.allows(asked({4, 5}, function="sum", population=5))


@given(st.integers(1, 6), st.integers(0, 10), st.lists(small_sets, min_size=1, max_size=3), owners)
def test_sizes_count_people(least, population, groups, person_of):
    question = asked(*groups, population=population, records=records_of(person_of))
    sizes = [len(people(group, person_of)) for group in groups]
    expected = all(least <= size and (size >= population or size <= population - least) for size in sizes)
    assert SetSizeControl(least).allows(question) == expected


def flat(history):
    return [group for groups in history for group in groups]


histories = st.lists(st.lists(small_sets, min_size=1, max_size=2), max_size=5)


@given(st.integers(0, 4), histories, st.lists(small_sets, min_size=1, max_size=3), owners)
def test_overlaps_count_people(most, history, groups, person_of):
    auditor, records = OverlapControl(most), records_of(person_of)
    for each in history:
        auditor.remember(asked(*each, records=records))
    earlier = flat(history)
    expected = all(
        group in earlier
        or all(
            group == other or len(people(group, person_of) & people(other, person_of)) <= most
            for other in [*earlier, *groups[:place]]
        )
        for place, group in enumerate(groups)
    )
    assert auditor.allows(asked(*groups, records=records)) == expected


@given(st.integers(1, 4), histories, st.lists(small_sets, min_size=1, max_size=3), owners | st.just(list(range(10))))
def test_differences_count_people(least, history, groups, person_of):
    auditor, records = DifferenceControl(least), records_of(person_of)
    for each in history:
        auditor.remember(asked(*each, records=records))
    earlier = flat(history)
    expected = all(
        group in earlier
        or all(
            group == other or len(people(group ^ other, person_of)) >= least for other in [*earlier, *groups[:place]]
        )
        for place, group in enumerate(groups)
    )
    assert auditor.allows(asked(*groups, records=records)) == expected


def test_overlaps_count_across_measures_and_differences_within():
    question = asked({1, 2, 3})
    overlap, difference = OverlapControl(1), DifferenceControl(2)
    for auditor in (overlap, difference):
        auditor.remember(question)
    other = replace(asked({1, 2}), column="age")
    assert not overlap.allows(other)
    assert difference.allows(other)
    assert not difference.allows(replace(other, column="score", function="avg"))
    assert difference.allows(replace(other, column="score", function="max"))


@pytest.mark.parametrize("value", [-1, 1.5, True, "3"])
def test_settings_out_of_range(value):
    for control in (SetSizeControl, OverlapControl, DifferenceControl):
        with pytest.raises(ParameterError, match="must be a whole number"):
            control(value)
    with pytest.raises(ParameterError, match="must be a whole number >= 1"):
        SetSizeControl(0)
