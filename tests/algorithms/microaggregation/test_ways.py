from __future__ import annotations

import pytest

from sfumato.algorithms import Cbfs, Mst
from sfumato.algorithms.microaggregation.base import Microaggregation
from sfumato.algorithms.microaggregation.ways import way, ways
from sfumato.errors import ParameterError


def test_a_name_stands_for_a_way_as_it_comes():
    assert way("cbfs") == Cbfs()
    assert way("mst") == Mst(split="diameter")


def test_all_ways_of_microaggregation_are_there_and_nothing_else():
    assert {"mdav", "mhm", "two_step_microaggregation"} <= set(ways())
    assert "mondrian" not in ways()
    assert all(issubclass(thing, Microaggregation) for thing in ways().values())


def test_a_name_that_is_none_is_refused_with_a_hint():
    with pytest.raises(ParameterError, match="'cbsf' is no way of microaggregation; did you mean 'cbfs'"):
        way("cbsf")
