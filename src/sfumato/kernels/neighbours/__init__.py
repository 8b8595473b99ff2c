"""Compiled loops over points: nearest, farthest, equal ones, and the tree that finds them."""
