"""Values nobody saw when it was decided: numbers, categories, missing ones, with and without a taxonomy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sfumato.algorithms import TopDownRefinement
from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.labels import Labels
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import DataError
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_levels
from sfumato.recodings.recoding import Recoding
from sfumato.recodings.unseen_values import label_unseen
from sfumato.taxonomies import Intervals, Masking, Tree


def shown(labels: Labels, label_of, raw, builder=None) -> list[str | None]:
    labels, label_of, codes = label_unseen(labels, label_of, raw, builder)
    return [labels.texts[label_of[code]] if code >= 0 else "refused" for code in codes]


def test_numbers_go_to_the_interval_they_lie_in() -> None:
    domain, _ = Domain.of("age", ["20", "30", "40", "50"])
    labels, label_of = Labels.of_intervals(domain, None, np.array([0, 1, 3], dtype=np.int32))
    assert labels.texts == ("<30", "[30, 50)", ">=50")
    assert shown(labels, label_of, ["-5", "29.9", "30.0", "49", "50", "1e6"]) == [
        "<30", "<30", "[30, 50)", "[30, 50)", ">=50", ">=50",
    ]  # fmt: skip
    assert shown(labels, label_of, [None, "old"]) == ["refused", "refused"]


def test_a_column_that_shows_nothing_takes_anything() -> None:
    domain, _ = Domain.of("age", ["20", "30"])
    labels, label_of = Labels.of_intervals(domain, None, np.array([0], dtype=np.int32))
    assert shown(labels, label_of, ["7", None, "old"]) == ["*", "*", "*"]


def test_where_missing_values_are_set_apart() -> None:
    domain, _ = Domain.of("age", ["20", "30", None])
    labels, label_of = Labels.of_intervals(domain, None, np.array([0, 2], dtype=np.int32))
    assert labels.texts == ("known", None)
    assert shown(labels, label_of, ["7", None]) == ["known", None]


def test_categories_not_seen_are_hidden() -> None:
    domain, _ = Domain.of("town", ["a", "b", "c"])
    labels, label_of = Labels.of_disclosed(domain, None, np.array([True, False, False]))
    assert shown(labels, label_of, ["a", "b", "z", None]) == ["a", "*", "*", "*"]


def test_hidden_even_where_all_that_were_seen_are_shown() -> None:
    domain, _ = Domain.of("town", ["a", "b"])
    labels, label_of = Labels.of_disclosed(domain, None, np.array([True, True]))
    assert shown(labels, label_of, ["a", "z"]) == ["a", "*"]


def test_categories_climb_their_tree() -> None:
    tree = Tree(branches={"any": {"north": ["a", "b"], "south": ["c", "d"]}})
    domain, _ = Domain.of("town", ["a", "c"])
    taxonomy, _ = tree.grow(domain)
    labels, label_of = Labels.of_nodes(taxonomy, taxonomy.nodes[1])
    assert shown(labels, label_of, ["b", "d", "z"], tree) == ["north", "south", "refused"]
    assert shown(labels, label_of, ["b"], None) == ["refused"]
    exact, exactly = Labels.of_nodes(taxonomy, taxonomy.nodes[0])
    assert shown(exact, exactly, ["a", "b", "d"], tree) == ["a", "b", "d"], "their neighbours are shown as they are"
    mixed, nodes = Labels.of_nodes(taxonomy, np.array([taxonomy.nodes[1, 0], 1], dtype=np.int32))
    assert shown(mixed, nodes, ["b", "d"], tree) == ["north", "d"]


def test_codes_are_masked_and_intervals_read() -> None:
    mask = Masking(side="right")
    domain, _ = Domain.of("zip", ["101", "102", "201"], kind=Kind.TEXT)
    taxonomy, _ = mask.grow(domain)
    labels, label_of = Labels.of_nodes(taxonomy, taxonomy.nodes[1])
    assert shown(labels, label_of, ["109", "209", "301"], mask)[:2] == [
        labels.texts[label_of[0]],
        labels.texts[label_of[2]],
    ]
    widths = Intervals(width=10)
    ages, _ = Domain.of("age", ["21", "35"])
    taxonomy, _ = widths.grow(ages)
    labels, label_of = Labels.of_nodes(taxonomy, taxonomy.nodes[1])
    assert shown(labels, label_of, ["29", "30", "70"], widths) == ["[20, 30)", "[30, 40)", "[70, 80)"]


@pytest.fixture
def frame() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": random.integers(20, 60, 200),
            "town": random.choice(list("abc"), 200),
            "job": random.choice(["nurse", "cook"], 200),
            "class": random.choice(["x", "y"], 200),
        }
    )


def test_a_release_is_applied_to_people_who_were_not_there(frame: pd.DataFrame) -> None:
    tree = Tree(branches={"any": {"care": ["nurse", "doctor"], "kitchen": ["cook", "waiter"]}})
    schema = Schema.of(quasi=["age", "town", "job"], target=["class"], taxonomies={"job": tree})
    release = TopDownRefinement(beneficial=False).anonymize(Table.from_frame(frame, schema), KAnonymity(k=60))
    others = pd.DataFrame({"age": [19, 75], "town": ["z", "a"], "job": ["doctor", "waiter"], "class": ["x", "new"]})
    made = release.apply(others)
    texts = {name: set(labels.texts) for name, labels in release.recoding.labels.items()}
    assert set(made["age"]) <= texts["age"]
    assert set(made["town"]) <= texts["town"] | {"*"}
    assert texts["job"] == {"nurse", "cook"}
    assert made["job"].tolist() == ["doctor", "waiter"], "jobs are shown as they are"
    assert made["class"].tolist() == ["x", "new"]


def test_the_saved_decision_knows_strangers_too(frame: pd.DataFrame, tmp_path) -> None:
    schema = Schema.of(quasi=["age", "town"], target=["class"])
    release = TopDownRefinement(beneficial=False).anonymize(Table.from_frame(frame, schema), KAnonymity(k=20))
    loaded = Recoding.load(release.recoding.save(tmp_path / "decision.json"))
    for name, raw in {"age": ["7", "33.5", "99"], "town": ["a", "z"]}.items():
        codes = loaded.extended_to({name: raw}, {})[1][name]
        assert codes.tolist() == release.recoding.extended_to({name: raw}, {})[1][name].tolist()
        assert (codes >= 0).all()


def test_what_no_label_is_true_of_is_refused(frame: pd.DataFrame) -> None:
    schema = Schema.of(quasi=["town"], taxonomies={"town": Tree(branches={"any": ["a", "b", "c"]})})
    table = Table.from_frame(frame[["town"]], schema)
    release = TopDownRefinement().anonymize(table, KAnonymity(k=2))
    assert set(release.recoding.labels["town"].texts) == {"a", "b", "c"}
    with pytest.raises(DataError, match="1 values"):
        release.apply(pd.DataFrame({"town": ["z"]}))


def test_levels_too() -> None:
    schema = Schema.of(quasi=["age"], taxonomies={"age": Intervals(breaks=(0, 50, 100))})
    table = Table.of_rows(schema, {"age": ["10", "60"]})
    recoding = generalize_levels(table, {"age": 1}).recoding
    wider, codes = recoding.extended_to({"age": ["49.5", "55", "101"]}, {"age": schema.column("age").taxonomy})
    texts = [wider.labels["age"].texts[wider.label_of["age"][code]] for code in codes["age"][:2]]
    assert texts == ["[0, 50)", "[50, 100]"]
    assert codes["age"][2] == -1
