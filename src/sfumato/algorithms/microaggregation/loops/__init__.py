"""Compiled loops of microaggregation, each named like its algorithm."""
