"""Clustering: groups that lose little when each publishes what covers its records."""
