"""Compiled loops of top-down specialization."""
