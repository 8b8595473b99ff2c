from __future__ import annotations

import pytest

from sfumato.algorithms import Cbfs, MedianMicroaggregation, SystematicMicroaggregation, Tfrp
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, numbers_table

GROUPS = {"45.5": [45, 42, 51, 46], "5.5": [2, 5, 6, 11], "25.5": [31, 22, 26, 25]}
"""Kabir (2010), figure 7.1: groups of four by the median that is published of them."""


def test_the_medians_of_the_worked_example():
    numbers = [number for group in GROUPS.values() for number in group]
    table = Table.of_rows(Schema.of(quasi=["x"]), {"x": [str(number) for number in numbers]})
    candidate = MedianMicroaggregation(start="tfrp").anonymize(table, KAnonymity(k=4)).candidate
    shown = candidate.recoding.labels["x"].texts
    published = {
        int(table.domain("x").texts[table.codes["x"][row]]): shown[code]
        for row, code in zip(candidate.origin, candidate.published.codes["x"], strict=True)
    }
    assert published == {number: median for median, group in GROUPS.items() for number in group}


@pytest.mark.parametrize("way", [Cbfs(), Tfrp()], ids=str)
def test_the_groups_are_those_of_another_way(way):
    table = numbers_table(41)
    assert grouped(MedianMicroaggregation(start=way.name()), table, 5) == grouped(way, table, 5)


def test_chance_decides_as_it_does_there():
    table = numbers_table()
    found = grouped(MedianMicroaggregation(start="systematic_microaggregation"), table, 5, seed=3)
    assert found == grouped(SystematicMicroaggregation(), table, 5, seed=3)


def test_it_starts_on_as_many_records_as_the_other_way_does():
    assert MedianMicroaggregation(start="cbfs")._limit() is None
    found = MedianMicroaggregation(start="systematic_microaggregation")._limit()
    assert found == SystematicMicroaggregation.most_rows


@pytest.mark.parametrize("start", ["mondrian", "nothing"])
def test_what_is_no_way_of_microaggregation_is_refused(start):
    with pytest.raises(ParameterError, match="no way of microaggregation"):
        MedianMicroaggregation(start=start)
