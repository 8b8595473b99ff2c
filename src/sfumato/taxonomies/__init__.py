"""Generalization hierarchies of columns. One builder per file; `taxonomy.py` is the tree they all build."""

from sfumato.taxonomies.dates import Dates
from sfumato.taxonomies.flat import Flat
from sfumato.taxonomies.intervals import Intervals
from sfumato.taxonomies.level_file import LevelFile, write_level_file
from sfumato.taxonomies.masking import Masking
from sfumato.taxonomies.ordered import Ordered
from sfumato.taxonomies.proposal import propose
from sfumato.taxonomies.reading import builder_from_plan, plan_of
from sfumato.taxonomies.taxonomy import Taxonomy
from sfumato.taxonomies.tree import Tree

__all__ = [
    "Dates",
    "Flat",
    "Intervals",
    "LevelFile",
    "Masking",
    "Ordered",
    "Taxonomy",
    "Tree",
    "builder_from_plan",
    "plan_of",
    "propose",
    "write_level_file",
]
