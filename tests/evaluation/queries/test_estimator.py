"""Estimates: goldens of the book, and every way in which the records could belong together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms import Anatomy, Mondrian, Permutation, Slicing
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.published_view import PublishedView
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.errors import SchemaError, UnsuitableError
from sfumato.evaluation.queries import Estimate, Estimator
from sfumato.knowledge.item import Item
from sfumato.knowledge.rule import Rule
from sfumato.models import DistinctLDiversity, KAnonymity, KEAnonymity
from sfumato.operations.bucketize import bucketize
from sfumato.releases.files import ReleaseFiles
from sfumato.releases.table_release import TableRelease
from tests.golden import book
from tests.oracles.worlds_oracle import worlds


def released(table: Table, bucket: np.ndarray, blocks, *, separate_table: bool = False) -> TableRelease:
    partition = Partition.of_labels(bucket.astype(np.int32))
    candidate = bucketize(
        table, partition, Linkage("g", blocks), separate_table=separate_table, random=np.random.default_rng(0)
    )
    return TableRelease(candidate, (), {})


def patients() -> Estimator:
    """Tables 3.3 and 3.4: one bucket of the six men, one of the four women."""
    table = book.table("anatomy_raw", quasi=["Age", "Sex"], sensitive=["Disease"])
    sex = table.codes["Sex"]
    return Estimator.of_release(released(table, sex, (("Age", "Sex"), ("Disease",)), separate_table=True))


def test_example_3_1_counts_1_5_of_2():
    """Three of four women are 38, two of the four have a heart disease."""
    found = patients().count(Item("Age", "38"), Item("Disease", "Heart"))
    assert found.value == 1.5
    assert (found.low, found.high) == (1, 2)
    assert found.variance == 0.25


def test_questions_to_one_block_are_answered_exactly():
    ask = patients()
    assert ask.count() == Estimate(10, 10, 10)
    assert ask.count(Item("Age", "38"), Item("Sex", "Female")) == Estimate(3, 3, 3)
    assert ask.count(Item("Disease", "HIV")) == Estimate(3, 3, 3)
    assert ask.sum("Age", Item("Sex", "Female")) == Estimate(150, 150, 150)
    assert ask.average("Age", Item("Sex", "Male")) == Estimate(31, 31, 31)


def test_what_nobody_has():
    ask = patients()
    assert ask.count(Item("Sex", "Male"), Item("Disease", "Flu")) == Estimate(0, 0, 0)
    assert ask.count(Item("Age", "99"), Item("Disease", "Flu")) == Estimate(0, 0, 0)
    assert ask.sum("Age", Item("Sex", "Male"), Item("Disease", "Flu")) == Estimate(0, 0, 0)
    assert np.isnan(ask.average("Age", Item("Sex", "Male"), Item("Disease", "Flu")).value)


def test_confidence_of_a_rule():
    """Of three women of 38, 1.5 are expected to have a heart disease."""
    ask = patients()
    assert ask.confidence(Rule((Item("Age", "38"),), "Heart")) == 0.5
    assert ask.confidence(Rule((), "HIV"), "Disease") == 0.3
    assert np.isnan(ask.confidence(Rule((Item("Age", "99"),), "HIV")))


def test_how_a_column_is_spread():
    ask = patients()
    table = book.table("anatomy_raw", quasi=["Age", "Sex"], sensitive=["Disease"])
    names = table.domain("Disease").texts
    found = dict(zip(names, ask.spread("Disease", Item("Age", "[36, 40]")).tolist(), strict=True))
    assert found == {"Flu": 2, "Heart": 2, "Hepatitis": 0, "HIV": 0}
    ages = ask.spread("Age", Item("Sex", "Male"), Item("Disease", "HIV"))
    assert ages.tolist() == [1.5, 1.5, 0, 0]


def test_sums_of_salaries_lie_between_the_smallest_and_the_largest():
    """I6: over m of a bucket's records, between the m smallest and the m largest, m times the mean expected."""
    salaries = [30, 31, 30, 32, 35, 34, 33, 32, 35, 80]
    rows = {"name": list("aabbbcdddd"), "pay": list(map(str, salaries))}
    schema = Schema.of(quasi=["name"], sensitive=["pay"])
    table = Table.of_rows(schema, rows)
    ask = Estimator.of_release(Permutation().anonymize(table, KEAnonymity(k=3, e=2)))
    low, high = [30, 30, 31, 32, 32], [33, 34, 35, 35, 80]
    for name in "abcd":
        owned = [pay for owner, pay in zip(rows["name"], salaries, strict=True) if owner == name]
        below, above = sum(pay <= 32 for pay in owned), sum(pay > 32 for pay in owned)
        found = ask.sum("pay", Item("name", name))
        assert found.value == pytest.approx(below * sum(low) / 5 + above * sum(high) / 5)
        assert found.low == sum(low[:below]) + sum(high[:above])
        assert found.high == sum(low[5 - below :]) + sum(high[5 - above :])
        assert found.low <= sum(owned) <= found.high


