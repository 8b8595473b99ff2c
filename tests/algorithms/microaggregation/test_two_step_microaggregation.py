from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import GeneticMicroaggregation, KWard, TwoStepMicroaggregation
from sfumato.algorithms.microaggregation.k_ward import ward_groups
from sfumato.algorithms.microaggregation.mdav import mdav_groups
from sfumato.algorithms.microaggregation.mst import mst_groups
from sfumato.errors import ParameterError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_second_method_groups_what_the_first_has_grouped():
    table = numbers_table()
    points, expected = points_of(table), set()
    for block in groups_of(mst_groups(points, 20, "diameter")):
        members = np.array(sorted(block))
        expected |= {frozenset(members[list(group)].tolist()) for group in groups_of(ward_groups(points[members], 4))}
    assert grouped(TwoStepMicroaggregation(first="mst", second="k_ward", coarse=20), table, 4) == expected


def test_as_it_comes_it_breeds_groups_inside_coarse_ones():
    table = numbers_table(120)
    assert len(groups_of(mdav_groups(points_of(table), 50, ending="mdav"))) == 2
    coarse = [set(group) for group in groups_of(mdav_groups(points_of(table), 50, ending="generic"))]
    fine = grouped(TwoStepMicroaggregation(), table, 10, seed=1)
    assert all(any(set(group) <= whole for whole in coarse) for group in fine)
    assert len(fine) > len(coarse)
    assert {len(group) >= 10 for group in fine} == {True}
    assert TwoStepMicroaggregation().second == GeneticMicroaggregation.name()


def test_names_are_checked_at_once():
    for setting in ("first", "second"):
        with pytest.raises(ParameterError, match="'mdaw' is no way of microaggregation; did you mean 'mdav'"):
            TwoStepMicroaggregation(**{setting: "mdaw"})


def test_coarse_groups_must_have_room_for_two():
    with pytest.raises(ParameterError, match="at least twice the size of a group, which is 5 here; got 9"):
        TwoStepMicroaggregation(coarse=9).anonymize(numbers_table(), KAnonymity(k=5))


def test_what_the_first_method_refuses_is_refused():
    assert TwoStepMicroaggregation(first="k_ward")._limit() == KWard.most_rows
    assert TwoStepMicroaggregation(second="k_ward")._limit() is None
