"""Centroids, against means and modes that are worked out anew every time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.loops.centroids import (
    DistanceTerms,
    distance_terms,
    distances,
    empty_centroids,
    farthest_first,
    fill_up,
    one_pass,
    own_distances,
)
from tests.algorithms.clustering.rows_of import small_rows


def middle(terms: DistanceTerms, members: list[int]) -> tuple[list[float], list[int]]:
    """The mean of every number and the commonest of every name, the lowest of equally common ones."""
    means = [int(places[members].astype(np.int64).sum()) / len(members) for places in terms.places]
    modes = [int(np.argmax(np.bincount(names[members] + 1))) - 1 for names in terms.names]
    return means, modes


def apart(terms: DistanceTerms, row: int, centre: tuple[list[float], list[int]]) -> float:
    means, modes = centre
    far = 0.0
    for places, mean in zip(terms.places, means, strict=True):
        far += min(float(terms.whole), abs(mean - float(places[row])))
    for names, mode, price in zip(terms.names, modes, terms.price, strict=True):
        far += float(price) if names[row] != mode else 0.0
    return far


@given(small_rows(max_rows=10), st.data())
def test_one_pass_puts_every_row_where_a_plain_one_does(rows, data):
    terms = distance_terms(rows.covers)
    many = data.draw(st.integers(1, min(rows.records, 4)))
    seeds = np.sort(np.array(data.draw(st.permutations(rows.each.tolist()))[:many]))
    row, group, counts, centroids = one_pass(terms, rows.counts, seeds)
    groups, left = [[seed] for seed in seeds.tolist()], rows.counts.copy()
    np.subtract.at(left, seeds, 1)
    expected = [(seed, place, 1) for place, seed in enumerate(seeds.tolist())]
    for one in np.flatnonzero(left).tolist():
        far = [apart(terms, one, middle(terms, members)) for members in groups]
        nearest = int(np.argmin(far))
        groups[nearest] += [one] * int(left[one])
        expected.append((one, nearest, int(left[one])))
    assert list(zip(row.tolist(), group.tolist(), counts.tolist(), strict=True)) == expected
    for place, members in enumerate(groups):
        means, modes = middle(terms, members)
        assert centroids.mean[:, place].tolist() == means
        assert centroids.mode[:, place].tolist() == modes
        assert centroids.size[place] == len(members)
    own = own_distances(terms, centroids, row, group)
    far = np.empty(many)
    for run, (one, place) in enumerate(zip(row, group, strict=True)):
        distances(terms, centroids, one, far)
        assert own[run] == far[place] == apart(terms, one, middle(terms, groups[place]))


@given(small_rows(), st.integers(1, 4), st.data())
def test_small_groups_are_filled_before_the_nearest_takes_all(rows, k, data):
    terms = distance_terms(rows.covers)
    centres = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=3)))
    blank = empty_centroids(terms, len(centres))
    sizes = np.array(data.draw(st.lists(st.integers(0, k), min_size=len(centres), max_size=len(centres))))
    centroids = blank._replace(
        mean=terms.places[:, centres].astype(np.float64),
        mode=np.ascontiguousarray(terms.names[:, centres]),
        size=sizes.copy(),
    )
    found = fill_up(terms, centroids, np.arange(len(rows)), rows.counts, k)
    expected = []
    for one in rows.each.tolist():
        far = [apart(terms, one, (terms.places[:, c].tolist(), terms.names[:, c].tolist())) for c in centres]
        wanting = [place for place, size in enumerate(sizes) if size < k] or range(len(centres))
        best = min(wanting, key=lambda place: (far[place], place))
        sizes[best] += 1
        expected.append((one, best))
    each = [(row, group) for row, group, many in zip(*found, strict=True) for _ in range(many)]
    assert sorted(each) == sorted(expected)


@given(small_rows(), st.data())
def test_each_centre_is_the_row_farthest_from_those_before(rows, data):
    terms = distance_terms(rows.covers)
    first, most = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(1, len(rows)))
    centres, nearest = farthest_first(terms, first, most)
    table = np.array(
        [
            [apart(terms, row, (terms.places[:, c].tolist(), terms.names[:, c].tolist())) for row in range(len(rows))]
            for c in centres
        ]
    )
    assert centres[0] == first
    for made in range(1, len(centres)):
        assert centres[made] == np.argmax(table[:made].min(axis=0))
    np.testing.assert_array_equal(nearest, np.argmin(table, axis=0))
    assert len(centres) == most or not table.min(axis=0).any()
