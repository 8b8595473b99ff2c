"""Contingency by its definition, and blocks where it is plain which columns belong together."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from sfumato.algorithms.bucketization.correlation import BINS, closest, contingency, correlated_blocks
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from tests.oracles.models_oracle import records_of
from tests.strategies import small_tables


def mean_square_contingency(pairs: list[tuple]) -> Fraction:
    """Squared differences between shares and what independence would make them, by the smaller number of values."""
    ones, others, n = {one for one, _ in pairs}, {other for _, other in pairs}, len(pairs)
    kinds = min(len(ones), len(others)) - 1
    if kinds == 0:
        return Fraction(0)
    found = Fraction(0)
    for one in ones:
        for other in others:
            share = Fraction(pairs.count((one, other)), n)
            alone = Fraction(sum(pair[0] == one for pair in pairs) * sum(pair[1] == other for pair in pairs), n * n)
            found += (share - alone) ** 2 / alone
    return found / kinds


@given(small_tables(max_quasi=2, max_sensitive=1, max_repeats=3))
def test_like_its_definition(table):
    pairs = [(record["q0"], record["s0"]) for record in records_of(table)]
    assert contingency(table, "q0", "s0") == pytest.approx(float(mean_square_contingency(pairs)), abs=1e-12)
    assert contingency(table, "s0", "q0") == pytest.approx(contingency(table, "q0", "s0"), abs=1e-12)


def survey() -> Table:
    """a and b are one thing, c and d another, e is noise; n is a number that decides a in ranges."""
    random = np.random.default_rng(3)
    one, two, noise = (random.integers(0, 3, 900) for _ in range(3))
    number = one * 100 + random.integers(0, 90, 900)
    columns = {"a": one, "c": two, "b": (one + 1) % 3, "e": noise, "d": 2 - two, "n": number}
    rows = {name: [str(value) for value in values] for name, values in columns.items()}
    kinds = dict.fromkeys("abcde", "text")
    return Table.of_rows(Schema.of(quasi=["a", "c", "b", "e", "d"], sensitive=["n"], kinds=kinds), rows)


def test_blocks_of_columns_that_tell_of_each_other():
    table, columns = survey(), ("a", "c", "b", "e", "d")
    assert correlated_blocks(table, columns, 3) == (("a", "b"), ("c", "d"), ("e",))
    assert correlated_blocks(table, columns, 9) == (("a",), ("c",), ("b",), ("e",), ("d",))
    assert correlated_blocks(table, columns, 1) == (columns,)
    assert correlated_blocks(table, (), 2) == ()


def test_the_closest_columns():
    assert closest(survey(), ("a", "c", "b", "e", "d"), ("n",), 2) == ("a", "b")
    assert closest(survey(), ("a", "c"), ("n",), 0) == ()


def test_numbers_are_compared_by_ranges():
    """Each of 270 numbers occurs three times or so, which would tell nearly everything by accident."""
    table = survey()
    assert len(table.domain("n")) > 10 * BINS
    assert contingency(table, "e", "n") < 0.03
    assert contingency(table, "a", "n") > 0.8


def test_missing_numbers_are_a_range_of_their_own():
    numbers = [str(value) for value in range(40)]
    schema = Schema.of(quasi=["n", "known"], kinds={"known": "text"})
    table = Table.of_rows(schema, {"n": [*numbers, *[None] * 40], "known": ["yes"] * 40 + ["no"] * 40})
    assert contingency(table, "n", "known") == pytest.approx(1)
