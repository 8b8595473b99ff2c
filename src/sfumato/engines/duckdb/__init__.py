"""The DuckDB engine: counts and streams the records of files and frames."""
