from __future__ import annotations

from sfumato import catalogue
from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.microaggregation.base import Microaggregation
from sfumato.algorithms.offered import offered


def test_it_offers_what_the_catalogue_does() -> None:
    assert set(offered(Algorithm)) == set(catalogue.names("algorithms"))


def test_one_kind_of_them() -> None:
    kind = offered(Microaggregation)
    assert kind["mdav"] is catalogue.find("algorithms", "mdav")
    assert "mondrian" not in kind
    assert all(issubclass(thing, Microaggregation) for thing in kind.values())