BLOCKS = ((("q", "x"), ("s",)), (("q",), ("x",), ("s",)), (("q",), ("s", "x")), (("x",), ("q", "s")))
RECORD = st.tuples(st.sampled_from("ab"), st.one_of(st.none(), st.integers(-3, 3)), st.sampled_from("uv"))
ITEMS = (Item("q", "a"), Item("s", "u"), Item("x", "[-1, 2]"))


@settings(max_examples=120)
@given(
    st.lists(st.lists(RECORD, min_size=1, max_size=3), min_size=1, max_size=2),
    st.sampled_from(BLOCKS),
    st.lists(st.sampled_from(ITEMS), unique=True, max_size=3),
)
def test_like_every_way_in_which_records_could_belong_together(buckets, blocks, where):
    plain = [[dict(zip("qxs", record, strict=True)) for record in bucket] for bucket in buckets]
    ask = estimator(plain, blocks)
    counts, sums, averages, weighted = [], [], [], []
    for world in worlds(plain, blocks):
        chosen = [record for record in world if all(true_of(item, record) for item in where)]
        known = [record["x"] for record in chosen if record["x"] is not None]
        counts.append(len(chosen))
        sums.append(sum(known))
        weighted.append(len(known))
        averages += [sum(known) / len(known)] if known else []
    agrees(ask.count(*where), counts)
    agrees(ask.sum("x", *where), sums)
    average = ask.average("x", *where)
    if not averages:
        assert np.isnan(average.value)
        return
    assert average.value == pytest.approx(sum(sums) / sum(weighted))
    assert (average.low, average.high) == pytest.approx((min(averages), max(averages)))
    ratio = sum(sums) / sum(weighted)
    apart = [one - ratio * count for one, count in zip(sums, weighted, strict=True)]
    assert average.variance == pytest.approx(np.var(apart) / np.mean(weighted) ** 2, abs=1e-9)


def agrees(found: Estimate, answers: list[float]) -> None:
    assert found.value == pytest.approx(np.mean(answers), abs=1e-9)
    assert (found.low, found.high) == (min(answers), max(answers))
    assert found.variance == pytest.approx(np.var(answers), abs=1e-9)


def true_of(item: Item, record) -> bool:
    return (
        record["x"] is not None and -1 <= record["x"] <= 2 if item.column == "x" else record[item.column] == item.text
    )


def estimator(buckets, blocks) -> Estimator:
    records = [(record, place) for place, bucket in enumerate(buckets) for record in bucket]
    rows = {name: [None if one[name] is None else str(one[name]) for one, _ in records] for name in "qxs"}
    schema = Schema.of(quasi=["q", "x", "g"], sensitive=["s"], kinds={"x": "number", "g": "number"})
    table = Table.of_rows(schema, rows | {"g": [str(place) for _, place in records]})
    return Estimator._over(table, Linkage("g", blocks))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from([Anatomy(), Permutation(), Slicing(), Slicing(how_many=1)]))
