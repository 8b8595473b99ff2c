"""Compiled loops of aggregate answers: arithmetic of the sums that are audited."""
