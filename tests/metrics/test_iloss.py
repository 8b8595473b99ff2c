"""Goldens: book, section 4.1.2 (golden G2), with the Age domain of whole years from 30 to 39."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.hospital import JOBS, ROWS, SEXES
from sfumato.metrics import Iloss
from sfumato.operations.generalize import generalize_levels
from sfumato.taxonomies.tree import Tree

YEARS = [str(year) for year in range(30, 40)]
AGES = Tree(branches={"[30, 40)": {"[30, 35)": YEARS[:5], "[35, 40)": YEARS[5:]}})


def patients() -> Table:
    """The seven patients, in a column of ages that knows all ten years: three more rows only bring in the values."""
    extra = {"Job": ["Dancer"] * 10, "Sex": ["Other"] * 10, "Age": YEARS, "Disease": ["none"] * 10}
    sexes = Tree(branches={"ANY_Sex": [*SEXES.branches["ANY_Sex"], "Other"]})
    schema = Schema.of(
        quasi=["Job", "Sex", "Age"], sensitive=["Disease"], taxonomies={"Job": JOBS, "Sex": sexes, "Age": AGES}
    )
    table = Table.of_rows(schema, {name: [*ROWS[name], *extra[name]] for name in ROWS})
    return table.rows_where(table.codes["Sex"] != table.domain("Sex").texts.index("Other"))


def loss(job: int, sex: int, age: int) -> float:
    table = patients()
    return Iloss().measure(generalize_levels(table, {"Job": job, "Sex": sex, "Age": age}))


def test_artist_and_any_job_cost_a_quarter_and_three_quarters():
    table = patients()
    price = {level: Iloss().per_cell(generalize_levels(table, {"Job": level}))["Job"] for level in (1, 2)}
    assert set(price[1]) == {0.25}
    assert set(price[2]) == {0.75}


def test_job_part_of_table_2_4_is_1_75():
    assert loss(1, 0, 0) == 1.75


def test_job_and_age_of_table_2_4_are_4_55():
    assert loss(1, 0, 1) == pytest.approx(4.55)


def test_identity_costs_nothing():
    assert loss(0, 0, 0) == 0


def test_suppression_costs_as_much_as_the_roots():
    table = patients()
    everything = generalize_levels(table, {"Job": 0, "Sex": 0, "Age": 0}).suppressing(np.ones(len(table), dtype=bool))
    assert Iloss().measure(everything) == pytest.approx(loss(2, 1, 2))


def test_weights_multiply():
    table = patients()
    candidate = generalize_levels(table, {"Job": 1, "Sex": 0, "Age": 1})
    assert Iloss(weights={"Job": 2.0}).measure(candidate) == pytest.approx(2 * 1.75 + 2.8)
