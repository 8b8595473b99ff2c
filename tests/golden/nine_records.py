"""The nine records of Kabir (2010), Tables 4.1 and 4.4, and their trees (Figures 4.1 to 4.3, rebuilt from the text).

Table 4.1 is the first six records. What `12th` is under is a guess; all else is forced by Tables 4.5 and 4.6.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.taxonomies.tree import Tree

ROWS = {
    "ZipCode": ["4350", "4351", "4352", "4350", "4350", "4350", "4352", "4352", "4352"],
    "Gender": ["Male", "Male", "Male", "Male", "Female", "Female", "Male", "Female", "Male"],
    "Age": ["24", "25", "26", "35", "40", "38", "41", "42", "43"],
    "Education": ["9th", "10th", "9th", "9th", "10th", "11th", "9th", "10th", "10th"],
    "Disease": ["Flue", "Cancer", "HIV+", "Diabetes", "Diabetes", "Diabetes", "Flue", "Heart disease", "Cancer"],
}
"""One entry a record, in the order of the thesis' numbers 1 to 9."""

TREES = {
    "ZipCode": Tree(branches={"435*": ["4350", "4351", "4352"]}),
    "Gender": Tree(branches={"Person": ["Male", "Female"]}),
    "Education": Tree(branches={"Educated": {"Primary": ["9th", "10th"], "Secondary": ["11th", "12th"]}}),
}


def nine_records(records: int = 9) -> Table:
    """The first so many records; rows are sorted by age, which is unlike for all of them."""
    schema = Schema.of(
        quasi=["Age", "ZipCode", "Gender", "Education"],
        sensitive=["Disease"],
        kinds={"ZipCode": "text"},
        taxonomies=TREES,
    )
    return Table.of_rows(schema, {name: values[:records] for name, values in ROWS.items()})


def numbers_of(table: Table) -> NDArray[np.int64]:
    """Which record, from 1, each row of a table is."""
    ages = [table.domain("Age").texts[code] for code in table.codes["Age"]]
    return np.array([ROWS["Age"].index(age or "") + 1 for age in ages])


def clusters_of(table: Table, labels: NDArray[np.int32]) -> set[frozenset[int]]:
    """The numbers of the records in every group."""
    numbers = numbers_of(table)
    return {frozenset(numbers[labels == group].tolist()) for group in np.unique(labels)}


def labels_for(table: Table, clusters: list[set[int]]) -> NDArray[np.int32]:
    """The group of every row, as clusters of numbers say."""
    return np.array(
        [next(i for i, one in enumerate(clusters) if number in one) for number in numbers_of(table)], dtype=np.int32
    )
