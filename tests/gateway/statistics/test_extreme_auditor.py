from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.gateway.statistics.extreme_auditor import ExtremeAuditor
from sfumato.gateway.statistics.stored_values import ComparableValue, to_plain
from tests.examples import examples
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
        auditor.record_answers(question, [ComparableValue.of(to_plain(one)) for one in answers])
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


@examples(60)
@given(st.lists(st.tuples(sets, st.sampled_from([2, 4])), max_size=2), sets)
def test_refuses_what_some_possible_answer_would_tell(known, later):
    """Against every table of five small numbers, with two candidates at the least.

    Where no earlier set has some people inside and some outside, nothing else is refused.
    """
    auditor, known = answered(known)
    dangerous = endangers(PEOPLE, known, [later], [1, 2, 3, 4, 5], 2)
    if largest(auditor, later):
        assert not dangerous
    elif all(chosen <= later or not chosen & later for chosen, _ in known):
        assert dangerous


def candidates(history: list[tuple[set[int], int]]) -> list[int]:
    """How many people of every set could have its largest value, if all answers hold."""
    bounds = {
        one: min(answer for chosen, answer in history if one in chosen)
        for one in set().union(*(chosen for chosen, _ in history))
    }
    return [sum(bounds[one] == answer for one in chosen) for chosen, answer in history]


@examples(150)
@given(st.randoms(use_true_random=False))
def test_while_values_change_answers_of_one_moment_tell_nobody(chance):
    """Answers since the last change hold together; so do all answers of people of whom none has changed."""
    people = range(8)
    values, changed = [chance.randrange(6) for _ in people], set[int]()
    auditor, every, since = ExtremeAuditor(2), list[tuple[set[int], int]](), list[tuple[set[int], int]]()
    for _ in range(12):
        if chance.random() < 0.2:
            one = chance.choice(people)
            values[one], since = chance.randrange(6), []
            changed.add(one)
        chosen = set(chance.sample(people, chance.randint(2, 8)))
        chosen = chance.choice(every)[0] if every and chance.random() < 0.3 else chosen
        answer = max(values[one] for one in chosen)
        if largest(auditor, chosen):
            largest(auditor, chosen, answers=[answer])
            every.append((chosen, answer))
            since.append((chosen, answer))
        unchanged = [(chosen, answer) for chosen, answer in every if not chosen & changed]
        for held in (since, unchanged):
            assert all(many >= 2 for many in candidates(held)), held


def test_an_answer_that_is_given_again_holds_again():
    """6 rose to 150 after nobody of 6 to 15 had more than 50; the other two answers are still the same."""
    auditor = ExtremeAuditor(5)
    for _ in range(2):
        assert largest(auditor, set(range(1, 6)), answers=[100])
        assert largest(auditor, set(range(16, 26)), answers=[14])
        if not largest(auditor, set(range(6, 16)), answers=[50]):
            break
        assert largest(auditor, set(range(1, 6)), answers=[100])
        assert largest(auditor, set(range(16, 26)), answers=[14])
        assert not largest(auditor, {*range(1, 7), *range(16, 21)})


def test_the_same_groups_are_answered_month_after_month():
    """Also when somebody's value is another one, and groups of one kind cross those of another."""
    auditor, values = ExtremeAuditor(2), [place % 7 for place in range(48)]
    rows = [set(range(row * 12, row * 12 + 12)) for row in range(4)]
    columns = [set(range(one, 48, 3)) for one in range(3)]
    for month in range(6):
        for groups in (rows, columns):
            assert largest(auditor, *groups, answers=[max(values[one] for one in group) for group in groups])
        values[month * 5] += 1


