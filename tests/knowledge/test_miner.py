"""The miner: worked examples, the rules of Adult as published and measured, and a plain miner on small tables."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import adult_file, adult_occupations, adult_schema, hospital, nine_patients
from sfumato.datasets.adult import data_folder
from sfumato.errors import ParameterError, SchemaError
from sfumato.knowledge import Item, Knowledge, Miner
from sfumato.knowledge.expectation import expectation
from sfumato.knowledge.search import Search
from sfumato.runtime.progress import listening
from sfumato.taxonomies import Intervals
from tests.oracles.plain_miner import key_of, negative_rules, positive_rules
from tests.strategies import small_tables

needs_files = pytest.mark.skipif(
    not (data_folder() / "adult").is_dir(), reason="the Adult files are not in SFUMATO_DATA or ../shared/data"
)

FIGURE_3 = {
    0.75: (38, 52, (80.3, 15.3, 1.6, 1.8, 0.9)),
    0.80: (36, 49, (80.3, 15.3, 1.7, 1.8, 0.9)),
    0.85: (31, 41, (83.1, 12.6, 1.8, 1.7, 0.8)),
    0.90: (23, 31, (83.1, 12.9, 1.5, 1.6, 0.8)),
    0.95: (16, 23, (91.5, 4.8, 1.6, 1.5, 0.6)),
}
"""By least expectation: most general rules, all rules, and the percent of records with 1, 2, 3, 4 and more values ruled
out, of Adult with one item a rule. All rules count an only value under a node twice, once as that node."""

WITHOUT_AGE = {
    0.75: (20, 31, (84.4, 11.8, 1.3, 1.6, 0.8)),
    0.80: (19, 30, (84.5, 11.8, 1.3, 1.6, 0.8)),
    0.85: (17, 26, (86.6, 9.7, 1.4, 1.6, 0.8)),
    0.90: (15, 22, (86.6, 9.6, 1.4, 1.6, 0.8)),
    0.95: (13, 19, (93.4, 2.9, 1.6, 1.5, 0.6)),
}


def rules_about(known: Knowledge, column: str) -> list[str]:
    return [str(rule) for rule in known.never if rule.when[0].column == column]


def test_the_nine_patients() -> None:
    """Li and Li (2008), Table I: men do not have ovarian cancer, and nothing else about the sexes is sure enough."""
    found = Miner(min_expectation=0.75).mine(nine_patients())
    assert rules_about(found, "Sex") == ["Sex is M: never Ovarian Cancer"]
    rule = found.never[-1]
    assert (rule.support, rule.share, rule.confidence) == (6, 0, 1)
    assert rule.expectation == pytest.approx(0.7786, abs=5e-5)
    assert rules_about(Miner(min_expectation=0.8).mine(nine_patients()), "Sex") == []


read_occupations = cache(adult_occupations)


def occupations(age: bool = True) -> Table:
    table = read_occupations()
    columns = [column for column in table.schema.columns if age or column.name != "age"]
    return replace(table, schema=Schema(tuple(columns), missing=table.schema.missing))


@needs_files
@pytest.mark.parametrize("with_age", [True, False])
def test_rules_of_adult(with_age: bool) -> None:
    table, printed = occupations(with_age), FIGURE_3 if with_age else WITHOUT_AGE
    for least, (general, everything, percents) in printed.items():
        found = Miner(min_expectation=least).mine(table)
        every = Miner(min_expectation=least, most_general=False).mine(table)
        alone = sum(rule.when == (Item("workclass", "Without-pay"),) for rule in every.never)
        assert (len(found.never), len(every.never) + alone) == (general, everything)
        assert set(found.never) <= set(every.never)
        out = found.ruled_out(table)
        assert np.array_equal(out, every.ruled_out(table))
        spread = np.bincount(np.minimum(out.sum(axis=1), 5), weights=table.counts, minlength=6) / table.records
        assert round(100 * spread[0], 1) == 0
        assert tuple((100 * spread[1:]).round(1).tolist()) == percents


@needs_files
def test_rules_that_the_paper_quotes() -> None:
    found = [str(rule) for rule in Miner(min_expectation=0.9).mine(occupations()).never]
    assert "workclass is Government: never Priv-house-serv" in found
    assert "sex is Female: never Armed-Forces" in found
    every = Miner(min_expectation=0.9, most_general=False).mine(occupations()).never
    assert "education is Doctorate: never Handlers-cleaners" in [str(rule) for rule in every]


def shipped() -> Table:
    columns, known = ("age", "workclass", "education", "marital-status", "race", "sex"), adult_schema()
    trees = {name: known.column(name).taxonomy for name in columns}
    schema = Schema.of(quasi=columns, sensitive=["occupation"], taxonomies=trees, missing=["?"])  # type: ignore[arg-type]
    return Table.read(adult_file(), schema)


@needs_files
def test_rules_of_adult_with_more_items() -> None:
    """With the level files: rules of one, two and three items, all and most general."""
    table = shipped()
    for general, counts in ((False, [30, 2_242, 17_455]), (True, [25, 1_229, 3_646])):
        found = Miner(max_items=3, most_general=general).mine(table)
        assert np.bincount([len(rule.when) for rule in found.never])[1:].tolist() == counts


SETTINGS: dict[str, Any] = {
    "min_expectation": st.sampled_from([0.25, 0.5, 0.6, 0.75, 0.9]),
    "min_confidence": st.sampled_from([1.0, 1.0, 0.9, 0.75, 0.5]),
    "max_items": st.integers(1, 3),
    "most_general": st.booleans(),
}
FUZZY: dict[str, Any] = {
    "fuzziness": st.sampled_from([0.1, 0.25, 1 / 3, 1.0]),
    "membership": st.sampled_from(["trapezoid", "triangle"]),
}
TABLES = small_tables(max_repeats=4, max_sensitive=1)


def same_rules(table: Table, miner: Miner) -> None:
    found, expected = miner.mine(table).never, negative_rules(table, "s0", miner)
    assert len({key_of(table, rule) for rule in found}) == len(found)
    assert {key_of(table, rule) for rule in found} == set(expected)
    share = {text: table.histogram("s0")[code] / table.records for code, text in named(table).items()}
    for rule in found:
        support, count = expected[key_of(table, rule)]
        assert rule.support == pytest.approx(float(support))
        assert rule.share == pytest.approx(float(count / support), abs=1e-9)
        sure = expectation(np.array([float(support)]), np.array([share[rule.value]]))
        assert rule.expectation == pytest.approx(float(sure[0]))


def named(table: Table) -> dict[int, str]:
    domain = table.domain("s0")
    return {code: domain.named(code) for code in range(len(domain))}


@settings(deadline=None)
@given(TABLES, st.builds(Miner, **SETTINGS), st.sampled_from([2**22, 1, 40]))
def test_as_a_plain_miner(table: Table, miner: Miner, room: int) -> None:
    """Also when nearly every cube is cut, and when tables of all possible rules are too large."""
    with patch("sfumato.knowledge.counting.MAX_CELLS", room), patch("sfumato.knowledge.generality._MAX_TABLE", room):
        same_rules(table, miner)


@settings(deadline=None)
@given(TABLES, st.builds(Miner, **SETTINGS, **FUZZY), st.sampled_from([2**22, 1, 40]))
def test_as_a_plain_fuzzy_miner(table: Table, miner: Miner, room: int) -> None:
    with patch("sfumato.knowledge.counting.MAX_CELLS", room), patch("sfumato.knowledge.generality._MAX_TABLE", room):
        same_rules(table, miner)


@settings(deadline=None)
@given(
    TABLES,
    st.sampled_from([0.05, 0.1, 0.25, 0.5]),
    st.sampled_from([1.0, 1.1, 1.5, 2.0]),
    st.sampled_from([0.0, 0.0, 0.25]),
)
def test_positive_rules_as_a_plain_miner(table: Table, least: float, conviction: float, fuzziness: float) -> None:
    miner = Miner(positive=True, min_support=least, min_conviction=conviction, max_items=2, fuzziness=fuzziness)
    found, expected = miner.mine(table).likely, positive_rules(table, "s0", miner)
    assert {key_of(table, rule) for rule in found} == set(expected)
    for rule in found:
        support, count, convincing = expected[key_of(table, rule)]
        assert (rule.support, rule.share) == (pytest.approx(float(support)), pytest.approx(float(count / support)))
        assert rule.conviction == pytest.approx(convincing)


def test_fuzzy_rules_that_are_not_convincing_are_left_out() -> None:
    """Ages have degrees of membership; flu is only a little more frequent among the young than in the whole table."""
    ages = ["21", "23", "25", "27", "31", "33", "41", "44", "52", "58"]
    ills = ["flu", "flu", "flu", "cold", "flu", "cold", "cold", "flu", "cold", "cold"]
    schema = Schema.of(quasi=["age"], sensitive=["s0"], taxonomies={"age": Intervals(width=10)})
    table = Table.of_rows(schema, {"age": ages, "s0": ills})
    counts = {}
    for conviction in (1.0, 1.5, 2.0, 4.0):
        miner = Miner(positive=True, min_support=0.05, min_conviction=conviction, max_items=1, fuzziness=0.25)
        found, expected = miner.mine(table).likely, positive_rules(table, "s0", miner)
        assert {key_of(table, rule) for rule in found} == set(expected)
        counts[conviction] = len(found)
    assert counts[1.0] > counts[1.5] > counts[2.0] >= counts[4.0] > 0


@settings(deadline=None)
@given(TABLES, st.builds(Miner, **SETTINGS))
def test_rules_stand_in_order(table: Table, miner: Miner) -> None:
    order = {name: place for place, name in enumerate(table.schema.quasi)}
    found = [(len(rule.when), [order[item.column] for item in rule.when]) for rule in miner.mine(table).never]
    assert found == sorted(found)


@settings(deadline=None)
@given(TABLES, st.builds(Miner, **SETTINGS))
def test_leaving_out_what_follows_changes_nothing_that_is_ruled_out(table: Table, miner: Miner) -> None:
    every, some = (replace(miner, most_general=general).mine(table) for general in (False, True))
    assert np.array_equal(every.ruled_out(table), some.ruled_out(table))


def test_only_negative_rules_unless_asked() -> None:
    found = Miner(min_expectation=0.5).mine(hospital())
    assert found.never
    assert not found.likely
    assert not found.shares


def test_nothing_is_told_of_a_column_with_one_value() -> None:
    table = Table.of_rows(
        Schema.of(quasi=["a", "b"], sensitive=["s"]), {"a": ["x"] * 4, "b": list("ppqq"), "s": list("uuvv")}
    )
    found = Miner(min_expectation=0.5, min_confidence=0.5, max_items=2).mine(table)
    assert {item.column for rule in found.never for item in rule.when} == {"b"}


def test_very_many_values_fit_in_little_memory() -> None:
    """10,000 codes against 200 jobs, 100 ages and 40 secrets: a full cube would have eight thousand million cells."""
    random = np.random.default_rng(3)
    count = 30_000
    code, job, age = random.zipf(1.2, count) % 10_000, random.integers(0, 200, count), random.integers(0, 100, count)
    secret = np.where(job == 7, random.integers(1, 40, count), random.integers(0, 40, count))
    cells = {"code": code, "job": job, "age": age, "secret": secret}
    schema = Schema.of(quasi=["code", "job", "age"], sensitive=["secret"], kinds=dict.fromkeys(cells, "text"))
    table = Table.of_rows(schema, {name: [f"v{value}" for value in values] for name, values in cells.items()})
    tracemalloc.start()
    found = Miner(max_items=3).mine(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "job is v7: never v0" in [str(rule) for rule in found.never]
    assert peak < 250e6


def test_progress_is_told() -> None:
    heard: list[tuple[int, int | None]] = []
    with listening(lambda what, done, total: heard.append((done, total))):
        Miner(max_items=2).mine(hospital())
    assert heard[-1] == (6, 6)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_wrong_settings() -> None:
    with pytest.raises(ParameterError, match="below 1"):
        Miner(min_expectation=1)
    with pytest.raises(ParameterError, match="max_items"):
        Miner(max_items=0)
    with pytest.raises(SchemaError, match="not declared sensitive"):
        Miner().mine(hospital(), "Job")


@pytest.mark.parametrize(
    ("records", "items", "values", "both", "convincing"),
    [
        (300_000_000, 150_000_000, 200_000_000, 125_000_000, True),
        (300_000_000, 166_666_667, 200_000_003, 138_888_890, False),
        (300_001 * 200_000, 300_001, 200_000, 150_001, True),
        (300_001 * 200_000 - 1, 300_001, 200_000, 150_001, False),
    ],
)
def test_convictions_of_very_many_records_are_compared_exactly(
    records: int, items: int, values: int, both: int, convincing: bool
) -> None:
    """The conviction of a rule is items x (records - values) / ((items - both) x records), here 2 or just below.

    Both products are above 2^53, where floats do not tell numbers that differ by 1; some others exceed 64 bits.
    """
    assert items * (records - values) == 2 * (items - both) * records - (not convincing)
    table = Table.of_rows(Schema.of(quasi=["q"], sensitive=["s"]), {"q": [*"aabb"], "s": [*"xyxy"]})
    counts = np.array([both, items - both, values - both, records - items - values + both], dtype=np.int64)
    search = Search.over(Miner(positive=True, min_support=1e-9, min_conviction=2), replace(table, counts=counts), "s")
    found = [(str(rule.when[0]), rule.value) for rule in search.positive_rules(search.run()[1])]
    assert (("q is a", "x") in found) == convincing
