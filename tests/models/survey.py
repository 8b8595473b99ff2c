"""The table on which the `CONFORMING` models of every test file are checked, and knowledge about its columns."""

from __future__ import annotations

import numpy as np

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.knowledge import Item, Knowledge, Rule
from sfumato.taxonomies.tree import Tree


def survey() -> Table:
    """Sixty seeded records: two quasi columns and one ordered sensitive column with a taxonomy and missing values."""
    random = np.random.default_rng(5)
    tree = Tree(branches={"ANY": {"low": ["1", "2"], "high": {"higher": ["4", "8"], "16": []}}})
    schema = Schema.of(quasi=["town", "age"], sensitive=["grade"], taxonomies={"grade": tree})
    rows = {
        "town": random.choice(["north", "south", "east"], 60).tolist(),
        "age": random.choice(["20", "30", "40", "50"], 60).tolist(),
        "grade": random.choice(["1", "1", "2", "4", "8", "16", None], 60).tolist(),
    }
    return Table.of_rows(schema, rows)


NEVER = Knowledge(
    "grade",
    (
        Rule((Item("town", "north"),), "16"),
        Rule((Item("town", "south"), Item("age", "[20, 30]")), "1"),
        Rule((Item("age", "50"),), "missing"),
    ),
)

LIKELY = Knowledge(
    "grade",
    NEVER.never[:1],
    (Rule((Item("age", "20"),), "1", share=0.6),),
    (Rule((Item("town", "east"), Item("age", "20")), "8", share=0.1), Rule((), "2", share=0.3)),
)