def test_the_truth_is_never_beyond_what_is_certain(seed, way):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({name: random.integers(0, 5, 60) for name in ("q", "r", "s")})
    schema = Schema.of(quasi=["q", "r"], sensitive=["s"])
    ask = Estimator.of_release(way.anonymize(Table.from_frame(frame, schema), DistinctLDiversity(l=2), seed=seed))
    where = [Item("q", "[1, 3]"), Item("r", "[0, 2]"), Item("s", "[1, 4]")]
    chosen = frame[frame["q"].between(1, 3) & frame["r"].between(0, 2) & frame["s"].between(1, 4)]
    for found, truth in (
        (ask.count(*where), len(chosen)),
        (ask.sum("s", *where), chosen["s"].sum()),
        (ask.average("s", *where), chosen["s"].mean()),
        (ask.average("r", *where), chosen["r"].mean()),
    ):
        assert found.low - 1e-9 <= found.value <= found.high + 1e-9
        assert found.low - 1e-9 <= truth <= found.high + 1e-9
        likely = found.likely()
        assert found.low <= likely[0] <= likely[1] <= found.high


def test_the_likely_interval_has_the_truth_about_as_often_as_it_says():
    """Secrets that have nothing to do with anything else are in fact shuffled at random."""
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"q": random.integers(0, 20, 3000), "s": random.integers(0, 9, 3000)})
    schema = Schema.of(quasi=["q"], sensitive=["s"])
    table = Table.from_frame(frame, schema)
    ask = Estimator.of_release(Anatomy().anonymize(table, DistinctLDiversity(l=5), seed=1))
    inside = []
    for low in range(20):
        for value in range(9):
            found = ask.count(Item("q", f"[{low}, {low + 4}]"), Item("s", str(value)))
            truth = (frame["q"].between(low, low + 4) & (frame["s"] == value)).sum()
            inside.append(found.likely(0.9)[0] <= truth <= found.likely(0.9)[1])
    assert 0.8 < np.mean(inside) < 0.98


@pytest.mark.parametrize("way", [Anatomy(), Permutation(), Slicing(companions=1)], ids=str)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_release_read_back_answers_alike(tmp_path, way, ending):
    random = np.random.default_rng(4)
    frame = pd.DataFrame({name: random.integers(0, 4, 80) for name in ("q", "r", "s")})
    schema = Schema.of(quasi=["q", "r"], sensitive=["s"])
    release = way.anonymize(Table.from_frame(frame, schema), DistinctLDiversity(l=2))
    path = release.write(tmp_path / f"release.{ending}")
    apart = tmp_path / f"release_sensitive.{ending}"
    files = ReleaseFiles(path, "group", release.candidate.linkage.blocks, apart if apart.exists() else None)
    source = files.opened(["s"])
    linkage = files.linkage(source, ["s"])
    published = PublishedView.of_source(source, schema, nulls=ending == "parquet", linkage=linkage)
    here, there = Estimator.of_release(release), Estimator.of_published(published)
    for where in ([], [Item("q", "1")], [Item("q", "1"), Item("s", "[1, 2]")], [Item("r", "0"), Item("s", "3")]):
        assert here.count(*where) == there.count(*where)
        assert here.sum("s", *where) == there.sum("s", *where)


def test_what_has_no_buckets_is_refused():
    table = book.table("anatomy_raw", quasi=["Age", "Sex"], sensitive=["Disease"])
    with pytest.raises(UnsuitableError, match="no buckets"):
        Estimator.of_release(Mondrian().anonymize(table, KAnonymity(k=2)))
    seen = PublishedView.of_source(
        DuckdbEngine.over_frame(pd.DataFrame({"a": [1]})), Schema.of(quasi=["a"]), nulls=True
    )  # fmt: skip
    with pytest.raises(UnsuitableError, match="no buckets"):
        Estimator.of_published(seen)
    with pytest.raises(SchemaError, match="'Disease' are texts"):
        patients().sum("Disease")
