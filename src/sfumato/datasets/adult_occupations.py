"""Adult as used in the paper on Injector, with the occupation as sensitive column (Li and Li 2008, section VI)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult import Part, adult_file
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.tree import Tree

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex")
SENSITIVE = "occupation"

_SCHOOL = {
    "Elementary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
    "Secondary": ["9th", "10th", "11th", "12th", "HS-grad"],
}
_AFTER_SCHOOL = {
    "University": ["Some-college", "Assoc-acdm", "Assoc-voc", "Bachelors"],
    "Post-grad": ["Masters", "Prof-school", "Doctorate"],
}
_WIDTHS = (20, 10, 5)
_AGES = range(17, 91)

BRANCHES: dict[str, dict[str, Any]] = {
    "workclass": {
        "Any-work": {
            "Private": {},
            "Self-employed": ["Self-emp-not-inc", "Self-emp-inc"],
            "Government": ["Federal-gov", "Local-gov", "State-gov"],
            "Unemployed": ["Without-pay", "Never-worked"],
        }
    },
    "education": {"Any-education": {"No-post-secondary": _SCHOOL, "Post-secondary": _AFTER_SCHOOL}},
    "marital-status": {
        "Any-status": {
            "Married": ["Married-civ-spouse", "Married-AF-spouse"],
            "Never-married": {},
            "Was-married-or-absent": ["Divorced", "Separated", "Widowed", "Married-spouse-absent"],
        }
    },
    "race": {
        "Any-race": {"White": {}, "Nonwhite": ["Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"]},
    },
    "sex": {"Any-sex": ["Male", "Female"]},
}
"""Trees with the heights of the paper's Table III; the paper does not print the trees."""


def adult_occupations_schema() -> Schema:
    """Six quasi columns, and the occupation as sensitive column; `?` is a missing value.

    >>> adult_occupations_schema().quasi
    ('age', 'workclass', 'education', 'marital-status', 'race', 'sex')
    """
    trees: dict[str, TaxonomyBuilder] = {name: Tree(branches=branches) for name, branches in BRANCHES.items()}
    ages = Tree(branches={"Any-age": _intervals(_AGES, _WIDTHS)})
    return Schema.of(quasi=QUASI, sensitive=[SENSITIVE], taxonomies={"age": ages, **trees}, missing=["?"])


def adult_occupations(folder: str | Path | None = None, part: Part = "train") -> Table:
    """The complete records of Adult with this schema; the training part has the 30,162 records of the paper."""
    return Table.read(adult_file(folder, part), adult_occupations_schema())


def _intervals(ages: range, widths: tuple[int, ...]) -> Any:
    """Nested intervals that start at multiples of the first width, with intervals of the next width below them."""
    if not widths:
        return [str(age) for age in ages]
    width, *narrower = widths
    intervals = {}
    for start in range(ages.start // width * width, ages.stop, width):
        inside = range(max(start, ages.start), min(start + width, ages.stop))
        intervals[f"[{start}, {start + width})"] = _intervals(inside, tuple(narrower))
    return intervals
