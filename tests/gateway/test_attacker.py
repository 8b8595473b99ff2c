"""Nobody's value is recovered by somebody who may ask for aggregates alone, however they ask."""

from __future__ import annotations

import random

import pytest

from tests.examples import seeds
from tests.gateway.attacker import LARGEST, SEARCHES, Siege, VisitSiege, search


@pytest.mark.parametrize("noisy", [False, True])
@seeds(4)
def test_no_observable_difference_can_be_searched_by(seed: int, noisy: bool) -> None:
    siege = Siege(seed, noisy)
    for template in SEARCHES:
        target = siege.chance.randrange(siege.size)
        assert search(siege, template, target) is None, template


@seeds(4)
def test_sums_asked_adaptively_tell_nobody(seed: int) -> None:
    """For several purposes, under two names of one team, with restarts in between."""
    siege = Siege(seed)
    siege.adaptive(40)
    assert siege.sums
    assert siege.told_by_sums() == set()


@seeds(4)
def test_sums_of_visits_for_purposes_that_keep_or_show_others_tell_nobody(seed: int) -> None:
    siege = VisitSiege(seed)
    siege.adaptive(60)
    assert siege.sums
    assert siege.told_by_sums() == set()


@seeds(4)
def test_refusals_are_the_same_whatever_the_values_are(seed: int) -> None:
    siege = Siege(seed)
    chance = random.Random(seed)
    twin = siege.twin([chance.randrange(LARGEST) for _ in siege.rows])
    for _ in range(25):
        members = sorted(chance.sample(range(siege.size), chance.randint(1, siege.size)))
        measure = chance.choice(["sum(income)", "avg(income)", "count(*)", "count(income)", "sum(band)"])
        text = f"SELECT {measure} AS m FROM person WHERE id IN ({', '.join(map(str, members))})"
        assert siege.ask(text)[0] == twin.ask(text)[0], text


def test_an_attack_would_be_seen() -> None:
    """Of a table whose incomes are open to selection, which tells everything, the same searches find an income."""
    siege = Siege(1)
    given = siege.policy.sections.model_dump(exclude_none=True)
    given["tables"]["person"]["columns"]["income"]["selects"] = True
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.policy.policy import Policy

    siege.policy = Policy.of(given)
    siege.gate = Gateway(siege.policy, siege.source)
    found = [search(siege, template, 2) for template in SEARCHES]
    assert siege.rows[2][3] in found
    siege.sums = [{0, 1, 2}, {0, 1}]
    assert siege.told_by_sums() == {2}