def test_an_answer_that_cannot_be_opens_nothing_about_others():
    """Whoever fell below an earlier largest value makes nobody forget what was said of all the others."""
    auditor = ExtremeAuditor(2)
    largest(auditor, set(range(1, 21)), answers=[51])
    largest(auditor, set(range(41, 51)), answers=[99])
    assert not largest(auditor, {*range(2, 21), *range(41, 56)})
    assert largest(auditor, set(range(41, 56)), answers=[40])
    assert not largest(auditor, set(range(2, 31)))
    assert not largest(auditor, {*range(41, 55), 60, 61})  # 55 would be left
    assert largest(auditor, set(range(41, 60)))
    assert largest(auditor, {60, 61})


@examples(40)
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


@pytest.mark.parametrize("kinds", [("max", "max"), ("sum", "sum"), ("max", "sum"), ("sum", "max")])
def test_stored_values_and_a_weaker_form_are_of_other_people(kinds):
    """Otherwise their difference tells, or an end of a range is taken for a value that has changed."""
    auditor = ExtremeAuditor(2)
    largest(auditor, {1, 2, 3}, answers=[7], function=kinds[0])
    assert not largest(auditor, {1, 2, 3}, function=kinds[1], form="Marketing")
    assert largest(auditor, {4, 5, 6}, function=kinds[1], form="Marketing", answers=[7])
    assert not largest(auditor, {4, 5, 6}, function=kinds[1])
    assert not largest(auditor, {4, 5, 6}, function=kinds[1], form="Planning")


def test_until_a_question_has_its_answer_others_of_the_same_people_wait():
    """Three at once, each judged without the answers of the others, would tell who has the largest value."""
    auditor = ExtremeAuditor(2)
    first = asked({1, 2, 3, 4, 5, 6}, function="max")
    assert auditor.allows(first)
    auditor.remember(first)
    assert not largest(auditor, {1, 2, 3})
    assert largest(auditor, {1, 2, 3, 4, 5, 6})
    assert largest(auditor, {7, 8, 9})
    assert largest(auditor, {1, 2, 3}, column="age")
    auditor.record_answers(first, [ComparableValue.of(7)])
    assert largest(auditor, {1, 2, 3})
    auditor.remember(first)  # asked again, and answered as before
    assert largest(auditor, {1, 2, 3})


@pytest.mark.parametrize("largest_of_all", [9999, math.inf, math.nan, Decimal("Infinity"), Decimal("NaN")])
def test_what_is_not_finite_bounds_the_others_too(largest_of_all):
    """Of nine 1 or 2 has it, since nobody else does; the largest value of a set with one of them would tell who."""
    auditor = ExtremeAuditor(2)
    assert largest(auditor, {1, 2, 3, 4, 5, 6, 7, 8, 9}, answers=[largest_of_all])
    assert largest(auditor, {3, 4, 5, 6, 7, 8, 9}, answers=[3000])
    assert not largest(auditor, {2, 6, 7, 8, 9})


def test_numbers_compare_as_the_engines_sort_them():
    values = [-math.inf, -5, Decimal("0.5"), 1, date(1970, 1, 3), 7.5, math.inf, math.nan]
    extents = [ComparableValue.of(to_plain(one)) for one in values]
    assert extents == sorted(extents)
    assert [one.negated() for one in reversed(extents)] == sorted(one.negated() for one in extents)
    assert ComparableValue.of(None) is None


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


def test_what_somebody_else_got_makes_nobody_forget_the_others():
    """3 had at most 29 before 1 was raised to 100, and 2 to 5 have at most 25: without the first, 6 would be told."""
    auditor = ExtremeAuditor(2)
    assert largest(auditor, {1, 2, 3, 4, 5, 6}, answers=[60])
    assert largest(auditor, {1, 2, 3, 7, 8, 9}, answers=[29])
    assert largest(auditor, {1, 2, 7, 8}, answers=[100])
    assert not largest(auditor, {2, 3, 4, 5})


def test_a_set_without_values_tells_nothing():
    auditor = ExtremeAuditor(2)
    question = asked({1, 2, 3}, function="max")
    auditor.remember(question)
    auditor.record_answers(question, [None])
    assert largest(auditor, {1, 2, 3})
