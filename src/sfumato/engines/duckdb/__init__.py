"""The engine on DuckDB: files and frames, counted and streamed."""
