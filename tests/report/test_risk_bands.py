from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.schema import Schema
from sfumato.disclosure.groups import Groups
from sfumato.report.risk_bands import risk_bands


def groups_of(*sizes):
    return Groups.of_sizes(Schema.of(), np.array(sizes, dtype=np.int64))


def test_every_size_is_in_its_band():
    """Ten records alone, and groups at both ends of every band."""
    bands = risk_bands(groups_of(*[1] * 10), groups_of(1, 2, 3, 4, 5, 9, 10, 19, 20, 99, 100, 1000))
    total = 1 + 2 + 7 + 14 + 29 + 119 + 1100
    assert [band.before for band in bands] == [1.0, 0, 0, 0, 0, 0, 0]
    expected = [1, 2, 7, 14, 29, 119, 1100]
    assert [band.after for band in bands] == [pytest.approx(size / total, rel=0.005) for size in expected]


def test_bands_are_named_by_sizes_and_chances():
    named = [(band.sizes, band.chances) for band in risk_bands(groups_of(), groups_of())]
    assert named == [
        ("1", "100%"),
        ("2", "50%"),
        ("3–4", "25–33%"),
        ("5–9", "11–20%"),
        ("10–19", "5–10%"),
        ("20–99", "1–5%"),
        ("≥100", "≤1%"),
    ]


def test_no_groups_have_no_shares():
    assert {band.after for band in risk_bands(groups_of(3), groups_of())} == {0.0}
