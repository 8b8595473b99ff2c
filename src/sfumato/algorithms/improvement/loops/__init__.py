"""Compiled loops of local search, each file named like the module that runs it."""
