from __future__ import annotations

from dataclasses import replace

import pytest

from sfumato.data.schema import Schema
from sfumato.models import (
    ConfidenceBounding,
    DistinctLDiversity,
    KAnonymity,
    LkcPrivacy,
    TCloseness,
)
from sfumato.report.promise import Promise, Seen
from tests.report.releases import book, homogeneous, without_group_of

SCHEMA = Schema.of(quasi=["Job", "Sex", "Age"], sensitive=["Disease"], quasi_identifiers={"boss": ["Job", "Age"]})
FINDING = "finding the record of a known person"
LEARNING = "learning the sensitive value of a known person without finding the record"


def promise_of(model, **seen):
    """The promise of a model that holds for the release of the book."""
    verdict = replace(model.check(book().view), holds=True)
    return Promise.of(verdict, Seen(SCHEMA, **seen))


def test_a_kept_promise_names_the_weakest_group():
    promise = Promise.of(book(KAnonymity(k=3)).verdicts[0])
    assert promise.holds
    assert promise.finding == "Holds: at least 3 is required, and the weakest of 2 groups reaches 3."
    assert promise.meaning == KAnonymity.summary()
    assert promise.guards_against == ("finding the record of a known person",)


def test_a_broken_promise_says_how_far_it_is_broken():
    promise = Promise.of(book(KAnonymity(k=4)).verdicts[0])
    assert not promise.holds
    assert "1 of 2 groups with 3 records fall short" in promise.finding


def test_a_promise_that_is_broken_by_little_does_not_look_kept():
    verdict = replace(book(KAnonymity(k=4)).verdicts[0], better="lower", required=0.6, level=0.60004)
    assert "at most 0.6 is required" in Promise.of(verdict).finding
    assert "the weakest reaches 0.60004." in Promise.of(verdict).finding
    near = replace(verdict, required=0.123456, level=0.12346)
    assert "at most 0.123456 is required" in Promise.of(near).finding
    assert "the weakest reaches 0.12346." in Promise.of(near).finding


def test_a_promise_says_how_it_reads_missing_values():
    plain, known = DistinctLDiversity(l=2), DistinctLDiversity(l=2, missing="no value")
    promises = [Promise.of(verdict) for verdict in book(plain, known).verdicts]
    assert promises[0].meaning.endswith("A missing value counts as a value of its own.")
    assert promises[1].meaning.endswith("A missing value does not count as a value, and a group needs a known one.")
    assert promises[1].described == "distinct_l_diversity(l=2, missing=no value)"


def test_a_model_from_elsewhere_is_reported_without_its_meaning():
    verdict = replace(book().verdicts[0], model={"name": "of_another_house"}, described="of_another_house()")
    assert Promise.of(verdict).meaning == ""


def test_what_the_process_guarantees_is_not_said_to_be_seen():
    verdict = replace(book().verdicts[0], evidence="accounted", better="lower", required=1.0, level=0.5)
    said = "by the account of the algorithm: at most 1 is required, and {} was spent."
    assert Promise.of(verdict).finding == "Holds " + said.format("0.5")
    assert Promise.of(replace(verdict, holds=False, level=2.0)).finding == "Fails " + said.format("2")


def test_a_release_of_nothing_keeps_its_promise_without_a_weakest_group():
    assert "no record is published" in Promise.of(without_group_of(7).verdicts[0]).finding


def test_a_broken_promise_protects_against_nothing():
    assert Promise.of(book(KAnonymity(k=4)).verdicts[0], Seen(SCHEMA)).guards_against == ()


def test_the_attacker_of_a_model_is_named():
    assert (
        promise_of(KAnonymity(k=3)).attacker == "An attacker may know all 3 quasi columns of a person: Job, Sex, Age."
    )
    by_boss = KAnonymity(k=1, quasi="boss").check(replace_schema(book().view))
    told = Promise.of(by_boss, Seen(SCHEMA))
    assert told.attacker == "An attacker may know 'Job', 'Age' of a person, and no other quasi column."
    assert told.limited
    few = promise_of(LkcPrivacy(l=2, k=2))
    assert (few.attacker, few.limited) == ("An attacker may know any 2 values of a person, of 3 quasi columns.", True)
    assert not promise_of(KAnonymity(k=3)).limited


def replace_schema(view):
    return replace(view, table=replace(view.table, schema=SCHEMA))


def test_a_bucketized_release_limits_what_is_learned_and_not_what_is_found():
    told = promise_of(DistinctLDiversity(l=2), bucketized=True, highest_risk=1.0)
    assert told.guards_against == (LEARNING,)
    assert told.not_against == ("It does not limit finding the record of a person: quasi values are not generalized.",)


@pytest.mark.parametrize("bucketized", [True, False])
def test_a_model_of_sizes_protects_where_records_look_alike(bucketized):
    assert promise_of(KAnonymity(k=3), bucketized=bucketized, highest_risk=1 / 3).guards_against == (FINDING,)


@pytest.mark.parametrize("model", [KAnonymity(k=1), DistinctLDiversity(l=1)])
def test_nobody_is_said_to_be_hidden_who_stands_alone(model):
    told = promise_of(model, highest_risk=1.0)
    assert FINDING not in told.guards_against
    assert "some records are alone" in told.not_against[0]


def test_groups_of_one_record_protect_nobody_from_being_found():
    told = promise_of(LkcPrivacy(l=1, k=1, c=0.9), highest_risk=0.1)
    assert told.guards_against == (LEARNING,)
    assert "groups of one record suffice" in told.not_against[0]


@pytest.mark.parametrize("model", [DistinctLDiversity(l=1), TCloseness(t=1), ConfidenceBounding(h=1)])
def test_a_value_that_is_certain_somewhere_is_not_said_to_be_protected(model):
    told = promise_of(model, highest_risk=0.5, certain=("Disease",))
    assert LEARNING not in told.guards_against
    assert "all records have the same value of 'Disease'" in told.not_against[-1]
    assert LEARNING in promise_of(model, highest_risk=0.5).guards_against


def test_a_bound_on_one_value_says_nothing_about_the_others():
    told = promise_of(ConfidenceBounding(h=0.9, value="HIV"), certain=("Disease",))
    assert told.guards_against == (LEARNING,)


def test_a_model_without_a_sensitive_column_does_not_claim_to_protect_one():
    assert promise_of(LkcPrivacy(l=3, k=2)).guards_against == (FINDING,)


def test_the_release_itself_says_what_is_seen():
    """Engineers, dancers and the lawyer are alike in their disease, and the lawyer is alone."""
    from sfumato.report.report import Report

    (told,) = Report.of_release(homogeneous()).promises
    assert told.guards_against == ()
    assert "alone" in told.not_against[0]
