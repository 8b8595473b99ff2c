"""The DuckDB engine: the owner's private database, and worker processes that hold only masked relations."""
