"""Candidates and releases: published tables, their verdicts, and their files."""
