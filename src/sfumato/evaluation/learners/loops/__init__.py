"""Compiled loops of C4.5."""
