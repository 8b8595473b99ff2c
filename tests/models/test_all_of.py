from __future__ import annotations

import pytest
from hypothesis import given

from sfumato.disclosure.groups import Groups
from sfumato.errors import ParameterError
from sfumato.models import AllOf, DistinctLDiversity, KAnonymity, MatchingLDiversity, TCloseness
from sfumato.models.group_model import GroupModel
from tests.golden import book
from tests.models.survey import NEVER
from tests.strategies import grouped_tables

CONFORMING = [
    KAnonymity(k=2) & DistinctLDiversity(l=2) & TCloseness(t=0.4),
    KAnonymity(k=2) & MatchingLDiversity(l=2, knowledge=NEVER),
]


def test_all_must_hold():
    """Table 2.4 is 3-anonymous and 2-diverse; only its larger group is 4-anonymous."""
    groups = book.patients_3anon()
    assert (KAnonymity(k=3) & DistinctLDiversity(l=2)).holds(groups).all()
    assert sorted((KAnonymity(k=4) & DistinctLDiversity(l=2)).level(groups)) == [1, 2]
    assert not (KAnonymity(k=3) & DistinctLDiversity(l=3)).holds(groups).any()


def test_joining_flattens():
    one, two, three = KAnonymity(k=2), DistinctLDiversity(l=2), TCloseness(t=0.5)
    assert ((one & two) & three).members() == (one & (two & three)).members() == (one, two, three)


def test_facts_are_a_conjunction():
    class Delicate(KAnonymity):
        kept_by_merging = False

    joined = KAnonymity(k=2) & Delicate(k=2)
    assert (joined.kept_by_merging, joined.kept_by_suppressing) == (False, True)
    assert (KAnonymity(k=2) & TCloseness(t=1)).guards_against >= {"record linkage", "attribute linkage"}


def test_nothing_is_no_model():
    with pytest.raises(ParameterError, match="at least one model"):
        AllOf(models=())


@given(grouped_tables(max_sensitive=1))
def test_room_and_least_size_are_the_strictest(pair):
    groups = Groups.of_labels(*pair)
    parts: list[GroupModel] = [KAnonymity(k=2), DistinctLDiversity(l=3)]
    joined = parts[0] & parts[1]
    assert joined.bounds.least_size() == 3
    assert (joined.bounds.max_groups(groups, 3) <= parts[1].bounds.max_groups(groups, 3)).all()
    assert (joined.holds(groups) == parts[0].holds(groups) & parts[1].holds(groups)).all()
