"""Compiled loops of the local searches, each named like the module that uses it."""
