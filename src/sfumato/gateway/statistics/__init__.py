"""Aggregates for people who may see no rows: exact ones that are audited, and noisy ones on an account."""
