"""Microaggregation: groups of similar numbers that each publish a centroid."""
