"""The trees of Adult: the shapes that the paper states, and every value of the data."""

from __future__ import annotations

import pytest

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import data_folder
from sfumato.datasets.adult_trees import adult_trees

SHAPES = {
    "education": (16, 5),
    "marital-status": (7, 4),
    "native-country": (41, 5),
    "occupation": (14, 3),
    "race": (5, 3),
    "relationship": (6, 3),
    "sex": (2, 2),
    "workclass": (8, 5),
}
"""Values and levels, the root counted (Fung, Wang and Yu 2007, Table III); the data has one more country."""


def shape(branches, level: int = 1) -> tuple[int, int]:
    """Leaves and levels of nested branches."""
    if isinstance(branches, list) or not branches:
        return max(len(branches), 1), level + (1 if branches else 0)
    below = [shape(inner, level + 1) for inner in branches.values()]
    return sum(leaves for leaves, _ in below), max(depth for _, depth in below)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    leaves, levels = shape(adult_trees()[name].branches, 0)
    assert (leaves, levels) == SHAPES[name]


def test_every_value_has_its_place() -> None:
    path = data_folder() / "adult" / "adult_all_complete.csv"
    if not path.is_file():
        pytest.skip("the public data files are not here")
    trees = adult_trees()
    table = Table.read(path, Schema.of(quasi=list(trees), taxonomies=trees))
    assert {name: len(table.domains[name]) for name in ("native-country", "workclass")} == {
        "native-country": 41,
        "workclass": 7,
    }
