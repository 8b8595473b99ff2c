from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sfumato.algorithms import Mondrian
from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.datasets.hospital import ROWS
from sfumato.evaluation.workloads.cluster_labels import free_name, with_cluster_target, without_cluster_target
from sfumato.models import KAnonymity
from tests.golden import workers


def by_job(table: Table) -> np.ndarray:
    """Labels that the quasi values tell: even and odd jobs."""
    return (table.codes["Job"] % 2).astype(np.int32)


def framed(**columns: list[str]) -> Table:
    frame = pd.DataFrame({**ROWS, **columns}, index=list("abcdefg"))
    return Table.from_frame(frame, Schema.of(quasi=["Job", "Sex", "Age"], sensitive=["Disease"]))


def test_a_name_that_is_free():
    assert free_name(hospital()) == "cluster"
    assert free_name(framed(cluster=["x"] * 7)) == "cluster_2"
    schema = Schema.of(quasi=["cluster"], target=["cluster_2"])
    assert free_name(Table.of_rows(schema, {"cluster": ["1"], "cluster_2": ["1"]})) == "cluster_3"


def test_the_label_is_the_only_target():
    table = workers.workers()
    labels = np.arange(len(table), dtype=np.int32)
    made = with_cluster_target(table, labels, "cluster")
    assert made.schema.one_target() == "cluster"
    assert made.schema.role("Class") is Role.PLAIN
    assert made.schema.judged == (*table.schema.quasi, "cluster")
    texts = made.domains["cluster"].texts
    assert [texts[code] for code in made.codes["cluster"]] == [str(label + 1) for label in labels]
    assert table.schema.one_target() == "Class"
    assert "cluster" not in table.codes


@pytest.mark.parametrize(
    "algorithm", [Mondrian(), Mondrian(cut="median"), Mondrian(cut="median", relaxed=True)], ids=str
)
def test_a_release_without_the_label_publishes_what_was_decided_with_it(algorithm):
    table = framed()
    made = with_cluster_target(table, by_job(table), "cluster")
    guided = algorithm.anonymize(made, KAnonymity(k=2))
    plain = without_cluster_target(guided, table, "cluster", {"guided_by": {"name": "me"}})
    assert plain.original is table
    assert "cluster" in guided.parts["table"].codes
    assert "cluster" not in {*plain.parts["table"].codes, *plain.parts["table"].domains, *plain.recoding.reads}
    assert plain.provenance["columns"] == {
        "Job": "quasi", "Sex": "quasi", "Age": "quasi", "Disease": "sensitive",
    }  # fmt: skip
    assert plain.provenance["guided_by"] == {"name": "me"}
    assert guided.provenance["columns"]["cluster"] == "target"
    published = plain.frame()
    assert list(published.columns) == list(ROWS)
    assert list(published.index) == list("abcdefg")
    sizes = published.groupby(["Job", "Sex", "Age"]).size()
    assert sorted(sizes.tolist()) == sorted(plain.groups.sizes.tolist())
    assert sizes.min() >= 2
    assert plain.report().holds
