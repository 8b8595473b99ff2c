"""A query on its way through the gateway, with the permission that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sfumato.gateway.log.logbook import AuditEvent
from sfumato.gateway.people.authority import Grant
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.sections import ObligationSection
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.sql.reading import ParsedQuery


@dataclass(frozen=True)
class PermittedQuery:
    """A query that may be run: by whom, for which purpose, compiled, and by which permission on every table."""

    person: Person
    query: ParsedQuery
    purpose: str
    compiled: CompiledQuery
    grants: Mapping[str, Grant]
    only_aggregates: bool = False
    parameters: tuple[Any, ...] = field(default=(), repr=False)

    @cached_property
    def obligations(self) -> tuple[ObligationSection, ...]:
        """The obligations of all permissions used, each once."""
        of_all_grants = [obligation for grant in self.grants.values() for obligation in grant.obligations]
        return tuple(one for position, one in enumerate(of_all_grants) if one not in of_all_grants[:position])

    @property
    def audit_event(self) -> AuditEvent:
        """The same, as it is written down."""
        return AuditEvent(
            self.person,
            self.query.normalized,
            self.purpose,
            columns=self.compiled.columns_read,
            obligations=self.obligations,
        )
