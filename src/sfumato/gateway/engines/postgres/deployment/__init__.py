"""Deployment of a policy to PostgreSQL: the plan, the statements that carry it out, removal and verification."""
