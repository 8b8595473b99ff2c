"""The 34 workers that chapters 6 and 7 of the book mask, raw and as Table 7.2 publishes them."""

from __future__ import annotations

import numpy as np

from sfumato.data.labels import Labels
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.operations.generalize import generalize_values
from sfumato.releases.table_candidate import TableCandidate
from tests.golden.classification import EDUCATION, RUNNING, SEX

TABLE_7_2 = ("Junior Sec.", "11th", "12th", "Bachelors", "Grad School")


def columns() -> dict[str, list[str]]:
    """All 34 records, one after the other, class C1 before class C2 within equal ones."""
    rows = [
        (education, sex, age, label)
        for education, sex, age, *often in RUNNING
        for label, times in zip(("C1", "C2"), often, strict=True)
        for _ in range(times)
    ]
    return dict(zip(("Education", "Sex", "Age", "Class"), map(list, zip(*rows, strict=True)), strict=True))


def workers() -> Table:
    """The raw records, the class to be predicted."""
    schema = Schema.of(
        quasi=["Education", "Sex", "Age"], target=["Class"], taxonomies={"Education": EDUCATION, "Sex": SEX}
    )
    return Table.of_rows(schema, columns())


def masked(table: Table, nodes: tuple[str, ...], splits: tuple[str, ...] = ()) -> TableCandidate:
    """Education cut at the given nodes, sex at its root, and the last column in two or more at the given values."""
    education, sex, number = table.schema.quasi
    starts = [0, *(table.domain(number).texts.index(split) for split in splits)]
    cuts = {
        education: _cut(table, education, nodes),
        sex: _cut(table, sex, ("ANY_Sex",)),
        number: Labels.of_intervals(table.domain(number), None, np.array(starts, dtype=np.int32)),
    }
    return generalize_values(table, cuts)


def table_7_2(table: Table) -> TableCandidate:
    """What the book publishes of the 34 records."""
    return masked(table, TABLE_7_2, ("37",))


def _cut(table: Table, column: str, nodes: tuple[str, ...]) -> tuple[Labels, np.ndarray]:
    """The label of every value when its taxonomy is cut at the given nodes."""
    taxonomy = table.taxonomies[column]
    chosen = [[*taxonomy.labels].index(name) for name in nodes]
    above = np.empty(len(taxonomy.domain), dtype=np.int32)
    for node in chosen:
        above[taxonomy.lo[node] : taxonomy.hi[node] + 1] = node
    return Labels.of_nodes(taxonomy, above)
