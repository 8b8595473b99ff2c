"""The gateway on PostgreSQL: deployed schemas and roles, and the sessions that ask them."""
