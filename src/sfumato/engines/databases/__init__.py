"""Databases to publish from: a table or the rows of a query, read in one snapshot into a private Parquet file."""
