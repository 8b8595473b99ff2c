"""The kernel against the sum over all pairs that it is, person by person."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.datasets import hospital
from sfumato.errors import ParameterError
from sfumato.groups import Groups
from sfumato.knowledge import kernel_prior as module
from sfumato.knowledge.kernel_prior import distances, kernel_prior
from sfumato.schema import Schema
from sfumato.table import Table
from tests.strategies import small_tables


def by_pairs(table: Table, bandwidth: float) -> np.ndarray:
    """Of every row the share of each value among all records, each weighed by one kernel after the other."""
    apart = {name: distances(table, name) for name in table.schema.quasi}
    found = np.zeros((len(table), len(table.domain("s0"))))
    for mine in range(len(table)):
        for other in range(len(table)):
            weight = float(table.counts[other])
            for name, matrix in apart.items():
                x = matrix[table.codes[name][mine], table.codes[name][other]]
                weight *= 3 / (4 * bandwidth) * (1 - (x / bandwidth) ** 2) if x < bandwidth else 0
            found[mine, table.codes["s0"][other]] += weight
    return found / found.sum(axis=1, keepdims=True)


@given(small_tables(max_sensitive=1, max_repeats=3), st.sampled_from([0.01, 0.3, 0.7, 1.0, 5.0]))
def test_like_all_pairs(table, bandwidth):
    priors, codes = kernel_prior(table, bandwidth, "prior")
    np.testing.assert_allclose(priors.chances[codes], by_pairs(table, bandwidth), atol=1e-12)


@given(small_tables(max_sensitive=1, max_repeats=3))
def test_who_knows_everything_knows_who_agrees(table):
    priors, codes = kernel_prior(table, 1e-6, "prior")
    groups = Groups.of(table, table.schema.quasi)
    shares = groups.histogram("s0").dense(0, len(groups)) / groups.sizes[:, None]
    np.testing.assert_allclose(priors.chances[codes], shares[groups.labels], atol=1e-12)


def test_who_knows_nothing_knows_the_shares():
    priors, _ = kernel_prior(hospital(), 1e9, "prior")
    np.testing.assert_allclose(priors.chances, [[1 / 7, 4 / 7, 2 / 7]] * len(priors))


def test_in_parts(monkeypatch):
    whole, codes = kernel_prior(hospital(), 0.8, "prior")
    monkeypatch.setattr(module, "_CELLS", 1)
    parts, same = kernel_prior(hospital(), 0.8, "prior")
    np.testing.assert_allclose(parts.chances[same], whole.chances[codes])


def test_a_number_half_way():
    """At half the bandwidth one counts 1 - 1/4 of a neighbour at none."""
    rows = {"age": ["0", "5", "10"], "ill": ["a", "b", "b"]}
    table = Table.of_rows(Schema.of(quasi=["age"], sensitive=["ill"]), rows)
    priors, codes = kernel_prior(table, 1.0, "prior")
    assert priors.chances[codes[0]] == pytest.approx([1 / 1.75, 0.75 / 1.75])


def test_distances():
    rows = {"age": ["0", "5", "20", None], "town": ["a", "b", "b", "a"], "ill": ["x"] * 4}
    table = Table.of_rows(Schema.of(quasi=["age", "town"], sensitive=["ill"]), rows)
    assert distances(table, "age").tolist() == [[0, 0.25, 1, 1], [0.25, 0, 0.75, 1], [1, 0.75, 0, 1], [1, 1, 1, 0]]
    assert distances(table, "town").tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("bandwidth", [0, -1, float("nan"), float("inf")])
def test_what_is_no_bandwidth(bandwidth):
    with pytest.raises(ParameterError, match="'bandwidth' must be a number > 0"):
        kernel_prior(hospital(), bandwidth, "prior")
