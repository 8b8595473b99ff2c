"""Who asks: users and tokens, roles, permissions, and what people chose for their own data."""

from sfumato.gateway.people.people import People, Person

__all__ = ["People", "Person"]
