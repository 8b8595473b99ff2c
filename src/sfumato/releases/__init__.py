"""Candidates and releases: what is published, its verdicts, and how it lies on disk."""
