"""Recodings of whole columns: levels of a lattice, and subtree cuts found by search."""
