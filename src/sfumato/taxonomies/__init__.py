"""How a value grows vaguer. One builder a file; `taxonomy.py` is the tree they all build."""

from sfumato.taxonomies.taxonomy import Taxonomy
from sfumato.taxonomies.tree import Tree

__all__ = ["Taxonomy", "Tree"]
