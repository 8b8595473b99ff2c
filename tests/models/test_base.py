from __future__ import annotations

import pytest

from sfumato.datasets import hospital
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity, RecursiveCLDiversity
from sfumato.operations.generalize import generalize_levels


def published():
    """Table 2.4 from Table 2.2."""
    return generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})


def test_a_verdict_says_where_it_fails_by_size_and_level_only():
    verdict = KAnonymity(k=4).check(published().view)
    assert not verdict.holds
    assert (verdict.level, verdict.required, verdict.groups, verdict.failing_groups) == (3, 4, 2, 1)
    assert (verdict.failing_records, verdict.witnesses) == (3, ((3, 3.0),))


def test_the_worst_witness_comes_first_whichever_way_is_better():
    verdict = ConfidenceBounding(h=0.1, value="HIV").check(published().view)
    assert verdict.witnesses == ((4, 0.75), (3, pytest.approx(1 / 3)))
    assert verdict.failing_records == 7


def test_what_holds_has_no_witness():
    verdict = DistinctLDiversity(l=2).check(published().view)
    assert (verdict.holds, verdict.witnesses, verdict.better) == (True, (), "higher")


@pytest.mark.parametrize(
    ("model", "written"),
    [
        (KAnonymity(k=3), {"name": "k_anonymity", "k": 3}),
        (DistinctLDiversity(l=2, sensitive="x"), {"name": "distinct_l_diversity", "l": 2, "sensitive": "x"}),
        (RecursiveCLDiversity(c=3, l=2), {"name": "recursive_c_l_diversity", "c": 3, "l": 2}),
    ],
)
def test_names_are_those_of_a_plan(model, written):
    assert model.to_dict() == written
