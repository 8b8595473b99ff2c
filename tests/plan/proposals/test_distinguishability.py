from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.datasets.hospital import ROWS
from sfumato.engines.base import Counted
from sfumato.plan.proposals.distinguishability import Agreement, Individuals, Separation, variance_within


def counted(columns: dict[str, list[str]]) -> Counted:
    raw, codes = {}, {}
    for name, values in columns.items():
        raw[name] = sorted(set(values))
        codes[name] = np.array([raw[name].index(value) for value in values], dtype=np.int32)
    return Counted(raw, codes, np.ones(len(next(iter(columns.values()))), dtype=np.int64))


def test_job_and_age_of_the_running_example() -> None:
    """Golden D5: {Job, Age} of table B2 has distinct ratio 5/7 and separation ratio 19/21."""
    found = Separation.of_columns(counted(ROWS), ["Job", "Age"])
    assert found.distinct == pytest.approx(5 / 7)
    assert found.separated == pytest.approx(19 / 21)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=12))
def test_it_equals_counting_pairs(rows: list[tuple[int, int]]) -> None:
    table = counted({"a": [str(a) for a, _ in rows], "b": [str(b) for _, b in rows]})
    pairs = list(combinations(rows, 2))
    found = Separation.of_columns(table, ["a", "b"])
    assert found.distinct == pytest.approx(len(set(rows)) / len(rows))
    assert found.separated == pytest.approx(sum(one != two for one, two in pairs) / len(pairs))


def test_no_columns_and_one_record_tell_nobody_apart() -> None:
    assert Separation.of_columns(counted(ROWS), []) == Separation(1 / 7, 0.0)
    assert Separation.of_sizes(np.array([1])) == Separation(1.0, 0.0)


def persons_table(rows: list[tuple[int, int, int]]) -> Counted:
    return counted(
        {
            "who": [f"p{who}" for who, _, _ in rows],
            **{name: [str(row[place]) for row in rows] for place, name in ((1, "a"), (2, "b"))},
        }
    )


people = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=14)


@given(people)
def test_unique_persons_equal_plain_counting(rows: list[tuple[int, int, int]]) -> None:
    table = persons_table(rows)
    holders: dict[tuple[int, int], set[int]] = {}
    for who, a, b in rows:
        holders.setdefault((a, b), set()).add(who)
    alone = {who for who, a, b in rows if holders[a, b] == {who}}
    assert Individuals(table, "who").unique(["a", "b"]) == pytest.approx(len(alone) / len({who for who, _, _ in rows}))
    single = [row for row in rows if [one[1:] for one in rows].count(row[1:]) == 1]
    assert Individuals(table).unique(["a", "b"]) == pytest.approx(len(single) / len(rows))


def test_records_without_a_person_are_persons_of_their_own() -> None:
    table = Counted(
        {"who": ["p", None], "a": ["1", "2"]},
        {"who": np.array([0, 0, 1, 1]), "a": np.array([0, 1, 1, 0])},
        np.ones(4, dtype=np.int64),
    )
    found = Individuals(table, "who")
    assert (found.number, found.unit, found.unique(["a"])) == (3, "persons", 0.0)


def test_who_is_alone_in_a_group_by_hand() -> None:
    """Of ten records, five have each value. Of four others of nine, those without a value are 5/9 each time."""
    halves = Individuals(counted({"a": ["x"] * 5 + ["y"] * 5}))
    assert halves.alone_among(["a"], 4) == pytest.approx((5 / 9) ** 4)
    assert halves.alone_among(["a"], 0) == 1.0
    assert Individuals(counted({"a": ["x"] * 6})).alone_among(["a"], 4) == 0.0
    assert Individuals(counted({"a": ["x"]})).alone_among(["a"], 4) == 1.0


def test_a_person_of_several_records_has_several_chances_to_be_alone() -> None:
    """A person is hidden only if every record is: x is had by 3 of 4 records, y by 1."""
    table = counted({"who": ["p", "p", "q", "r"], "a": ["x", "y", "x", "x"]})
    chance_x, chance_y = 1 / 3, 1.0
    expected = ((1 - (1 - chance_x) * (1 - chance_y)) + chance_x + chance_x) / 3
    assert Individuals(table, "who").alone_among(["a"], 1) == pytest.approx(expected)


def test_the_columns_that_stay_plain_single_out_few_together() -> None:
    rare = ["x"] * 97 + ["y"] * 3
    table = counted({
        "rare": rare, "copy": rare, "other": ["y"] * 3 + ["x"] * 97, "half": ["x", "y"] * 50,
        "many": [str(number) for number in range(100)],
    })  # fmt: skip
    found = Individuals(table)
    assert found.alone_among(["rare"], 4) < 0.03 < 0.05 < found.alone_among(["rare", "other"], 4)
    # a copy adds nothing, and either of the two rare columns alone is harmless
    assert found.plain_columns(["rare", "copy", "other", "half", "many"], 4, 0.05) == ["rare", "copy"]
    # among as many others as there are, only those who are unique count; one of the three with rare has an x in half
    assert found.plain_columns(["rare", "other", "half", "many"], 99, 0.0) == ["rare", "other"]
    assert found.plain_columns(["rare", "other", "half", "many"], 99, 0.02) == ["rare", "other", "half"]


