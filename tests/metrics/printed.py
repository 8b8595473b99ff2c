"""Tables as the book prints them masked, as candidates that publish exactly what is printed."""

from __future__ import annotations

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.operations.generalize import generalize_groups
from sfumato.releases.table_candidate import TableCandidate

RED_CROSS = (
    ("Non-Technical M [30-60)", "YYNY"),
    ("Professional M [30-60)", "N"),
    ("Professional M [1-30)", "NN"),
    ("Professional F [30-60)", "NN"),
    ("Technical F [60-99)", "YY"),
)
"""Table 6.2: every group with the classes of its records."""

BY_GAIN = (("10th", "Y" * 20 + "N" * 4), ("9th", "N" * 12), ("8th", "N" * 4))
"""Section 6.3.1.2: 40 records specialized by information gain alone."""

BY_SCORE = (("M [40-99)", "Y" * 20), ("M [1-40)", "N" * 6), ("F [40-99)", "N" * 8), ("F [1-40)", "N" * 6))
"""The same 40 records specialized by information gain over anonymity loss."""


def candidate(groups: tuple[tuple[str, str], ...]) -> TableCandidate:
    """One record for every class letter of every group."""
    rows = {
        "look": [look for look, classes in groups for _ in classes],
        "class": [letter for _, classes in groups for letter in classes],
    }
    table = Table.of_rows(Schema.of(quasi=["look"], target=["class"]), rows)
    return generalize_groups(table, Partition.of_labels(table.group_numbers(["look"])), sets=True)
