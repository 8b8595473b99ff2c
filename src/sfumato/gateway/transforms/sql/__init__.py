"""Transforms as SQL: expressions that mean the same on every engine. Loaded only when SQL is built."""
