"""No two statements of a report contradict each other, whatever the release: sentences are compared with numbers."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from sfumato import Audit, Schema, Table
from sfumato.algorithms import Anatomy, Mdav, Mondrian, Slicing
from sfumato.cli.drawing import audit_text
from sfumato.data.partition import Partition
from sfumato.errors import SfumatoError
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity, LkcPrivacy, TCloseness
from sfumato.models.base import ATTACKS
from sfumato.operations.generalize import generalize_groups
from sfumato.releases.table_release import TableRelease
from sfumato.report.report import Report
from sfumato.report.summary import cost_of, left_of

FINDING, LEARNING = ATTACKS["record linkage"], ATTACKS["attribute linkage"]
ALGORITHMS = [Mondrian(), Mdav(), Anatomy(), Slicing()]
MODELS = [
    KAnonymity(k=1), KAnonymity(k=4), DistinctLDiversity(l=1), DistinctLDiversity(l=2), TCloseness(t=1),
    TCloseness(t=0.5), ConfidenceBounding(h=1), ConfidenceBounding(h=0.7), LkcPrivacy(l=1, k=4, c=0.9),
    LkcPrivacy(l=2, k=1, c=0.9), LkcPrivacy(l=2, k=3),
]  # fmt: skip
KINDS = ["records", "persons", "masked", "waived"]


def table_of(kind):
    """Sixty records in which one diagnosis is frequent, and one town has only that one."""
    random = np.random.default_rng(5)
    frame = pa.table(
        {
            "age": random.integers(20, 60, 60),
            "pay": random.integers(1, 9, 60),
            "ill": np.array(["flu", "flu", "gout", "cold", "asthma"])[random.integers(0, 5, 60)],
            "key": np.array([f"p{place % 40}" for place in range(60)]),
            "open": np.array(["yes" if place % 6 == 0 else "no" for place in range(60)]),
        }
    )
    more = {"persons": {"person": "key"}, "waived": {"waiver": "open"}}.get(kind, {})
    left_out = {"persons": ["open"], "waived": ["key"]}.get(kind, ["key", "open"])
    return Table.from_frame(frame.drop_columns(left_out), Schema.of(quasi=["age", "pay"], sensitive=["ill"], **more))


def releases():
    """Every algorithm with every model and kind of table that suits it; masked ones are said to be masked."""
    for algorithm, model, kind in product(ALGORITHMS, MODELS, KINDS):
        try:
            release = algorithm.anonymize(table_of(kind), model, suppression=0.3, seed=1)
        except SfumatoError:
            continue
        if kind == "masked":
            masks = [{"name": "noise", "columns": ["pay", "ill"]}]
            release = TableRelease(release.candidate, release.verdicts, {**release.provenance, "masks": masks})
        yield release
    table = table_of("records")
    everybody = generalize_groups(table, Partition.of_labels(np.arange(len(table), dtype=np.int32)), sets=True)
    nobody = everybody.suppressing(np.ones(len(table), dtype=bool))
    for candidate in (everybody, nobody):
        verdicts = tuple(model.check(candidate.view) for model in MODELS)
        yield TableRelease(candidate, verdicts, {})


RELEASES = list(releases())
REPORTS = [Report.of_release(release) for release in RELEASES]


def sentences(report):
    """Everything that a report says in words, without numbers of provenance."""
    said = [note.text for note in report.notes] + [*cost_of(report), *left_of(report)]
    for promise in report.promises:
        said += [promise.finding, promise.attacker, *promise.not_against]
    return said


def test_there_is_a_report_of_every_kind():
    kinds = {(report.bucketized, report.microaggregated, report.unit) for report in REPORTS}
    assert {(True, False, "records"), (False, True, "records"), (False, False, "persons")} <= kinds
    assert any("masks" in report.provenance for report in REPORTS)
    assert len(REPORTS) > 60


def test_nobody_is_protected_from_being_found_who_is_found_for_sure():
    for report in REPORTS:
        for promise in report.promises:
            if FINDING in promise.guards_against and not promise.limited:
                assert report.risk.prosecutor.highest < 1
            if promise.holds and report.risk.prosecutor.highest == 1 and "record linkage" in declared(promise):
                assert promise.limited or promise.not_against


def declared(promise):
    """The attacks that the class of a model declares."""
    return next(model.guards_against for model in MODELS if model.name() == promise.model["name"])


def test_no_value_is_protected_that_is_certain():
    for report in REPORTS:
        certain = any(found.highest >= 1 for found in report.confidences)
        for promise in report.promises:
            if LEARNING in promise.guards_against and not promise.limited:
                assert not certain


def test_a_failing_model_protects_against_nothing():
    failing = [promise for report in REPORTS for promise in report.promises if not promise.holds]
    assert failing
    assert all(promise.guards_against == () for promise in failing)


def test_certain_groups_and_highest_confidences_agree():
    for report in REPORTS:
        for found in report.confidences:
            assert (found.highest >= 1) == (report.homogeneous[found.column] > 0)
            assert found.average <= found.highest
            warned = [text for text in report.warnings if f"the same value of {found.column!r}" in text]
            assert bool(warned) == (found.highest >= 1)


def test_confidences_agree_with_the_note_on_sensitive_values():
    said = 0
    for report in REPORTS:
        text = " ".join(note.text for note in report.notes)
        for stated in re.findall(r"can be at most ([\d.]+)% sure", text):
            assert float(stated) == pytest.approx(100 * max(one.highest for one in report.confidences), abs=0.06)
            said += 1
    assert said >= sum(report.bucketized for report in REPORTS) > 0


def test_masked_columns_are_never_said_to_be_published_unchanged():
    masked = [report for report in REPORTS if "masks" in report.provenance]
    for report in masked:
        for column in report.columns:
            if column.name in ("pay", "ill"):
                assert column.treatment.startswith("masked by noise")
                assert "unchanged" not in column.treatment
        for text in sentences(report):
            assert not ("unchanged" in text and re.search(r"'(pay|ill)'", text))
    assert masked


def test_bucketized_releases_are_not_said_to_be_generalized_or_to_look_alike():
    for report in REPORTS:
        if report.bucketized:
            page = " ".join(report.html().split())
            assert "were generalized" not in page
            assert "share a bucket, at least" in page
            assert "look alike, at least" not in page
            assert not any("can be re-identified with a probability above" in text for text in report.warnings)
        else:
            assert "look alike, at least" in " ".join(report.html().split())
            assert not any("bucket" in text for text in sentences(report))
    assert {report.bucketized for report in REPORTS} == {True, False}


def test_what_the_first_sentence_says_of_values_and_groups_is_so():
    said = 0
    for report in REPORTS:
        page = " ".join(report.html().split())
        alike = "look alike." in page[: page.index("</header>")]
        said += alike
        assert not (alike and report.group_sizes.smallest < 2)
        assert not ("were generalized" in page and not report.detail_lost)
        assert ("without generalization" in page) == (
            not report.detail_lost and not report.bucketized and not report.microaggregated
        )
    assert said


def test_a_model_that_fails_is_not_stated_as_a_fact():
    for report in REPORTS:
        failing = sum(1 for promise in report.promises if not promise.holds and promise.meaning)
        assert report.html().count("Required, and not kept:") == 2 * failing


def test_the_smallest_group_and_the_highest_chance_agree():
    for report in REPORTS:
        if not report.bucketized and report.group_sizes.groups:
            assert report.risk.prosecutor.highest == pytest.approx(1 / report.group_sizes.smallest, rel=0.01)


def test_risk_bands_agree_with_the_risks():
    for report in REPORTS:
        shown = sum(band.after for band in report.risk_bands)
        assert shown == pytest.approx(1.0 if report.group_sizes.groups else 0.0, abs=0.01)
        alone = report.risk_bands[0].after
        assert (alone > 0) == (report.risk.prosecutor.highest == 1)


def test_a_release_without_records_claims_no_published_values():
    (empty,) = [report for report in REPORTS if not report.published_records]
    assert not any("published unchanged" in text for text in sentences(empty))
    assert empty.warnings == ("All 60 records are suppressed: the release has no record.",)


def test_limited_attackers_are_explained_where_numbers_are_of_others():
    for report in REPORTS:
        limited = [promise for promise in report.promises if promise.limited]
        assert bool(limited) == any("less than all quasi columns" in note.text for note in report.notes) or (
            not report.published_records
        )


@pytest.mark.parametrize("algorithm", [Mondrian(), Anatomy()], ids=str)
def test_the_command_line_says_what_the_models_limit(algorithm, tmp_path):
    """Records of buckets are found for sure, which stands beside models that hold."""
    release = algorithm.anonymize(table_of("records"), DistinctLDiversity(l=2), suppression=0.3, seed=1)
    release.write(tmp_path / "out.csv")
    linkage = release.recoding.linkage
    secrets = next(iter(tmp_path.glob("*sensitive*")), None)
    audit = Audit.of_file(
        tmp_path / "out.csv", quasi=["age", "pay"], sensitive=["ill"],
        bucket=linkage.bucket_column, blocks=linkage.blocks, sensitive_table=secrets,
    )  # fmt: skip
    said = audit_text(audit.judged(DistinctLDiversity(l=2)), [])
    assert ("Re-identification risk, by values that are not generalized" in said) == linkage.cut
