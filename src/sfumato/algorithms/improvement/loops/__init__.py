"""Compiled loops of local search."""
