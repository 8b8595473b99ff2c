"""Engines of the gateway: the contract of a source of data, and its implementations for DuckDB and PostgreSQL."""
