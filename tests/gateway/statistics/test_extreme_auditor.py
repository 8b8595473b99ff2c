from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.gateway.statistics.extreme_auditor import ExtremeAuditor
from tests.gateway.statistics.people import asked, records_of
from tests.oracles.extremes_that_tell import endangers, tables

PEOPLE = 5
VALUES = range(8)
"""There is one below the least answer, one between any two, and one above the largest."""


def largest(auditor: ExtremeAuditor, *groups, answers=(), function: str = "max", **given) -> bool:
    question = asked(*groups, function=function, **given)
    allowed = auditor.allows(question)
    if answers:
        auditor.remember(question)
        auditor.answered(question, [Fraction(one) for one in answers])
    return allowed


sets = st.sets(st.integers(0, PEOPLE - 1), min_size=1)


def answered(history):
    """An auditor that was asked all this, and what it let be answered."""
    auditor, known = ExtremeAuditor(2), []
    for chosen, answer in history:
        if largest(auditor, chosen):
            known.append((chosen, answer))
            assume(next(tables(PEOPLE, known, VALUES), None) is not None)
            largest(auditor, chosen, answers=[answer])
    return auditor, known


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sets, st.sampled_from([2, 4])), max_size=2), sets)
def test_refuses_what_some_possible_answer_would_tell(known, later):
    """Against every table of five small numbers, with two candidates at the least."""
    auditor, known = answered(known)
    assert largest(auditor, later) == (not endangers(PEOPLE, known, [later], [1, 2, 3, 4, 5], 2))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(sets, st.sampled_from([2, 4])), max_size=2), st.sets(st.integers(0, 4), min_size=2))
def test_groups_are_judged_together(known, members):
    """Several sets at once are never answered where some possible answers would tell."""
    auditor, known = answered(known)
    ordered = sorted(members)
    groups = [set(ordered[: len(ordered) // 2]), set(ordered[len(ordered) // 2 :])]
    if largest(auditor, *groups):
        assert not endangers(PEOPLE, known, groups, [1, 2, 3, 4, 5], 2)


def test_one_person_never_has_it_alone():
    assert not largest(ExtremeAuditor(1), {3})
    assert largest(ExtremeAuditor(1), {3, 4})


def test_the_same_question_is_answered_again():
    auditor = ExtremeAuditor(2)
    assert largest(auditor, {1, 2, 3}, answers=[7])
    assert largest(auditor, {1, 2, 3})


def test_people_with_several_records_count_once():
    records = records_of([0, 0, 0, 1, 2])
    assert not largest(ExtremeAuditor(2), {0, 1, 2}, records=records)
    assert largest(ExtremeAuditor(2), {0, 3}, records=records)


@pytest.mark.parametrize(
    ("first", "second"), [("max", "min"), ("min", "max"), ("sum", "max"), ("max", "sum"), ("avg", "min")]
)
def test_sums_least_and_largest_values_are_of_other_people(first, second):
    auditor = ExtremeAuditor(2)
    largest(auditor, {1, 2, 3}, answers=[7], function=first)
    assert not largest(auditor, {3, 4, 5}, function=second)
    assert largest(auditor, {4, 5, 6}, function=second)
    assert largest(auditor, {3, 4, 5}, function=second, column="age")


def test_counts_tell_nothing_here():
    auditor = ExtremeAuditor(2)
    largest(auditor, {1, 2, 3}, answers=[7])
    assert largest(auditor, {1}, function="count")


def test_the_least_value_is_the_largest_with_its_sign_turned():
    """Whoever is in two sets has the smaller bound, so the candidates of the other set are the rest of it."""
    for function, answers in (("max", (7, 9)), ("min", (-7, -9))):
        auditor = ExtremeAuditor(2)
        assert largest(auditor, {1, 2, 3}, answers=answers[:1], function=function)
        assert not largest(auditor, {3, 4}, function=function)
        assert largest(auditor, {3, 4, 5}, answers=answers[1:], function=function)


def test_an_answer_that_cannot_be_says_that_values_have_changed():
    """Nobody of four had more than 7, and now two of them have 9: what was said before does not bound them any more."""
    auditor = ExtremeAuditor(2)
    largest(auditor, {1, 2, 3, 4}, answers=[7])
    largest(auditor, {1, 2}, answers=[9])
    assert largest(auditor, {1, 2, 3, 4})
    assert not largest(auditor, {2, 3})


def test_a_set_without_values_tells_nothing():
    auditor = ExtremeAuditor(2)
    question = asked({1, 2, 3}, function="max")
    auditor.remember(question)
    auditor.answered(question, [None])
    assert largest(auditor, {1, 2, 3})