def test_a_small_set_is_listed_unless_it_adds_little_to_a_part_of_it() -> None:
    """Of 100 persons, `a` makes 17 unique, `b` 72 and `c` 5.

    Together `a` and `b` make 89 unique, which is more than half of the 28 that `b` leaves. All three make 94 unique,
    `b` and `c` 77, `a` and `c` 22.
    """
    a = [*(f"a{place}" for place in range(17)), *("x" for _ in range(83))]
    b = [*("y" for _ in range(17)), *(f"b{place}" for place in range(72)), *("z" for _ in range(11))]
    c = [*("u" for _ in range(89)), *(f"c{place}" for place in range(5)), *("v" for _ in range(6))]
    found = Individuals(counted({"a": a, "b": b, "c": c})).small_sets(["a", "b", "c"], 0.05)
    assert [(one.columns, one.unique) for one in found] == [
        (("a", "b"), 0.89),
        (("b",), 0.72),
        (("a",), 0.17),
        (("c",), 0.05),
    ]


def test_small_sets_are_the_smallest_ones() -> None:
    rows = [(place // 4, place % 4, 0, place) for place in range(16)]
    names = ("row", "place", "same", "number")
    table = counted({name: [str(row[at]) for row in rows] for at, name in enumerate(names)})
    found = Individuals(table).small_sets(names, 0.5)
    assert [(one.columns, one.unique) for one in found] == [(("number",), 1.0), (("row", "place"), 1.0)]
    assert Individuals(table).small_sets(["same"], 0.5) == []


def test_a_larger_set_is_looked_at_beside_the_small_ones_and_comes_first() -> None:
    rows = [(place // 8, place // 4 % 2, place // 2 % 2, place % 2, 0) for place in range(16)]
    table = counted({name: [str(row[at]) for row in rows] for at, name in enumerate("abcde")})
    found = Individuals(table)
    assert [one.columns for one in found.small_sets("abcde", 0.5, also=["a", "b", "c", "d"])] == [("a", "b", "c", "d")]
    assert found.small_sets("abcde", 0.5, also=["a", "b", "c", "e"]) == []
    assert found.small_sets("abcde", 0.5, also=["a", "b", "c"]) == []


def test_agreement_of_pairs_by_hand() -> None:
    """Of the pairs with the same key, 1 + 3 there are, all but two agree; of all 10 pairs, u gives 3 and v gives 1."""
    table = counted({"key": ["p", "p", "q", "q", "q"], "b": ["u", "u", "v", "v", "u"]})
    assert Agreement.of(table, "key", "b") == Agreement(within=2 / 4, overall=4 / 10)
    without = np.array([True, True, False, False, True])
    assert Agreement.of(table, "key", "b", without) == Agreement(within=1.0, overall=1.0)
    assert Agreement.of(counted({"key": ["p", "q"], "b": ["u", "u"]}), "key", "b").within == 0.0


@given(st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("uv")), min_size=2, max_size=12))
def test_agreement_counts_pairs(rows: list[tuple[str, str]]) -> None:
    table = counted({"key": [key for key, _ in rows], "b": [b for _, b in rows]})
    pairs = [(one, other) for one, other in combinations(rows, 2) if one[0] == other[0]]
    found = Agreement.of(table, "key", "b")
    assert found.within == pytest.approx(sum(one == other for one, other in pairs) / max(len(pairs), 1))
    same = sum(one[1] == other[1] for one, other in combinations(rows, 2))
    assert found.overall == pytest.approx(same / (len(rows) * (len(rows) - 1) / 2))


def test_variance_within_by_hand() -> None:
    """1 and 3 with p, 7 and 9 with q: (1 + 1 + 1 + 1) / 2 within, (16 + 4 + 4 + 16) / 3 among all."""
    table = counted({"key": ["p", "p", "q", "q", "q"], "age": ["1", "3", "7", "9", "?"]})
    numbers = np.array([float("nan") if text == "?" else float(text) for text in table.raw["age"]])
    every = np.ones(5, dtype=bool)
    assert variance_within(table, "key", "age", numbers, every) == pytest.approx((4 / 2) / (40 / 3))
    assert variance_within(table, "key", "age", numbers, ~every) == 1.0
    assert variance_within(table, "age", "age", numbers, every) == 1.0


def test_partners_are_added_one_by_one() -> None:
    rows = [(place // 4, place % 4, 0) for place in range(16)]
    table = counted({name: [str(row[at]) for row in rows] for at, name in enumerate(("row", "place", "same"))})
    found = [
        (one.columns, one.unique, without) for one, without in Individuals(table).partners("row", ["same", "place"])
    ]
    assert found[:2] == [(("row",), 0.0, 0.0), (("row", "place"), 1.0, 0.0)]
    assert [one.columns for one, _ in Individuals(table).partners("row", [])] == [("row",)]


def test_a_partner_that_singles_out_by_itself_is_not_the_best_one() -> None:
    rows = [(place // 4, place % 4, place) for place in range(16)]
    table = counted({name: [str(row[at]) for row in rows] for at, name in enumerate(("row", "place", "number"))})
    assert [one.columns for one, _ in Individuals(table).partners("row", ["number", "place"], most=1)][1] == (
        "row",
        "place",
    )
