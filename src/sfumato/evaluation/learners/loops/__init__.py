"""Compiled loops of C4.5: counting and rating tests, growing a tree, and predicting with it."""
