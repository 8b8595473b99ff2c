"""Clustering: groups of similar records, published as the ranges, sets or taxonomy nodes that cover them."""
