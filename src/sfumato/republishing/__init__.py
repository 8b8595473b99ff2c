"""Republishing: successive releases about the same persons."""
