"""Data about persons: the schema with its roles, the domains of columns, published labels, and `Table`."""
