"""Who asks: users and tokens, roles, permissions, and what people chose for their own data."""
