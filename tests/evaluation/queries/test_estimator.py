"""Estimates: goldens of the book, and every way in which the records could belong together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Anatomy, Injector, Mondrian, Permutation, Slicing
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
from sfumato.models import DistinctLDiversity, KAnonymity, KEAnonymity, MatchingLDiversity
from sfumato.operations.bucketize import bucketize
from sfumato.releases.files import ReleaseFiles
from sfumato.releases.table_release import TableRelease
from tests.examples import examples
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


@examples(120)
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


def agrees(found: Estimate, answers: list[float]) -> None:
    assert found.value == pytest.approx(np.mean(answers), abs=1e-9)
    assert (found.low, found.high) == (min(answers), max(answers))


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


@examples(40)
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
        low, high = found.interval()
        assert found.low <= low <= high <= found.high


def associated(seed: int, records: int = 1500) -> pd.DataFrame:
    """The number and the first letter of a person depend strongly on the illness, one of seven."""
    random = np.random.default_rng(seed)
    ill = random.choice(7, records, p=[0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1])
    letter = np.where(random.random(records) < 0.15 + 0.1 * ill, "a", "b")
    number = np.round(random.normal(30 + 6 * ill, 8))
    return pd.DataFrame({"q": letter, "x": number, "s": ill})


SEVEN = Schema.of(quasi=["q", "x"], sensitive=["s"])
WAYS = [
    (Anatomy(), DistinctLDiversity(l=3)),
    (Permutation(), DistinctLDiversity(l=3)),
    (Permutation(), KEAnonymity(k=3, e=1)),
]


@pytest.mark.parametrize(("way", "model"), WAYS, ids=str)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_associated_columns_contain_the_truth_as_often_as_they_say(way, model, level):
    """Fifteen draws of buckets of one table, and eight queries to each: counts, sums and averages."""
    frame = associated(1)
    table = Table.from_frame(frame, SEVEN)
    queries = [(Item("q", "a"), Item("s", "[0, 2]")), (Item("x", "[20, 40]"), Item("s", "[1, 1]"))]
    inside, width = [], []
    for seed in range(15):
        ask = Estimator.of_release(way.anonymize(table, model, seed=seed))
        for where in queries:
            chosen = frame[np.logical_and.reduce([matches(frame, item) for item in where])]
            for found, truth in (
                (ask.count(*where), len(chosen)),
                (ask.sum("x", *where), chosen["x"].sum()),
                (ask.average("x", *where), chosen["x"].mean()),
                (ask.average("s", *where), chosen["s"].mean()),
            ):
                low, high = found.interval(level)
                inside.append(low - 1e-9 <= truth <= high + 1e-9)
                width.append((high - low) / (found.high - found.low) if found.high > found.low else 1.0)
    assert np.mean(inside) >= level - 0.03
    # It must say more than the certain bounds where buckets determine the association, which short runs do not.
    assert np.mean(width) < (0.7 if model == DistinctLDiversity(l=3) else 1.01)


def matches(frame: pd.DataFrame, item: Item) -> np.ndarray:
    if item.text == "a":
        return np.asarray(frame["q"] == "a")
    low, high = map(int, item.text.strip("[]").split(","))
    return np.asarray(frame[item.column].between(low, high))


def test_independence_misses_what_the_interval_contains():
    """The true number of letters a among the three first illnesses is far below what independence expects."""
    frame = associated(2)
    table = Table.from_frame(frame, SEVEN)
    found = Estimator.of_release(Anatomy().anonymize(table, DistinctLDiversity(l=3), seed=3)).count(
        Item("q", "a"), Item("s", "[0, 2]")
    )
    truth = ((frame["q"] == "a") & (frame["s"] <= 2)).sum()
    low, high = found.interval()
    assert found.low < low <= truth <= high < found.value


def test_buckets_that_are_not_random_have_no_interval_but_the_certain_bounds():
    frame = associated(3, 300)
    known = {"sensitive": "s", "never": [{"when": {"q": "a"}, "value": "9"}]}
    where = Item("q", "a"), Item("s", "[0, 2]")
    for way, model in (
        (Slicing(), DistinctLDiversity(l=2)),
        (Injector(), DistinctLDiversity(l=2)),
        (Anatomy(), MatchingLDiversity(l=2, knowledge=known)),
    ):
        ask = Estimator.of_release(way.anonymize(Table.from_frame(frame, SEVEN), model, seed=1))
        assert not ask.random_buckets
        found = ask.count(*where)
        assert found.drawn is None
        assert found.interval() == (found.low, found.high)


def test_files_do_not_tell_whether_buckets_are_random():
    """Who knows it says so, and gets the interval of the release."""
    release = Anatomy().anonymize(Table.from_frame(associated(4, 300), SEVEN), DistinctLDiversity(l=3), seed=1)
    view = PublishedView(table=release.candidate.published_rows, linkage=release.candidate.linkage, suppressed=0)
    where = Item("q", "a"), Item("s", "[0, 2]")
    assert Estimator.of_published(view).count(*where).drawn is None
    stated = Estimator.of_published(view, random_buckets=True).count(*where)
    assert stated.interval() == Estimator.of_release(release).count(*where).interval()
    assert stated.interval()[1] < stated.high


@pytest.mark.parametrize("seed", range(3))
def test_a_statement_that_buckets_are_random_is_refused_if_they_cannot_be(seed):
    """Buckets of slicing are cut by the quasi columns, so their records are similar; those of anatomy are accepted."""
    table = Table.from_frame(associated(5), SEVEN)
    for way, refused in ((Slicing(how_many=1), True), (Anatomy(), False), (Permutation(), False)):
        rows = way.anonymize(table, DistinctLDiversity(l=3), seed=seed).candidate
        view = PublishedView(table=rows.published_rows, linkage=rows.linkage, suppressed=0)
        if not refused:
            assert Estimator.of_published(view, random_buckets=True).random_buckets
            continue
        with pytest.raises(UnsuitableError, match="not drawn at random given the sensitive values: they differ in"):
            Estimator.of_published(view, random_buckets=True)


def test_queries_over_more_blocks_than_two_have_no_interval():
    """What is drawn at random is the sensitive values against one other block."""
    plain = [[{"q": "a", "x": 1, "s": "u"}, {"q": "b", "x": 2, "s": "v"}]] * 2
    ask = replace(estimator(plain, (("q",), ("x",), ("s",))), random_buckets=True)
    assert ask.count(Item("q", "a"), Item("s", "u")).drawn is not None
    assert ask.sum("x", Item("s", "u")).drawn is not None
    assert ask.count(*ITEMS).drawn is None
    assert ask.sum("x", Item("q", "a")).drawn is None
    assert ask.average("x", Item("q", "a")).drawn is None
    assert ask.average("x", Item("s", "u"), Item("q", "a")).drawn is None


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
