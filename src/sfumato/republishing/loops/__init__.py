"""Compiled loops of republishing."""
