"""Compiled loops of microaggregation; each file is named after the algorithm that uses it.

Points are an array of records by columns, and the result of a loop is the group of every record (labels). In the notes
on cost, n is the number of records and k the size of a group.
"""
