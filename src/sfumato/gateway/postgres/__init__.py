"""What the gateway puts into a PostgreSQL database, takes out of it, and how it asks it."""
