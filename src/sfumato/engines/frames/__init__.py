"""Conversion of pandas, polars and pyarrow frames, and files that are read as a whole."""
