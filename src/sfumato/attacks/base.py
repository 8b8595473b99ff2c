"""The contract of an attack: how much more an attacker learns from a release than without it.

`Attack` is the base of all. A `GroupAttack` infers the sensitive value of people whose group it finds; a `NumberAttack`
links published numbers to people whose original numbers it knows. What an attacker holds is the `View` of the release;
the original values in it are the truth that guesses are compared with. The command line, plans and the conformance
checks run attacks through `Attack.run`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Groups
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.disclosure.published_digits import rounded
from sfumato.disclosure.table_view import TableView
from sfumato.disclosure.view import View
from sfumato.errors import UnsuitableError
from sfumato.knowledge.knowledge import Knowledge
from sfumato.settings import catalogue
from sfumato.settings.params import Declared, param

_DEVIATIONS = 1.959964
"""Of a normal distribution, 95 % lie so many standard deviations around the mean."""

_WITNESSES = 5
ViewT = TypeVar("ViewT", bound=View)


class Attackable(Protocol):
    """What an attack takes: a release, its candidate, or a release that was read back from files."""

    @property
    def view(self) -> View:
        """What an attacker sees of it, with the original values where they are at hand."""


@dataclass(frozen=True)
class AttackResult:
    """What an attack achieved: the share of people it succeeded with, and the same share without the attack.

    `people` is the number of attacked records. A person with several records is attacked once for each of them.
    `interval` has the true rate with 95 % confidence if the people here are a sample of many. `control` is the rate of
    an attacker who does not have the release, where the attack can tell it; None otherwise. A witness is a number of
    people whom the attacker cannot tell apart, and how many of them the attack found.
    """

    attack: Mapping[str, Any]
    described: str
    learns: str
    people: int
    rate: float
    baseline: float
    interval: tuple[float, float]
    control: float | None = None
    witnesses: tuple[tuple[int, float], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data: counts and shares, never a value of a record."""
        witnesses = [{"people": people, "found": found} for people, found in self.witnesses]
        return {**self.__dict__, "attack": dict(self.attack), "interval": list(self.interval), "witnesses": witnesses}

    def rounded(self) -> AttackResult:
        """The result with three significant digits, for a certificate or a report: hits depend on the original."""
        low, high = self.interval
        return replace(
            self,
            rate=rounded(self.rate),
            baseline=rounded(self.baseline),
            interval=(rounded(low), rounded(high)),
            control=None if self.control is None else rounded(self.control),
            witnesses=tuple((people, rounded(found)) for people, found in self.witnesses),
        )


class Success(NamedTuple):
    """How many people an attack succeeded with; a guess among equally good ones counts as a part of a person.

    `without` is how many would be found without the attack, `control` how many without the release, where the attack
    can tell that. `witnesses` are people who look alike and how many of them were found.
    """

    hits: float
    without: float
    control: float | None = None
    witnesses: tuple[tuple[int, float], ...] = ()


class Attack(Declared, Generic[ViewT]):
    """Base of all attacks, for any kind of data; attacks on tables derive from `GroupAttack` or `NumberAttack`.

    Facts that others read: `learns` says in a few words what a success means, `needs_truth` whether it takes the
    original to tell a hit from a miss, `needs_knowledge` whether it starts from rules about people, `serves` the kinds
    of data it is for.
    """

    learns: ClassVar[str] = ""
    needs_truth: ClassVar[bool] = True
    needs_knowledge: ClassVar[bool] = False
    serves: ClassVar[frozenset[str]] = frozenset({"table"})

    def run(self, release: Attackable, knowledge: Knowledge | None = None) -> AttackResult:
        """Attack everybody in a release, with what is known about people beforehand."""
        self.demand_suitable(release, knowledge)
        view = cast(ViewT, release.view)
        people, found = self._people(view), self._attack(view, knowledge)
        return AttackResult(
            attack=self.to_dict(),
            described=str(self),
            learns=self.learns,
            people=people,
            rate=found.hits / people,
            baseline=found.without / people,
            interval=_wilson(found.hits / people, people),
            control=None if found.control is None else found.control / people,
            witnesses=found.witnesses,
        )

    def demand_suitable(self, release: Attackable, knowledge: Knowledge | None = None) -> None:
        """Refuse a release that the attack cannot be run on, with the way out."""
        reason = self.unsuitable_because(release, knowledge)
        if reason:
            raise UnsuitableError(f"{self.name()} {reason}")

    def unsuitable_because(self, release: Attackable, knowledge: Knowledge | None = None) -> str:
        """Why the attack cannot be run on a release, and what to give; empty where it can."""
        kind = release.view.data.kind
        if kind not in self.serves:
            return f"attacks {' and '.join(sorted(self.serves))} data, and this is {kind} data."
        view = cast(ViewT, release.view)  # `serves` says which views it reads
        if self.needs_knowledge and knowledge is None:
            return "starts from rules about people; mine or write some, and give them."
        if self.needs_truth and not view.truth_known:
            return (
                "guesses, and only the original tells which guesses are right; give the original beside the release "
                "(--original on the command line)."
            )
        reason = self._unsuitable_because(view, knowledge)
        if not reason and not self._people(view):
            return "finds nobody to attack; give records that are published, and complete."
        return reason

    def _unsuitable_because(self, view: ViewT, knowledge: Knowledge | None) -> str:
        """What the view lacks for this family of attacks."""
        return ""

    def _people(self, view: ViewT) -> int:
        """How many people are attacked."""
        return view.data.records

    @abstractmethod
    def _attack(self, view: ViewT, knowledge: Knowledge | None) -> Success:
        """How many people it succeeds with."""


