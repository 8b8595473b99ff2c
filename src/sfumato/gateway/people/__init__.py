"""Users and their tokens, roles and permissions, and the choices that data subjects make about their own data."""

from sfumato.gateway.people.people import People, Person

__all__ = ["People", "Person"]
