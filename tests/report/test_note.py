from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sfumato.algorithms import Mdav, OptimalLattice
from sfumato.algorithms.full_domain import level_search
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.models import KAnonymity, LkcPrivacy
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.report.note import homogeneous_share
from sfumato.report.report import Report
from sfumato.taxonomies import Tree
from tests.report.releases import book, bucketized, homogeneous, release_of, without_group_of


def texts(release, kind):
    return [note.text for note in Report.of_release(release).notes if note.kind == kind]


def test_a_broken_promise_comes_first():
    assert texts(book(KAnonymity(k=4)), "warning")[0].startswith("The release does not satisfy k_anonymity(k=4)")


def test_suppressed_records_are_counted():
    assert any(text.startswith("3 of 7 records (42.9%)") for text in texts(without_group_of(3), "warning"))


def test_groups_of_one_sensitive_value_are_warned_of():
    """Engineers (2), dancers (2) and the lawyer each share their disease with their whole group."""
    assert homogeneous_share(homogeneous(), "Disease") == pytest.approx(5 / 7)
    assert any("71.4% of the published records lie in groups" in text for text in texts(homogeneous(), "warning"))


def test_table_2_4_has_no_homogeneous_group():
    assert homogeneous_share(book(), "Disease") == 0
    assert not any("same value" in text for text in texts(book(), "warning"))


def test_a_column_that_says_nothing_is_warned_of():
    assert any(text.startswith("Column 'Sex' lost 100%") for text in texts(homogeneous(), "warning"))


def test_records_above_the_threshold_are_warned_of():
    assert any("above 20%" in text for text in texts(book(), "warning"))


def test_unchanged_sensitive_values_are_explained_as_intended():
    assert any("'Disease'" in text and "intended" in text for text in texts(book(), "note"))


def test_an_empty_release_is_homogeneous_nowhere():
    assert homogeneous_share(without_group_of(7), "Disease") == 0


def misnamed(level):
    ages = Tree(branches={"*": {"15-19": ["15", "20"], "21-25": ["21"]}})
    schema = Schema.of(quasi=["age"], taxonomies={"age": ages})
    table = Table.of_rows(schema, {"age": ["15", "20", "21"]})
    return release_of(generalize_levels(table, {"age": level}), KAnonymity(k=1))


def test_a_published_label_that_does_not_contain_its_values_is_warned_of():
    """20 stands under '15-19'; where that label is not published there is nothing to warn of."""
    assert any("1 label of 'age', such as '15-19'" in text for text in texts(misnamed(1), "warning"))
    assert not any("15-19" in text for text in (*texts(misnamed(0), "warning"), *texts(misnamed(2), "warning")))


def test_one_value_for_a_group_is_explained_and_not_called_a_loss_of_all_detail():
    people = {"age": [str(20 + place) for place in range(12)], "sex": ["m", "f"] * 6}
    release = Mdav().anonymize(Table.of_rows(Schema.of(quasi=["age", "sex"]), people), KAnonymity(k=3))
    assert not any("little information left" in text for text in texts(release, "warning"))
    (said,) = [text for text in texts(release, "note") if "'age', 'sex'" in text]
    assert "the mean of numbers and dates, and one category. It need not be the value of any person." in said


def masked(release, *columns):
    masks = [{"name": "noise", "columns": list(columns)}]
    return replace(release, provenance={**release.provenance, "masks": masks})


def test_masked_columns_are_not_said_to_be_published_unchanged():
    said = texts(masked(book(), "Disease"), "note")
    assert not any("published unchanged" in text for text in said)
    assert any("What this report calls the original is the table after masking" in text for text in said)


def test_finding_records_of_buckets_is_explained_and_no_warning():
    """Nine patients in buckets of three: records are found, and every disease is one of three."""
    (said,) = [text for text in texts(bucketized(), "note") if text.startswith("Quasi values are published unchanged")]
    assert "an attacker can be at most 33.3% sure of it" in said
    assert not any("re-identified" in text for text in texts(bucketized(), "warning"))


def test_numbers_of_a_stronger_attacker_are_explained():
    (said,) = [text for text in texts(book(LkcPrivacy(l=1, k=2)), "note") if "less than all quasi columns" in text]
    assert said.startswith("lkc_privacy(l=1, k=2) limits attackers who know less")
    assert not any("less than all quasi columns" in text for text in texts(book(), "note"))


def test_a_release_without_records_has_one_warning():
    assert texts(without_group_of(7), "warning") == ["All 7 records are suppressed: the release has no record."]


def test_values_that_are_certain_everywhere_are_not_said_to_be_limited():
    rows = {"job": ["a", "b"], "ill": ["flu", "gout"]}
    table = Table.of_rows(Schema.of(quasi=["job"], sensitive=["ill"]), rows)
    alone = generalize_groups(table, Partition.of_labels(np.arange(2, dtype=np.int32)), sets=True)
    (said,) = [text for text in texts(release_of(alone, KAnonymity(k=1)), "note") if text.startswith("Sensitive")]
    assert said == "Sensitive values ('ill') are published unchanged."


def test_what_a_search_over_levels_proved_is_said(monkeypatch: pytest.MonkeyPatch):
    proven = OptimalLattice().anonymize(hospital(), KAnonymity(k=3))
    checked = proven.provenance["search"]["checked"]
    (said,) = [text for text in texts(proven, "note") if "combinations of levels" in text]
    assert said == f"{checked} of 18 combinations of levels were looked at, and it is proven that none loses less."
    monkeypatch.setattr(level_search, "LISTED", 1)
    (said,) = [
        text
        for text in texts(OptimalLattice().anonymize(hospital(), KAnonymity(k=3)), "note")
        if "combinations of levels" in text
    ]
    assert said.startswith("The search ended after ")
    assert said.endswith("by its objective, and every combination loses at least 0.")
    assert not [text for text in texts(book(), "note") if "combinations of levels" in text]
