"""Groups given by how often each value occurs in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.taxonomies.tree import Tree


def spread(
    matrix: Sequence[Sequence[int]], values: Sequence[str] | None = None, taxonomy: Tree | None = None
) -> Groups:
    """One group a row, one sensitive value a column; the whole table is all rows together."""
    names = values or [f"v{index}" for index in range(len(matrix[0]))]
    cells = [
        (str(group), name, often) for group, row in enumerate(matrix) for name, often in zip(names, row, strict=True)
    ]
    rows = {
        "q0": [group for group, _, often in cells for _ in range(often)],
        "s0": [name for _, name, often in cells for _ in range(often)],
    }
    taxonomies = {} if taxonomy is None else {"s0": taxonomy}
    table = Table.of_rows(
        Schema.of(quasi=["q0"], sensitive=["s0"], kinds={"q0": "number"}, taxonomies=taxonomies), rows
    )
    return Groups.of(table, ["q0"])


def huge(matrix: Sequence[Sequence[int]], values: Sequence[str]) -> Groups:
    """The same with counts too large to write out, and the whole table as given by all groups."""
    counts = np.array(matrix, dtype=np.int64)
    small = spread(np.minimum(counts, 1).tolist(), values)
    table = small.table
    wide = counts[counts > 0]
    made = Table(table.schema, table.codes, wide, table.domains)
    return Groups.of(made, ["q0"])
