"""Nine patients; common knowledge about men and women reveals the diseases of some (Li and Li 2008, Table I)."""

from __future__ import annotations

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.taxonomies.intervals import Intervals
from sfumato.taxonomies.masking import Masking
from sfumato.taxonomies.tree import Tree

ROWS = {
    "Zip": ["47677", "47602", "47678", "47905", "47909", "47906", "47605", "47673", "47607"],
    "Age": ["29", "22", "27", "43", "52", "47", "30", "36", "32"],
    "Sex": ["F", "F", "M", "M", "F", "M", "M", "M", "M"],
    "Disease": [
        "Ovarian Cancer",
        "Ovarian Cancer",
        "Prostate Cancer",
        "Flu",
        "Heart Disease",
        "Heart Disease",
        "Heart Disease",
        "Flu",
        "Flu",
    ],
}
"""One entry per patient, in the order of the paper's numbers 1 to 9."""

BUCKETS = (1, 1, 1, 2, 2, 2, 3, 3, 3)
"""The bucket of every patient in the anatomized table of the paper (its Table II)."""


def nine_patients_schema() -> Schema:
    """Zip code, age and sex are quasi columns; the disease is sensitive."""
    return Schema.of(
        quasi=["Zip", "Age", "Sex"],
        sensitive=["Disease"],
        kinds={"Zip": "text"},
        taxonomies={"Zip": Masking(), "Age": Intervals(width=10), "Sex": Tree(branches={"Person": ["F", "M"]})},
    )


def nine_patients() -> Table:
    """Nine patients with zip code, age, sex and disease.

    >>> nine_patients().records
    9
    """
    return Table.of_rows(nine_patients_schema(), ROWS)
