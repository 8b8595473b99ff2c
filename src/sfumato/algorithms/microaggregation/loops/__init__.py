"""Compiled loops of microaggregation, each file named like its algorithm."""
