"""A question on its way through the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sfumato.gateway.log.logbook import AuditEvent
from sfumato.gateway.people.authority import Grant
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.sections import ObligationSection
from sfumato.gateway.sql.compiling import Answerable
from sfumato.gateway.sql.reading import Question


@dataclass(frozen=True)
class PermittedQuestion:
    """A question that may be asked: whose it is, what for, what it became, and by which permission on every table."""

    person: Person
    question: Question
    purpose: str
    made: Answerable
    grants: Mapping[str, Grant]
    only_aggregates: bool = False
    parameters: tuple[Any, ...] = ()

    @cached_property
    def duties(self) -> tuple[ObligationSection, ...]:
        """What must be done because it is answered, each once."""
        every = [duty for grant in self.grants.values() for duty in grant.obligations]
        return tuple(duty for place, duty in enumerate(every) if duty not in every[:place])

    @property
    def audit_event(self) -> AuditEvent:
        """The same, as it is written down."""
        return AuditEvent(self.person, self.question.normalized, self.purpose, self.made.read, self.duties)
