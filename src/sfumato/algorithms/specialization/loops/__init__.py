"""Compiled loops of top-down specialization: counting records by leaf and part, and dividing leaves."""
