from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.gateway.auditing import AggregateQuestion
from sfumato.gateway.record_sets import RecordSet
from sfumato.gateway.sum_auditor import SumAuditor
from tests.oracles.sums_that_tell import told


def total(*groups, **changes):
    """The sum of scores over each of these groups of records."""
    question = AggregateQuestion(
        who="ada",
        purpose="research",
        table="scores",
        function="sum",
        column="score",
        sets=tuple(RecordSet.of(sorted(group)) for group in groups),
        population=5,
    )
    return replace(question, **changes)


def test_a_sum_over_one_record_is_refused():
    judgement = SumAuditor().judge(total({4}))
    assert not judgement.allowed
    assert judgement.reason.startswith("SumAuditor: ")


def test_the_newcomer_is_told_only_to_whoever_knew_the_one_before():
    """Table 17.1 and 17.2 of Fung, Wang, Fu and Yu (2011): the fifth record comes later."""
    after = total({4, 5})
    assert SumAuditor().judge(after).allowed
    auditor = SumAuditor()
    auditor.remember(total({4}, function="avg", population=4))
    assert not auditor.judge(after).allowed


histories = st.lists(st.lists(st.sets(st.integers(1, 6)), min_size=1, max_size=2), max_size=7)


@settings(max_examples=150, deadline=None)
@given(histories)
def test_refuses_exactly_what_would_tell_a_value(history):
    auditor, answered = SumAuditor(), []
    for groups in history:
        wouldtell = told([*answered, *groups], range(1, 7))
        question = total(*groups)
        assert auditor.judge(question).allowed == (not wouldtell)
        if not wouldtell:
            auditor.remember(question)
            answered += groups
    assert told(answered, range(1, 7)) == set()


@settings(max_examples=80, deadline=None)
@given(histories, st.sets(st.integers(1, 6)), st.booleans())
def test_what_was_answered_all_the_same_counts(history, asked, judged):
    """Whether questions were judged before they are remembered makes no difference."""
    auditor, answered = SumAuditor(), []
    for groups in history:
        question = total(*groups)
        if judged:
            auditor.judge(question)
        auditor.remember(question)
        answered += groups
    more = told([*answered, asked], range(1, 7)) - told(answered, range(1, 7))
    assert auditor.judge(total(asked)).allowed == (not more)


def test_judging_alone_leaves_no_trace():
    auditor = SumAuditor()
    for _ in range(2):
        assert auditor.judge(total({1, 2})).allowed
        assert auditor.judge(total({2, 3, 1})).allowed


def test_a_judgement_is_not_kept_for_a_later_state():
    auditor, first, second = SumAuditor(), total({1, 2, 3}), total({1, 2})
    assert auditor.judge(second).allowed
    auditor.remember(first)
    auditor.remember(second)
    assert not auditor.judge(total({3, 4})).allowed


@pytest.mark.parametrize("changes", [{"who": "bob"}, {"purpose": "care"}, {"table": "other"}, {"column": "age"}])
def test_people_purposes_tables_and_columns_are_kept_apart(changes):
    auditor = SumAuditor()
    auditor.remember(total({1, 2, 3}))
    assert not auditor.judge(total({1, 2})).allowed
    assert auditor.judge(total({1, 2}, **changes)).allowed


def test_means_count_as_sums_and_other_aggregates_do_not():
    auditor = SumAuditor()
    auditor.remember(total({1}, function="max"))
    assert auditor.judge(total({1}, function="count")).allowed
    assert auditor.judge(total({1, 2})).allowed
    auditor.remember(total({1, 2}, function="avg"))
    assert not auditor.judge(total({1, 2, 3})).allowed
