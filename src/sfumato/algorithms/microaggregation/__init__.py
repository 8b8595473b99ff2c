"""Microaggregation: algorithms that make groups of similar records, each of which publishes a centroid."""
