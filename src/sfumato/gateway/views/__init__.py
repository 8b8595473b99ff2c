"""What a purpose may see of a table, cell by cell."""
