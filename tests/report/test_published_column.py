from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.labels import Labels
from sfumato.data.schema import Column, Role
from sfumato.recodings.recoding import ValueRecoding
from sfumato.report.published_column import PublishedColumn, spread
from tests.report.releases import book, without_group_of


def test_job_of_table_2_4_before_and_after():
    """Professional (3 records) reads as 1.5 engineers and 1.5 lawyers, Artist (4) as 2 dancers and 2 writers."""
    found = PublishedColumn.of_quasi(book().candidate, "Job", 0.25).distribution
    shares = dict(zip(found.places, zip(found.before, found.after, strict=True), strict=True))
    assert shares["Engineer"] == (0.286, 0.214)  # 2 / 7 and 1.5 / 7
    assert shares["Lawyer"] == (0.143, 0.214)
    assert shares["Dancer"] == (0.286, 0.286)
    assert found.shift == pytest.approx(0.5 / 7, abs=0.001)
    assert [(share.label, share.share) for share in found.labels] == [
        ("Artist", pytest.approx(4 / 7)),
        ("Professional", pytest.approx(3 / 7)),
    ]


def test_shares_after_are_shares_of_what_is_published():
    found = PublishedColumn.of_quasi(without_group_of(3).candidate, "Job", 0.0)
    assert [(share.label, share.share) for share in found.distribution.labels] == [("Artist", 1.0)]
    assert found.published_values == 1
    assert found.distribution.more_labels == 0  # labels that only suppressed records have are not counted
    assert sum(found.distribution.after) == pytest.approx(1)


def test_a_column_at_level_0_is_published_as_it_is():
    assert PublishedColumn.of_quasi(book().candidate, "Sex", 0.0).treatment == "published unchanged"


@pytest.mark.parametrize(
    ("column", "treatment"),
    [
        (Column(name="n", role=Role.IDENTIFIER), "removed"),
        (Column(name="n", role=Role.IDENTIFIER, pseudonym=True), "replaced by pseudonyms"),
        (Column(name="n", role=Role.SENSITIVE), "published unchanged, as intended"),
        (Column(name="n", role=Role.TARGET), "published unchanged"),
        (Column(name="n"), "published unchanged"),
    ],
)
def test_other_columns_show_no_values(column, treatment):
    found = PublishedColumn.of_other(column, ValueRecoding({}, {}))
    assert found.treatment == treatment
    assert (found.distribution, found.values, found.loss) == (None, None, None)


@given(
    st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=5),
    st.lists(st.integers(0, 9), min_size=5, max_size=5),
)
def test_spreading_equals_one_loop_over_labels(sets, weights):
    domain, _ = Domain.of("c", list("abcdef"))
    members = np.zeros((len(sets), 6), dtype=bool)
    for place, codes in enumerate(sets):
        members[place, list(codes)] = True
    labels, index = Labels.of_sets(domain, None, *np.nonzero(members))
    mass, slow = np.zeros(len(labels)), [0.0] * 6
    for place, codes in enumerate(sets):
        mass[index[place]] += weights[place]
        for code in codes:
            slow[code] += weights[place] / len(codes)
    assert spread(labels, mass).tolist() == pytest.approx(slow)
