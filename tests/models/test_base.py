from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups
from sfumato.errors import UsageError
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


@pytest.mark.parametrize("groups", [3, 5, 6, 9])
def test_at_most_five_groups_are_named_as_witnesses(groups: int) -> None:
    sizes = np.arange(1, groups + 1)
    verdict = KAnonymity(k=100).verdict(Groups.of_sizes(hospital().schema, sizes), np.ones(groups, dtype=np.int64))
    assert verdict.witnesses == tuple((size, float(size)) for size in range(1, min(groups, 5) + 1))
    assert verdict.failing_groups == groups


def test_equal_groups_are_as_many_witnesses_as_there_are_of_them() -> None:
    verdict = KAnonymity(k=9).verdict(Groups.of_sizes(hospital().schema, np.array([2, 3])), np.array([2, 7]))
    assert verdict.witnesses == ((2, 2.0), (2, 2.0), (3, 3.0), (3, 3.0), (3, 3.0))


def test_models_are_not_joined_by_and() -> None:
    """Python gives `b` for `a and b`, which would leave out a promise without a word."""
    with pytest.raises(UsageError, match="join models with &, not with 'and'"):
        KAnonymity(k=5) and DistinctLDiversity(l=2)
    with pytest.raises(UsageError, match="neither true nor false"):
        bool(KAnonymity(k=5) & DistinctLDiversity(l=2))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (2, r"^a model is given with its settings, such as KAnonymity\(k=5\); got int\.$"),
        (DistinctLDiversity, r"got a class: write DistinctLDiversity\(l=\.\.\.\)\.$"),
        ("k_anonymity", r"got a text: write KAnonymity\(k=\.\.\.\)\.$"),
        ([DistinctLDiversity(l=2)], "join several models with &"),
    ],
)
def test_only_models_are_joined(other: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        KAnonymity(k=5) & other  # type: ignore[operator]
