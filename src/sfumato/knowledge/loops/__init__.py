"""Compiled loops of `knowledge.matching` (valid values of records) and `knowledge.inference` (posterior beliefs)."""
