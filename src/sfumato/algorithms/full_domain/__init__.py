"""Recodings of whole columns: combinations of taxonomy levels, and cuts through taxonomies that a search finds."""
