"""Compiled loops of the Mondrian family."""
