from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.gateway.auditing import (
    Difference,
    DifferenceControl,
    OverlapControl,
    SetSizeControl,
    differencing,
)
from sfumato.gateway.record_sets import RecordSet
from tests.gateway.test_sum_auditor import total

SCORES = {1: 92, 2: 91, 3: 97, 4: 96, 5: 99}
small_sets = st.sets(st.integers(0, 9))


def test_a_difference_tells_the_newcomer():
    """Tables 17.1 and 17.2 of Fung, Wang, Fu and Yu (2011): a mean of 96, then a sum of 195."""
    before, after = {4}, {4, 5}
    mean = sum(SCORES[record] for record in before) / len(before)
    later = sum(SCORES[record] for record in after)
    assert (mean, later, later - mean) == (96, 195, 99)
    assert differencing([RecordSet.of([4])], RecordSet.of([4, 5]), least=2) == Difference(gained=1, lost=0)
    auditor = DifferenceControl(2)
    auditor.remember(total(before, function="avg", population=4))
    judgement = auditor.judge(total(after, function="sum"))
    assert judgement == (False, "DifferenceControl: a set and an earlier one differ in fewer than 2 records")


def test_a_single_record_is_refused_by_its_size():
    assert not SetSizeControl(2).judge(total({4})).allowed
    assert SetSizeControl(2).judge(total({4, 5})).allowed


@given(st.integers(1, 6), st.integers(0, 10), st.lists(small_sets, min_size=1, max_size=3))
def test_sizes(least, population, groups):
    question = total(*groups, population=population)
    expected = all(least <= len(group) <= population - least for group in groups)
    assert SetSizeControl(least).judge(question).allowed == expected


def flat(history):
    return [group for groups in history for group in groups]


histories = st.lists(st.lists(small_sets, min_size=1, max_size=2), max_size=5)


@given(st.integers(0, 4), histories, st.lists(small_sets, min_size=1, max_size=3))
def test_overlaps(most, history, groups):
    auditor = OverlapControl(most)
    for each in history:
        auditor.remember(total(*each))
    earlier = flat(history)
    expected = all(
        group in earlier or all(group == other or len(group & other) <= most for other in [*earlier, *groups[:place]])
        for place, group in enumerate(groups)
    )
    assert auditor.judge(total(*groups)).allowed == expected


@given(st.integers(1, 4), histories, st.lists(small_sets, min_size=1, max_size=3))
def test_differences(least, history, groups):
    auditor = DifferenceControl(least)
    for each in history:
        auditor.remember(total(*each))
    expected = all(
        group == other or len(group ^ other) >= least
        for place, group in enumerate(groups)
        for other in [*flat(history), *groups[:place]]
    )
    assert auditor.judge(total(*groups)).allowed == expected


@given(st.lists(small_sets, max_size=4), small_sets, st.integers(1, 5))
def test_the_first_near_set_is_told(earlier, later, least):
    found = differencing([RecordSet.of(sorted(each)) for each in earlier], RecordSet.of(sorted(later)), least=least)
    near = [Difference(len(later - each), len(each - later)) for each in earlier if 0 < len(each ^ later) < least]
    assert found == (near[0] if near else None)


def test_a_changed_value_is_a_record_of_its_own():
    """The record 3 changes: it leaves, and 6 comes in its place."""
    assert differencing([RecordSet.of([1, 2, 3])], RecordSet.of([1, 2, 6]), least=3) == Difference(1, 1)


@pytest.mark.parametrize("auditor", [OverlapControl(0), DifferenceControl(3)])
@pytest.mark.parametrize("changes", [{"who": "bob"}, {"purpose": "care"}, {"table": "other"}])
def test_people_purposes_and_tables_are_kept_apart(auditor, changes):
    auditor.remember(total({1, 2, 3}))
    assert not auditor.judge(total({1, 2})).allowed
    assert auditor.judge(total({1, 2, 3})).allowed
    assert auditor.judge(total({1, 2}, **changes)).allowed


def test_overlaps_count_across_measures_and_differences_within():
    question = total({1, 2, 3})
    overlap, difference = OverlapControl(1), DifferenceControl(2)
    for auditor in (overlap, difference):
        auditor.remember(question)
    other = replace(total({1, 2}), column="age")
    assert not overlap.judge(other).allowed
    assert difference.judge(other).allowed
    assert not difference.judge(replace(other, column="score", function="avg")).allowed
    assert difference.judge(replace(other, column="score", function="max")).allowed


@pytest.mark.parametrize("value", [-1, 1.5, True, "3"])
def test_settings_out_of_range(value):
    for control in (SetSizeControl, OverlapControl, DifferenceControl):
        with pytest.raises(ParameterError):
            control(value)
    with pytest.raises(ParameterError):
        SetSizeControl(0)


def test_reasons_name_rules_and_no_records():
    auditor = OverlapControl(1)
    auditor.remember(total({77, 88, 99}))
    reasons = [auditor.judge(total({77, 88})).reason, SetSizeControl(5).judge(total({77})).reason]
    assert all(reasons)
    assert not [reason for reason in reasons if "77" in reason or "88" in reason]
