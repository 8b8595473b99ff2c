"""Compiled loops of bucketization; each file is named after the module that uses it.

In the notes on cost, n is the number of records, l the size of a bucket, and a class is the set of records with the
same sensitive value and the same excluded values.
"""
