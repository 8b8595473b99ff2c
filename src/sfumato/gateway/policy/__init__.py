"""Policies: read from TOML, checked, held against the database, and followed while they change."""
