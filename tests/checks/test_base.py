"""What classes of every kind must declare is demanded, and what they declare wrongly is noticed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from sfumato.checks.base import ConformanceError, demand, demand_declared
from sfumato.data.base import Data
from sfumato.models import KAnonymity
from sfumato.settings.params import Declared, param


def test_a_violation_is_raised_with_the_thing():
    demand(True, KAnonymity(k=3), "is wrong")
    with pytest.raises(ConformanceError, match=r"^k_anonymity\(k=3\) is wrong\.$"):
        demand(False, KAnonymity(k=3), "is wrong")


@dataclass(frozen=True, kw_only=True)
class Honest(Declared):
    """Declares what it takes."""

    serves: ClassVar[frozenset[str]] = frozenset({"table"})
    most: int = param(3, doc="the most")


class Inherited(Honest):
    """Has no setting of its own, so it needs no decorator."""


class Undecorated(Honest):
    """Declares a setting that is none without the decorator."""

    least: int = param(1, doc="the least")


@dataclass(kw_only=True)
class Changeable(Declared):
    """Can be changed."""

    most: int = param(3, doc="the most")


@dataclass(frozen=True)
class Positional(Declared):
    """Takes its settings by place."""

    most: int = param(3, doc="the most")


@dataclass(frozen=True, kw_only=True)
class Bare(Declared):
    """Takes something that no list shows."""

    most: int = 3
    made: int = field(default=0, init=False)


@dataclass(frozen=True, kw_only=True)
class Misspelled(Honest):
    """Is for a kind of data that does not exist."""

    serves = frozenset({"tables"})


@dataclass(frozen=True, kw_only=True)
class Lost(Declared):
    """Does not write a setting that it needs."""

    most: int = param(doc="the most")

    def to_dict(self):
        return {"name": self.name()}


class Nameless(Honest):
    """Does not write its name."""

    def to_dict(self):
        return {"most": self.most}


class Renamed(Honest):
    """Writes another name."""

    def to_dict(self):
        return {**super().to_dict(), "name": "other"}


class Forgetful(Honest):
    """Does not write its setting."""

    def to_dict(self):
        return {"name": self.name()}


def test_what_is_declared_well_passes():
    for thing in (Honest(most=2), Inherited(most=2)):
        demand_declared(thing)


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (Undecorated(), "declares 'least' by param\\(\\) in a class without @dataclass"),
        (Changeable(), "is no dataclass\\(frozen=True, kw_only=True\\)"),
        (Positional(), "is no dataclass\\(frozen=True, kw_only=True\\)"),
        (Bare(), "takes 'most', which is not declared by param"),
        (Misspelled(), "serves 'tables'; imported kinds of data are .*'table'"),
        (Renamed(), "writes another name than its own"),
        (Nameless(), "writes another name than its own"),
        (Lost(most=2), "is not rebuilt from its own to_dict"),
        (Forgetful(most=2), "is not rebuilt from its own to_dict"),
    ],
)
def test_what_is_declared_wrongly_is_noticed(thing, said):
    with pytest.raises(ConformanceError, match=said):
        demand_declared(thing)


def test_a_kind_of_data_counts_as_soon_as_its_class_exists():
    class Scrolls(Data):
        """Data of a new kind."""

        kind = "scrolls"

    @dataclass(frozen=True, kw_only=True)
    class ForScrolls(Honest):
        """Is for data of the new kind."""

        serves = frozenset({"scrolls"})

    demand_declared(ForScrolls())
