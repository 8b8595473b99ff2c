"""The running example of doctests and documentation: seven patients of a hospital (book, Table 2.2)."""

from __future__ import annotations

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.taxonomies.tree import Tree

ROWS = {
    "Job": ["Engineer", "Engineer", "Lawyer", "Writer", "Writer", "Dancer", "Dancer"],
    "Sex": ["Male", "Male", "Male", "Female", "Female", "Female", "Female"],
    "Age": ["35", "38", "38", "30", "30", "30", "30"],
    "Disease": ["Hepatitis", "Hepatitis", "HIV", "Flu", "HIV", "HIV", "HIV"],
}

PERSONS = {
    "Name": ["Alice", "Bob", "Cathy", "Doug", "Emily", "Fred", "Gladys", "Henry", "Irene"],
    "Job": ["Writer", "Engineer", "Writer", "Lawyer", "Dancer", "Engineer", "Dancer", "Lawyer", "Dancer"],
    "Sex": ["Female", "Male", "Female", "Male", "Female", "Male", "Female", "Male", "Female"],
    "Age": ["30", "35", "30", "38", "30", "38", "30", "39", "32"],
}
"""The persons who could be patients, as everybody knows them (book, Table 2.3)."""

JOBS = Tree(branches={"ANY_Job": {"Professional": ["Engineer", "Lawyer"], "Artist": ["Dancer", "Writer"]}})
SEXES = Tree(branches={"ANY_Sex": ["Male", "Female"]})
AGES = Tree(branches={"[30, 40)": {"[30, 35)": ["30", "32"], "[35, 40)": ["35", "38", "39"]}})


def hospital_schema() -> Schema:
    """Job, sex and age are quasi columns; the disease is sensitive."""
    return Schema.of(
        quasi=["Job", "Sex", "Age"],
        sensitive=["Disease"],
        taxonomies={"Job": JOBS, "Sex": SEXES, "Age": AGES},
    )


def hospital_population() -> Table:
    """The nine persons who could be patients, with what everybody knows of them.

    >>> hospital_population().records
    9
    """
    return Table.of_rows(Schema.of(identifiers=["Name"], quasi=["Job", "Sex", "Age"]), PERSONS)


def hospital() -> Table:
    """Seven patients with job, sex, age and disease.

    >>> hospital().records
    7
    """
    return Table.of_rows(hospital_schema(), ROWS)
