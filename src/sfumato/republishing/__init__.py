"""Releases that follow each other about the same people."""
