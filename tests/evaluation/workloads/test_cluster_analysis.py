"""Golden: the cluster analysis of the book, section 7.2, from given labels over Table 7.2 to both figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from sfumato.algorithms import Mondrian
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, UsageError
from sfumato.evaluation.clusterers import BisectingKMeans, Hierarchical, KMeans
from sfumato.evaluation.workloads.cluster_analysis import ClusterAnalysis
from sfumato.metrics import ClassificationMetric
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_levels
from sfumato.taxonomies import Flat
from tests.golden import workers


@dataclass(frozen=True, kw_only=True)
class ByHand(TableAlgorithm):
    """Masks the 34 workers as Table 7.2 does."""

    def _publish(self, table, model, suppression, random):
        return workers.table_7_2(table)


@dataclass(frozen=True, kw_only=True)
class Guided(TableAlgorithm):
    """Hides one whole column: the one without which fewest labels are lost."""

    def _publish(self, table, model, suppression, random):
        height = {name: table.taxonomies[name].height for name in table.schema.quasi}
        tries = [
            generalize_levels(table, {name: height[name] if name == hidden else 0 for name in height})
            for hidden in table.schema.quasi
        ]
        return min(tries, key=lambda candidate: ClassificationMetric().measure(candidate))


CLUSTERERS = (KMeans(clusters=2), BisectingKMeans(clusters=2), Hierarchical(clusters=2))


@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=str)
def test_the_example_of_the_book(clusterer):
    """21 records of one cluster and 13 of the other; what is published falls apart into the first 12 and the rest."""
    table = workers.workers()
    release = ByHand().anonymize(table, KAnonymity(k=4))
    found = ClusterAnalysis(clusterer=clusterer).compare(release, table.codes["Class"])
    assert found.f_measure == pytest.approx(0.8517, abs=5e-5)
    assert found.match_point == pytest.approx(866 / 1156)
    assert (found.clusters, found.left_out) == (2, 0)
    assert found.release is release


def test_the_clusters_behind_the_example():
    """Junior Sec. and 11th on one side, all the rest on the other."""
    release = ByHand().anonymize(workers.workers(), KAnonymity(k=4))
    seen = release.candidate.published_rows
    labels = ClusterAnalysis().label(seen)
    young = [seen.domains["Education"].texts[code] in ("Junior Sec.", "11th") for code in seen.codes["Education"]]
    assert (labels == labels[young.index(True)]).tolist() == young
    assert sorted(np.bincount(labels, weights=seen.counts).tolist()) == [12, 22]


def test_labels_are_told_by_quasi_values_alone():
    table = workers.workers()
    labels = ClusterAnalysis(clusterer=KMeans(clusters=3)).label(table)
    alike = table.group_numbers(table.schema.quasi)
    assert len(set(zip(alike.tolist(), labels.tolist(), strict=True))) == alike.max() + 1


def test_an_algorithm_sees_the_clusters_as_its_target():
    """Two clusters that only `high` tells apart: `low` is hidden although it comes with the table's own target."""
    rows = {"low": ["0", "1"] * 10, "high": ["0"] * 10 + ["9"] * 10, "class": ["a", "b"] * 10}
    flat = {"low": Flat(), "high": Flat()}
    schema = Schema.of(quasi=["low", "high"], target=["class"], taxonomies=flat)
    table = Table.of_rows(schema, rows)
    hidden = Guided().anonymize(table, KAnonymity(k=2)).recoding.levels
    assert hidden == {"low": 0, "high": 1}
    by_high = _Fixed(clusters=2)
    found = ClusterAnalysis(clusterer=by_high, again=KMeans(clusters=2)).measure(table, Guided(), KAnonymity(k=2))
    assert found.release.recoding.levels == {"low": 1, "high": 0}
    assert (found.f_measure, found.match_point) == (1, 1)
    assert found.release.original.schema.one_target() == "class"


@dataclass(frozen=True, kw_only=True)
class _Fixed(KMeans):
    """Two clusters by the last coordinate."""

    def _labels(self, points, weights):
        return points[:, -1] > 0


