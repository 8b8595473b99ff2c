"""Worked examples of publishing for a classifier: the Red Cross table and both examples of top-down refinement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.taxonomies import Tree
from sfumato.taxonomies.base import TaxonomyBuilder

RED_CROSS = {
    "Job": [
        "Janitor", "Doctor", "Mover", "Lawyer", "Mover", "Janitor", "Doctor", "Lawyer", "Doctor", "Carpenter",
        "Technician",
    ],
    "Sex": ["M", "M", "M", "M", "M", "M", "M", "F", "F", "F", "F"],
    "Age": ["34", "58", "34", "24", "58", "44", "24", "58", "44", "63", "63"],
    "Transfuse": ["Y", "N", "Y", "N", "N", "Y", "N", "N", "N", "Y", "Y"],
    "Surgery": [
        "Transgender", "Plastic", "Transgender", "Vascular", "Urology", "Plastic", "Urology", "Plastic", "Vascular",
        "Vascular", "Plastic",
    ],
}  # fmt: skip
"""Golden C1: book, Table 6.1."""

JOB = Tree(
    branches={
        "ANY_Job": {
            "Blue-collar": {"Non-Technical": ["Janitor", "Mover"], "Technical": ["Carpenter", "Technician"]},
            "White-collar": {"Professional": ["Doctor", "Lawyer"]},
        }
    }
)
SEX = Tree(branches={"ANY_Sex": ["M", "F"]})
DRAWN_AGE = Tree(
    branches={"[1, 99)": {"[1, 60)": {"[1, 30)": ["24"], "[30, 60)": ["34", "44", "58"]}, "[60, 99)": ["63"]}}
)
"""The trees of book, Figure 6.3."""

EDUCATION = Tree(
    branches={
        "ANY_Edu": {
            "Secondary": {"Junior Sec.": ["9th", "10th"], "Senior Sec.": ["11th", "12th"]},
            "University": {"Bachelors": [], "Grad School": ["Masters", "Doctorate"]},
        }
    }
)
"""Fung, Wang and Yu (2007), Figure 1; book, Figure 7.1."""

SCHOOLS = Tree(branches={"ANY_Edu": ["8th", "9th", "10th"]})

_TRADE_OFF = (
    ("10th", "M", "40", 20, 0), ("10th", "M", "30", 0, 4), ("9th", "M", "30", 0, 2), ("9th", "F", "30", 0, 4),
    ("9th", "F", "40", 0, 6), ("8th", "F", "30", 0, 2), ("8th", "F", "40", 0, 2),
)  # fmt: skip

RUNNING = (
    ("9th", "M", "30", 0, 3), ("10th", "M", "32", 0, 4), ("11th", "M", "35", 2, 3), ("12th", "F", "37", 3, 1),
    ("Bachelors", "F", "42", 4, 2), ("Bachelors", "F", "44", 4, 0), ("Masters", "M", "44", 4, 0),
    ("Masters", "F", "44", 3, 0), ("Doctorate", "F", "44", 1, 0),
)  # fmt: skip


def red_cross(ages: TaxonomyBuilder | None = None) -> Table:
    """Golden C1: eleven patients, whether they need a transfusion, and what surgery they had."""
    schema = Schema.of(
        quasi=["Job", "Sex", "Age"],
        sensitive=["Surgery"],
        target=["Transfuse"],
        taxonomies={"Job": JOB, "Sex": SEX} | ({} if ages is None else {"Age": ages}),
    )
    return Table.of_rows(schema, RED_CROSS)


def trade_off() -> Table:
    """Golden C2: forty records for which information gain alone chooses badly (book, Tables 6.3 and 6.4)."""
    trees = {"Education": SCHOOLS, "Sex": SEX}
    return Table.of_rows(_schema(trees, {}), _records(_TRADE_OFF))


def running(taxonomies: bool = True, quasi_identifiers: Mapping[str, Sequence[str]] | None = None) -> Table:
    """Golden C3: the running example of thirty-four records (Fung, Wang and Yu 2007, Table I; book, Table 7.1)."""
    trees = {"Education": EDUCATION, "Sex": SEX} if taxonomies else {}
    named = quasi_identifiers or {"one": ["Education", "Sex"], "two": ["Sex", "Work_Hrs"]}
    return Table.of_rows(_schema(trees, named), _records(RUNNING))


def _schema(trees: Mapping[str, TaxonomyBuilder], named: Mapping[str, Sequence[str]]) -> Schema:
    return Schema.of(
        quasi=["Education", "Sex", "Work_Hrs"], target=["Class"], taxonomies=trees, quasi_identifiers=named
    )


def _records(rows: Sequence[tuple[str, str, str, int, int]]) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {"Education": [], "Sex": [], "Work_Hrs": [], "Class": []}
    for education, sex, hours, yes, no in rows:
        for answer, count in (("Y", yes), ("N", no)):
            columns["Education"] += [education] * count
            columns["Sex"] += [sex] * count
            columns["Work_Hrs"] += [hours] * count
            columns["Class"] += [answer] * count
    return columns
