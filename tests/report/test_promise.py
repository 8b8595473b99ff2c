from __future__ import annotations

from dataclasses import replace

from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.report.promise import Promise
from tests.report.releases import book, without_group_of


def test_a_kept_promise_names_the_weakest_group():
    promise = Promise.of(book(KAnonymity(k=3)).verdicts[0])
    assert promise.holds
    assert promise.finding == "Holds: at least 3 is required, and the weakest of 2 groups reaches 3."
    assert promise.meaning == KAnonymity.summary()
    assert promise.guards_against == ("finding the record of a known person",)
    assert Promise.of(book(KAnonymity(k=3)).verdicts[0], bucketized=True).guards_against == ()


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
