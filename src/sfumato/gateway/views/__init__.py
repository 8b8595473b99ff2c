"""Masked relations: what a purpose may see of a table, cell by cell, as SQL."""
