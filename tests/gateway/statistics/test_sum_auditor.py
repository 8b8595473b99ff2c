from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.statistics.records import RecordNumbers
from sfumato.gateway.statistics.sum_auditor import SumAuditor
from tests.examples import examples
from tests.gateway.statistics.people import asked, records_of
from tests.oracles.sums_that_tell import people_told, told


def test_a_sum_over_one_record_is_refused():
    assert not SumAuditor().allows(asked({4}))


def test_the_newcomer_is_told_only_to_whoever_knew_the_one_before():
    """Table 17.1 and 17.2 of Fung, Wang, Fu and Yu (2011): the fifth record comes later."""
    after = asked({4, 5})
    assert SumAuditor().allows(after)
    auditor = SumAuditor()
    auditor.remember(asked({4}, function="avg"))
    assert not auditor.allows(after)


histories = st.lists(st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=2), max_size=7)


@examples(150)
@given(histories)
def test_refuses_exactly_what_would_tell_a_value(history):
    auditor, answered = SumAuditor(), []
    for groups in history:
        tells = told([*answered, *groups], range(6))
        question = asked(*groups)
        assert auditor.allows(question) == (not tells)
        if not tells:
            auditor.remember(question)
            answered += groups
    assert told(answered, range(6)) == set()


@examples(150)
@given(histories, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_with_several_records_a_person_both_pictures_count(history, person_of):
    """Refused is what tells about one person by records, or by people as a whole."""
    auditor, records, answered = SumAuditor(), records_of(person_of), []
    names = {person: records.owners(np.array([person_of.index(person)])).tolist()[0] for person in set(person_of)}
    order = [names[person] for person in person_of]

    def tells(sets):
        whole = [{order[record] for record in each} for each in sets]
        return people_told(sets, order), told(whole, range(6))

    for groups in history:
        question = asked(*groups, records=records)
        more = tells([*answered, *groups]) != tells(answered)
        assert auditor.allows(question) == (not more)
        if not more:
            auditor.remember(question)
            answered += groups


def test_who_gets_a_second_record_is_still_the_same_person():
    """Everybody has one record at first; then the last gets another, whose number says nothing about the first."""
    records, auditor = records_of(range(6)), SumAuditor()
    auditor.remember(asked({0, 1, 2, 3, 4, 5}, records=records))
    records.add(records.unseen(np.array([1005], np.uint64), np.array([9], np.uint64)))
    assert not auditor.allows(asked({0, 1, 2, 3, 4, 6}, records=records))
    assert not auditor.allows(asked({0, 1, 2, 3, 4}, records=records))
    assert auditor.allows(asked({0, 1, 2}, records=records))


@examples(80)
@given(histories, st.sets(st.integers(0, 5)), st.booleans())
def test_what_was_answered_all_the_same_counts(history, later, judged):
    """Whether questions were judged before they are remembered makes no difference."""
    auditor, answered = SumAuditor(), []
    for groups in history:
        question = asked(*groups)
        if judged:
            auditor.allows(question)
        auditor.remember(question)
        answered += groups
    more = told([*answered, later], range(6)) - told(answered, range(6))
    assert auditor.allows(asked(later)) == (not more)


def test_judging_alone_leaves_no_trace():
    auditor = SumAuditor()
    for _ in range(2):
        assert auditor.allows(asked({1, 2}))
        assert auditor.allows(asked({2, 3, 1}))


def test_a_judgement_is_not_kept_for_a_later_state():
    auditor, first, second = SumAuditor(), asked({1, 2, 3}), asked({1, 2})
    assert auditor.allows(second)
    auditor.remember(first)
    auditor.remember(second)
    assert not auditor.allows(asked({3, 4}))


def test_columns_are_kept_apart():
    auditor = SumAuditor()
    auditor.remember(asked({1, 2, 3}))
    assert not auditor.allows(asked({1, 2}))
    assert auditor.allows(asked({1, 2}, column="age"))


@pytest.mark.parametrize("function", ["max", "min", "count"])
def test_means_count_as_sums_and_other_aggregates_do_not(function):
    auditor = SumAuditor()
    auditor.remember(asked({1}, function=function))
    assert auditor.allows(asked({1}, function=function))
    assert auditor.allows(asked({1, 2}))
    auditor.remember(asked({1, 2}, function="avg"))
    assert not auditor.allows(asked({1, 2, 3}))


def test_nobody_is_told_of_by_no_records():
    assert SumAuditor().allows(asked(set(), records=RecordNumbers()))
