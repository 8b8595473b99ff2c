"""Aggregates for callers who may see no rows: exact ones that are audited, and noisy ones with a privacy budget."""
