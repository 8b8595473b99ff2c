"""What every clusterer promises."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.errors import ParameterError, UsageError
from sfumato.evaluation.clusterers.base import scikit
from sfumato.settings.catalogue import entries, names
from tests.evaluation.clusterers.blobs import blobs
from tests.examples import examples

KINDS = [entry.thing for entry in entries("clusterers")]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name())


def test_the_names_that_are_promised():
    assert {"k_means", "bisecting_k_means", "hierarchical"} <= set(names("clusterers"))


@every_kind
def test_plain_clusters_are_found(kind):
    points, where = blobs()
    found = kind(clusters=3).labels(points)
    assert found.dtype == np.int32
    assert found.tolist() == where.tolist()


@every_kind
def test_the_same_seed_gives_the_same_answer(kind):
    points = np.random.default_rng(3).random((300, 4))
    first, second = (kind(clusters=7, seed=5).labels(points) for _ in range(2))
    assert first.tolist() == second.tolist()
    assert sorted(set(first.tolist())) == list(range(7))


@every_kind
@given(
    points=arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.sampled_from([0.0, 1, 5])),
    clusters=st.integers(1, 6),
)
@examples(30)
def test_equal_points_share_a_cluster_and_none_is_missing(kind, points, clusters):
    found = kind(clusters=clusters).labels(points, np.arange(1, len(points) + 1))
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    together = {(point, label) for point, label in zip(place.reshape(-1).tolist(), found.tolist(), strict=True)}
    assert len(together) == len(distinct)
    assert set(found.tolist()) == set(range(min(clusters, len(distinct))))
    assert [label for at, label in enumerate(found.tolist()) if label not in found[:at]] == sorted(set(found.tolist()))


@every_kind
def test_points_that_all_but_coincide_raise_no_warning(kind):
    points = np.array([[0.0], [1e-300], [2e-300], [1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kind(clusters=3).labels(points)
    assert found[3] not in found[:3]


@every_kind
def test_what_is_given_stays_as_it_was(kind):
    points, _ = blobs()
    weights = np.ones(len(points))
    before = points.tobytes(), weights.tobytes()
    kind(clusters=2).labels(points, weights)
    assert before == (points.tobytes(), weights.tobytes())


@pytest.mark.parametrize(
    ("points", "weights", "complaint"),
    [
        (np.zeros(3), None, "matrix"),
        (np.zeros((3, 1)), np.ones(2), "one weight per row"),
        (np.zeros((0, 2)), None, "no points"),
        (np.array([[np.nan], [1.0]]), None, "finite"),
        (np.zeros((2, 1)), np.array([1.0, 0.0]), "above 0"),
    ],
)
def test_points_that_cannot_be_clustered(points, weights, complaint):
    with pytest.raises(UsageError, match=complaint):
        KINDS[0](clusters=2).labels(points, weights)


def test_settings_are_checked():
    with pytest.raises(ParameterError, match="'clusters'"):
        KINDS[0](clusters=0)
    with pytest.raises(ParameterError, match="'seed'"):
        KINDS[0](clusters=2, seed=-1)


@every_kind
def test_without_scikit_learn_the_way_out_is_named(kind, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=r"sfumato\[learn\]"):
        kind(clusters=1).labels(np.array([[0.0], [1.0]]))
    with pytest.raises(UsageError, match=r"sfumato\[learn\]"):
        scikit("cluster")


def test_listing_clusterers_does_not_load_scikit_learn():
    code = (
        "import sys; from sfumato.settings.catalogue import entries; entries('clusterers'); "
        "print([name for name in ('sklearn', 'scipy') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
