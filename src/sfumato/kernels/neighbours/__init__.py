"""Compiled loops over points: the nearest and the farthest points, equal points, and the tree that finds them.

A point is a row of float64 coordinates. Records with equal coordinates share a *place*, which is stored and searched
once (`duplicate_points`). Most loops work on a `ShrinkingTree` of places, from which records are removed when they are
assigned to a group. Of several equally good answers the record with the lowest number wins, so results do not depend on
the order of the search.
"""