@dataclass(frozen=True, kw_only=True)
class GroupAttack(Attack[TableView]):
    """Attacks that find the group of every person and infer the sensitive value from it; an author writes `_infer`."""

    sensitive: str = param("", doc="the sensitive column; may stay empty where there is only one, or rules name it")

    def _unsuitable_because(self, view: TableView, knowledge: Knowledge | None) -> str:
        if not view.schema.sensitive:
            return "infers a sensitive value, and no column is sensitive; name one."
        if view.people is None:
            return (
                "must find people in the release, which does not show who they are; give the original beside it, or "
                "name the column of the bucket if the release is bucketized."
            )
        if knowledge is not None:
            knowledge.check_against(view.people)
        column = self._column(view, knowledge)
        if knowledge is not None and knowledge.sensitive != column:
            return f"infers {column!r}, and the rules are about {knowledge.sensitive!r}; give rules about {column!r}."
        return ""

    def _column(self, view: TableView, knowledge: Knowledge | None) -> str:
        """The sensitive column: the one of the setting, the one that rules are about, or the only one."""
        return view.schema.one_sensitive(self.sensitive or ("" if knowledge is None else knowledge.sensitive))

    def _attack(self, view: TableView, knowledge: Knowledge | None) -> Success:
        column = self._column(view, knowledge)
        # Records are attacked one by one, also where models count persons.
        return self._infer(view.people_groups(column).of_records(), column, knowledge)

    @abstractmethod
    def _infer(self, groups: Groups, sensitive: str, knowledge: Knowledge | None) -> Success:
        """How many people's sensitive value is inferred.

        The table of the groups has the original quasi values, which the attacker knows, and the sensitive values, which
        are the truth where it is known; otherwise they are those of the group in any order.
        """


class NumberAttack(Attack[TableView]):
    """Attacks that compare published numbers with original ones, record by record; an author writes `_link`."""

    def _unsuitable_because(self, view: TableView, knowledge: Knowledge | None) -> str:
        if not view.numbers.columns:
            return (
                "compares numbers with the original ones, record by record, and no quasi column is published as "
                "numbers; microaggregate or mask some. Records in buckets have no numbers of their own."
            )
        return ""

    def _people(self, view: TableView) -> int:
        return view.numbers.people

    def _attack(self, view: TableView, knowledge: Knowledge | None) -> Success:
        return self._link(view.numbers.complete)

    @abstractmethod
    def _link(self, numbers: PairedNumbers) -> Success:
        """How many people are found, from at least one record and no missing number."""


def suitable_attacks(release: Attackable, knowledge: Knowledge | None = None) -> tuple[Attack[Any], ...]:
    """Every attack of the catalogue that needs no settings and can be run on a release."""
    every = [thing() for thing in catalogue.without_required_settings("attacks", Attack)]  # type: ignore[type-abstract]
    return tuple(attack for attack in every if not attack.unsuitable_because(release, knowledge))


def worst_groups(sizes: NDArray[Any], found: NDArray[Any]) -> tuple[tuple[int, float], ...]:
    """Witnesses: the groups in which most people were found, those with the largest share first where many are equal.

    >>> worst_groups(np.array([4, 2, 3]), np.array([1.0, 1.0, 0.0]))
    ((2, 1.0), (4, 1.0))
    """
    order = np.lexsort((sizes, -found))[:_WITNESSES]
    return tuple((int(sizes[place]), float(found[place])) for place in order if found[place] > 0)


def linked_among(rivals: NDArray[Any], linked: NDArray[Any]) -> tuple[tuple[int, float], ...]:
    """Witnesses of a linkage: among how few people records are linked, and how many are linked rightly there.

    >>> linked_among(np.array([1, 3, 1]), np.array([1.0, 0.5, 1.0]))
    ((1, 2.0), (3, 0.5))
    """
    among, place = np.unique(np.rint(rivals).astype(np.int64), return_inverse=True)
    found = np.bincount(place, linked, len(among))[:_WITNESSES]
    return tuple((int(people), float(right)) for people, right in zip(among, found, strict=False))


def _wilson(rate: float, people: int) -> tuple[float, float]:
    """The interval of Wilson (1927), which stays inside 0 and 1."""
    square = _DEVIATIONS**2
    middle = (rate + square / (2 * people)) / (1 + square / people)
    spread = max(rate * (1 - rate), 0.0) / people + square / (4 * people**2)
    around = _DEVIATIONS * sqrt(spread) / (1 + square / people)
    return max(0.0, middle - around), min(1.0, middle + around)
