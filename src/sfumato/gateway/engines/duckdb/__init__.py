"""The gateway on DuckDB: a private database, and worker processes that hold only masked relations."""