def test_publishing_everything_as_it_is_changes_no_cluster():
    rng = np.random.default_rng(6)
    columns = {"x": rng.integers(0, 50, 80).astype(str).tolist(), "y": rng.choice(list("abc"), 80).tolist()}
    table = Table.of_rows(Schema.of(quasi=["x", "y"]), columns)
    for clusterer in (KMeans(clusters=4), Hierarchical(clusters=4, linkage="average")):
        found = ClusterAnalysis(clusterer=clusterer).measure(table, Mondrian(), KAnonymity(k=1))
        assert (found.f_measure, found.match_point) == (1, 1)


def blurred(k: int) -> float:
    rng = np.random.default_rng(8)
    centre = np.repeat([0, 40, 90], 60)
    columns = {name: (centre + rng.integers(0, 25, 180)).astype(str).tolist() for name in ("x", "y")}
    table = Table.of_rows(Schema.of(quasi=["x", "y"]), columns)
    return ClusterAnalysis(clusterer=KMeans(clusters=3)).measure(table, Mondrian(), KAnonymity(k=k)).match_point


def test_little_is_lost_for_small_groups_and_all_for_one():
    """One group of all records: everybody together, of which only the pairs within a cluster are right."""
    assert blurred(5) > 0.95
    assert blurred(180) == pytest.approx(1 / 3, abs=0.02)


def test_suppressed_records_are_counted_and_left_out():
    columns = {"x": ["1"] * 4 + ["2"] * 4 + ["50"] * 4 + ["99"]}
    table = Table.of_rows(Schema.of(quasi=["x"], taxonomies={"x": Flat()}), columns)
    from sfumato.algorithms import Exhaustive

    found = ClusterAnalysis().measure(table, Exhaustive(), KAnonymity(k=4), suppression=0.1)
    assert found.left_out == 1
    assert found.release.candidate.suppressed_records == 1
    assert (found.f_measure, found.match_point) == (1, 1)


def test_the_release_can_be_published_and_holds_no_label():
    rng = np.random.default_rng(9)
    frame = pd.DataFrame(
        {
            "cluster": rng.choice(list("pq"), 60),
            "age": rng.integers(18, 80, 60),
            "job": rng.choice(["cook", "clerk", "smith"], 60),
            "note": [f"n{number}" for number in range(60)],
        },
        index=range(100, 160),
    )
    table = Table.from_frame(frame, Schema.of(quasi=["age", "job"]))
    analysis = ClusterAnalysis(clusterer=KMeans(clusters=3, seed=4), again=Hierarchical(clusters=3))
    found = analysis.measure(table, Mondrian(), KAnonymity(k=5), seed=2)
    published = found.release.frame()
    assert list(published.columns) == list(frame.columns)
    assert published["cluster"].tolist() == frame["cluster"].tolist()
    assert list(published.index) == list(frame.index)
    assert published.groupby(["age", "job"]).size().min() >= 5
    assert found.release.provenance["guided_by"] == {"name": "k_means", "clusters": 3, "seed": 4}
    assert "cluster_2" not in found.release.report().json()
    assert found.release.source() is table.source


def test_settings_and_rows_are_checked():
    with pytest.raises(ParameterError, match="'points'"):
        ClusterAnalysis(points="middles")
    with pytest.raises(ParameterError, match="'clusterer'"):
        ClusterAnalysis(clusterer="k_means")
    release = ByHand().anonymize(workers.workers(), KAnonymity(k=4))
    with pytest.raises(UsageError, match="one label for each"):
        ClusterAnalysis().compare(release, np.zeros(3, dtype=np.int32))
    with pytest.raises(SchemaError, match="nothing to cluster by"):
        ClusterAnalysis().label(Table.of_rows(Schema.of(sensitive=["s"]), {"s": ["1"]}))
    with pytest.raises(InfeasibleError):
        ClusterAnalysis().measure(hospital(), Mondrian(), KAnonymity(k=8))
