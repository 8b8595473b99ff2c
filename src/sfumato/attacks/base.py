"""The contract of an attack: how much more somebody learns from a release than he could know without it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from sfumato.errors import UsageError
from sfumato.knowledge.knowledge import Knowledge
from sfumato.settings.params import Declared

_DEVIATIONS = 1.959964
"""Of a normal distribution, 95 % lie so many standard deviations around the mean."""


@dataclass(frozen=True)
class AttackResult:
    """What an attack achieved: the share of people it succeeded with, and what it would be without the attack.

    `interval` says between which rates the truth lies with 95 % confidence if the people here are a sample of many.
    """

    attack: Mapping[str, Any]
    described: str
    learns: str
    people: int
    rate: float
    baseline: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: counts and shares, never a value of a record."""
        return {**self.__dict__, "attack": dict(self.attack), "interval": list(self.interval)}


class Success(NamedTuple):
    """How many people an attack succeeded with, and how many would have been hit without it; parts where it tosses."""

    hits: float
    without: float


class AttackedPeople(Protocol):
    """Whatever an attack meets: so many people, and perhaps the truth about them to compare guesses with."""

    @property
    def people(self) -> int:
        """How many there are."""

    @property
    def truth_known(self) -> bool:
        """Whether it is known who is who."""


Met = TypeVar("Met", bound=AttackedPeople)


class Attack(Declared, Generic[Met]):
    """Base of all attacks; an author writes `_attack`.

    Facts that others read: `meets` says what it is aimed at, groups of people with secrets (`Targets`) or masked
    numbers beside the original ones (`Masked`), `learns` in a few words what a success means, `needs_truth` whether it
    takes the original to tell a hit from a miss, `needs_knowledge` whether it starts from rules about people.
    """

    meets: ClassVar[Literal["groups", "numbers"]] = "groups"
    learns: ClassVar[str] = ""
    needs_truth: ClassVar[bool] = True
    needs_knowledge: ClassVar[bool] = False

    def run(self, targets: Met, knowledge: Knowledge | None = None) -> AttackResult:
        """Attack everybody in a release, with what is known about people beforehand."""
        if self.needs_truth and not targets.truth_known:
            raise UsageError(f"{self.name()} guesses, and only the original tells which guesses are right; give it.")
        if self.needs_knowledge and knowledge is None:
            raise UsageError(f"{self.name()} starts from rules about people; mine or write some, and give them.")
        people = targets.people
        if not people:
            raise UsageError(f"{self.name()} finds nobody to attack; give records that are published, and complete.")
        hits, without = self._attack(targets, knowledge)
        return AttackResult(
            attack=self.to_dict(),
            described=str(self),
            learns=self.learns,
            people=people,
            rate=hits / people,
            baseline=without / people,
            interval=_wilson(hits / people, people),
        )

    @abstractmethod
    def _attack(self, targets: Met, knowledge: Knowledge | None) -> Success:
        """How many people it succeeds with."""


def _wilson(rate: float, people: int) -> tuple[float, float]:
    """The interval of Wilson (1927), which stays inside 0 and 1."""
    square = _DEVIATIONS**2
    middle = (rate + square / (2 * people)) / (1 + square / people)
    spread = max(rate * (1 - rate), 0.0) / people + square / (4 * people**2)
    around = _DEVIATIONS * sqrt(spread) / (1 + square / people)
    return max(0.0, middle - around), min(1.0, middle + around)
