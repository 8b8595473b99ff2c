"""Releases: the verdict is about what is seen, suppressed rows are not, and everything else is for reading."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from sfumato.algorithms import Exhaustive, Mondrian
from sfumato.data.table import Table
from sfumato.datasets import hospital, hospital_schema
from sfumato.datasets.hospital import ROWS
from sfumato.errors import UsageError
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.operations.generalize import generalize_levels
from sfumato.releases.table_release import TableRelease

LEVELS = {"Job": 1, "Sex": 0, "Age": 1}


def test_a_verdict_names_failing_groups_by_size_and_level_only() -> None:
    """Book, Table 2.4: the three men have hepatitis twice and HIV once, the four women HIV and flu."""
    candidate = generalize_levels(hospital(), LEVELS)
    verdict = KAnonymity(k=4).check(candidate.view)
    assert (verdict.holds, verdict.level, verdict.required) == (False, 3.0, 4.0)
    assert (verdict.failing_groups, verdict.failing_records, verdict.witnesses) == (1, 3, ((3, 3.0),))
    assert "HIV" not in json.dumps(verdict.to_dict())


def test_suppressed_rows_are_not_seen() -> None:
    candidate = generalize_levels(hospital(), LEVELS)
    men = candidate.published.codes["Sex"] == hospital().domain("Sex").code_of("Male")
    smaller = candidate.suppressing(men)
    assert smaller.suppressed_records == 3
    assert smaller.published_rows.records == 4
    assert smaller.groups().sizes.tolist() == [4]
    assert sorted(candidate.groups().sizes.tolist()) == [3, 4]


def test_groups_by_some_columns_are_larger() -> None:
    candidate = generalize_levels(hospital(), {"Job": 0, "Sex": 0, "Age": 0})
    assert candidate.groups(["Sex"]).sizes.min() >= candidate.groups().sizes.min()
    assert candidate.groups(["Sex"]) is candidate.groups(["Sex"])


def test_a_release_says_how_it_came_about() -> None:
    release = Mondrian(cut="median").anonymize(hospital(), KAnonymity(k=3) & DistinctLDiversity(l=2), seed=5)
    assert release.provenance["algorithm"] == {"name": "mondrian", "cut": "median"}
    assert release.provenance["models"] == [{"name": "k_anonymity", "k": 3}, {"name": "distinct_l_diversity", "l": 2}]
    assert release.provenance["seed"] == 5
    assert release.holds
    assert release.parts["table"].records == 7
    assert release.report().holds


def test_plain_rows_have_no_records_to_write() -> None:
    release = Mondrian().anonymize(hospital(), KAnonymity(k=3))
    with pytest.raises(UsageError, match="made from plain rows"):
        release.frame()


def test_a_frame_comes_back_with_its_rows_in_place() -> None:
    frame = pd.DataFrame(ROWS, index=[7, 3, 5, 11, 2, 1, 0])
    table = Table.from_frame(frame, hospital_schema())
    published = Exhaustive().anonymize(table, KAnonymity(k=4), suppression=3 / 7).frame()
    assert published.index.tolist() == frame.index.tolist()
    gone = published.isna().all(axis=1)
    assert gone.tolist() == [True, True, True, False, False, False, False]
    assert published.loc[~gone, "Disease"].tolist() == frame.loc[~gone.to_numpy(), "Disease"].tolist()


def test_a_release_that_breaks_a_promise_says_so() -> None:
    candidate = generalize_levels(hospital(), LEVELS)
    release = TableRelease(candidate, (KAnonymity(k=4).check(candidate.view),), {})
    assert not release.holds
    assert np.array_equal(release.groups.sizes, candidate.groups().sizes)
