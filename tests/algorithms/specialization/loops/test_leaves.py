"""Kernels of top-down search against plain twins."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.specialization.loops.leaves import (
    NOTHING,
    best_cut,
    class_counts,
    count_all,
    count_values,
    number_leaves,
    rows_by_code,
    rows_in,
    smallest_group,
    smallest_listed_group,
    split_all,
    split_listed,
)
from sfumato.metrics.information_gain import gain


@st.composite
def searches(draw):
    """Rows in leaves, with codes of which some are parted and the others not concerned."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, leaves, domain, parts = draw(st.integers(0, 60)), 4, 6, draw(st.integers(1, 3))
    codes = random.integers(0, domain, rows).astype(np.uint32)
    part_of = random.integers(0, parts + 1, domain).astype(np.uint32)
    leaf = random.integers(0, leaves // 2, rows) * 2 + (part_of[codes] == parts)  # a leaf is concerned, or is not
    counts = random.integers(1, 5, rows).astype(np.int64)
    return leaf.astype(np.uint32), codes, counts, part_of, parts + 1, leaves


def plain(leaf, codes, counts, part_of) -> Counter:
    found = Counter()
    for row in range(len(leaf)):
        found[int(leaf[row]), int(part_of[codes[row]])] += int(counts[row])
    return found


@given(searches())
def test_counting(search) -> None:
    leaf, codes, counts, part_of, parts, leaves = search
    found, expected = count_all(leaf, codes, counts, part_of, parts, leaves), plain(leaf, codes, counts, part_of)
    assert {divmod(at, parts): count for at, count in enumerate(found.tolist()) if count} == dict(expected)
    concerned = [count for (_, part), count in expected.items() if part < parts - 1]
    assert smallest_group(found, parts) == min(concerned, default=NOTHING)
    once, ones = count_all(leaf, codes, counts[:0], part_of, parts, leaves), np.ones_like(counts)
    assert once.tolist() == count_all(leaf, codes, ones, part_of, parts, leaves).tolist()
    values = np.arange(len(codes), dtype=np.uint32) % 3
    by_value = count_values(leaf, codes, counts, part_of, parts, leaves, values, 3)
    assert by_value.sum(axis=1).tolist() == found.tolist()
    assert by_value.sum(axis=0).tolist() == [int(counts[values == value].sum()) for value in range(3)]


@given(searches(), st.integers(0, 2**32 - 1))
def test_counting_some_rows(search, seed: int) -> None:
    leaf, codes, counts, part_of, parts, leaves = search
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(leaf)) < 0.5).astype(np.uint32)
    scratch = np.zeros(leaves * parts, dtype=np.int64)
    expected = plain(leaf[rows], codes[rows], counts[rows], part_of)
    concerned = [count for (_, part), count in expected.items() if part < parts - 1]
    found = smallest_listed_group(rows, leaf[rows], codes, counts[rows], part_of, parts, scratch)
    assert found == min(concerned, default=NOTHING)
    once = plain(leaf[rows], codes[rows], np.ones_like(counts), part_of)
    concerned = [count for (_, part), count in once.items() if part < parts - 1]
    assert smallest_listed_group(rows, leaf[rows], codes, counts[:0], part_of, parts, scratch) == min(
        concerned, default=NOTHING
    )
    assert not scratch.any()


@given(searches())
def test_parting_all_rows_and_listed_ones(search) -> None:
    """Rows are together afterwards if they were before and are in the same part; sizes are what they say."""
    leaf, codes, counts, part_of, parts, leaves = search
    wanted = list(zip(leaf.tolist(), part_of[codes].tolist(), strict=True))
    found = count_all(leaf, codes, counts, part_of, parts, leaves)
    becomes, sizes = np.empty(leaves * parts, dtype=np.uint32), np.zeros(leaves * parts, dtype=np.int64)
    total = number_leaves(found, parts, leaves, becomes, sizes)
    one = leaf.copy()
    split_all(one, codes, part_of, parts, becomes)

    listed = np.flatnonzero(part_of[codes] < parts - 1).astype(np.uint32)
    other, room = leaf.copy(), np.zeros(leaves * (parts + 1), dtype=np.uint32)
    measured = np.zeros(leaves * parts, dtype=np.int64)
    measured[:leaves] = np.bincount(leaf, weights=counts, minlength=leaves)
    assert split_listed(listed, other, codes, counts, part_of, parts, room, measured, leaves) == total
    assert not room.any()
    for labels, held in ((one, sizes), (other, measured)):
        assert len(set(zip(labels.tolist(), wanted, strict=True))) == len(set(wanted)) == len(set(labels.tolist()))
        for label in set(labels.tolist()):
            assert held[label] == counts[labels == label].sum()


@given(searches())
def test_lists_of_rows(search) -> None:
    leaf, codes, _, _, _, leaves = search
    rows, starts = rows_by_code(codes, 6)
    assert [codes[rows[starts[code] : starts[code + 1]]].tolist() for code in range(6)] == [
        [code] * int((codes == code).sum()) for code in range(6)
    ]
    assert sorted(rows.tolist()) == list(range(len(codes)))
    chosen = np.arange(leaves) % 2 == 0
    assert rows_in(leaf, chosen, len(leaf)).tolist() == np.flatnonzero(chosen[leaf]).tolist()


@given(searches())
def test_classes(search) -> None:
    leaf, codes, counts, *_ = search
    found = class_counts(codes, leaf, counts, 6, 4)
    assert np.array_equal(
        class_counts(codes, leaf, counts[:0], 6, 4), class_counts(codes, leaf, np.ones_like(counts), 6, 4)
    )
    assert {(c, k): n for (c, k), n in np.ndenumerate(found) if n} == dict(plain(codes, leaf, counts, np.arange(4)))


def binary_gains(counts) -> np.ndarray:
    """The gain of cutting before the second, third, ... and last row."""
    sides = [(counts[:cut].sum(axis=0), counts[cut:].sum(axis=0)) for cut in range(1, len(counts))]
    return np.array([gain(np.stack(both)) for both in sides])


def test_c3_cuts_of_working_hours() -> None:
    """Golden C3: gains of every cut of the hours (book, section 6.3.2.2; only the one at 37 is printed)."""
    hours = np.array([[0, 3], [0, 4], [2, 3], [3, 1], [4, 2], [12, 0]])
    assert best_cut(hours, 0, 5) == (3, pytest.approx(0.3584, abs=5e-5))
    assert binary_gains(hours) == pytest.approx([0.1326, 0.3528, 0.3584, 0.2716, 0.3281], abs=5e-5)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=12), st.data())
def test_the_best_cut(rows, data) -> None:
    counts = np.array(rows, dtype=np.int64)
    first = data.draw(st.integers(0, len(rows) - 1))
    last = data.draw(st.integers(first, len(rows) - 1))
    codes = [code for code in range(first, last + 1) if counts[code].any()]
    place, told = best_cut(counts, first, last)
    if len(codes) < 2:
        assert place == -1
        return
    gains = binary_gains(counts[codes])
    best = int(np.flatnonzero(gains >= gains.max() - 1e-12)[0])
    assert (place, round(told, 9)) == (codes[best + 1], round(float(gains[best]), 9))
