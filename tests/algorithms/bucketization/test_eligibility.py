"""Eligibility: how many buckets there can be, against trying."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.eligibility import most_buckets, why_not
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import nine_patients


def by_trying(counts, l):
    """Take the most frequent values again and again, which never takes a value where another would do better."""
    left, buckets = sorted(counts, reverse=True), 0
    while sum(count > 0 for count in left) >= l:
        left = sorted([count - 1 for count in left[:l]] + left[l:], reverse=True)
        buckets += 1
    return buckets


@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(1, 4))
def test_as_many_buckets_as_can_be_filled(counts, l) -> None:
    assert most_buckets(np.array(counts), l) == by_trying(counts, l)


@pytest.mark.parametrize(
    ("secrets", "l", "said"),
    [
        ("aab", 3, "has 2 different values"),
        ("aaab", 2, "has 3 of 4 records, and l = 2 allows 2: allow 50.00%"),
        ("aabb", 2, ""),
    ],
)
def test_the_reason_names_no_value(secrets, l, said) -> None:
    table = Table.of_rows(
        Schema.of(quasi=["q"], sensitive=["s"]), {"q": list("wxyz"[: len(secrets)]), "s": [f"<{s}>" for s in secrets]}
    )
    found = why_not(table, "s", l)
    assert (said in found) if said else found == ""
    assert "<" not in found


def test_nine_patients_can_be_shared_out_in_threes() -> None:
    assert why_not(nine_patients(), "Disease", 3) == ""
    assert "allow" in why_not(nine_patients(), "Disease", 4)
