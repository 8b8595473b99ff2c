"""A question on its way through the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.gateway.authority import Grant
from sfumato.gateway.logbook import Deed
from sfumato.gateway.noisy_answers import Allowance, allowance_of
from sfumato.gateway.people import Person
from sfumato.gateway.sections import ObligationSection
from sfumato.gateway.sql.compiling import Answerable
from sfumato.gateway.sql.reading import Question


@dataclass(frozen=True)
class Asked:
    """A question that may be asked: whose it is, what for, and what it became."""

    person: Person
    question: Question
    purpose: str
    made: Answerable
    grants: Mapping[str, Grant]

    @property
    def only_aggregates(self) -> bool:
        """Whether there is a table of which aggregates alone may be asked for."""
        return any(all(one.only_aggregates for one in grant.permissions) for grant in self.grants.values())

    @property
    def allowance(self) -> Allowance | None:
        """What may be spent on noisy answers; None where answers are exact."""
        return allowance_of([one for grant in self.grants.values() for one in grant.permissions])

    @property
    def duties(self) -> tuple[ObligationSection, ...]:
        """What must be done because it is answered."""
        return tuple(duty for grant in self.grants.values() for duty in grant.obligations)

    @property
    def deed(self) -> Deed:
        """The same, as it is written down."""
        return Deed(self.person, self.question.normalized, self.purpose, self.made.read, self.duties)
