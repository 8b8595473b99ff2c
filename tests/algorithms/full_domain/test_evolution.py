"""The search on costs that one can see through."""

import numpy as np

from sfumato.algorithms.full_domain.evolution import Evolution, MutationRates
from sfumato.algorithms.full_domain.splits import Splits
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.runtime.progress import listening
from sfumato.runtime.time_limit import stopping
from tests.examples import seeds

RATES = MutationRates(population=30, evaluations=3000, stall=2000, mutation=1.0, pressure=1.5)


def splits_of(numbers):
    """One split a boundary between so many numbers, in two columns."""
    values = [str(number) for number in range(numbers)]
    return Splits.of(Table.of_rows(Schema.of(quasi=["a", "b"]), {"a": values, "b": values[::-1]}))


def searched(cost, rates=RATES, numbers=9, seed=0):
    search = Evolution(splits_of(numbers), cost, rates, np.random.default_rng(seed))
    return search, search.run()


@seeds(5)
def test_finds_a_hidden_string_among_sixty_thousand(seed):
    hidden = np.random.default_rng(100 + seed).random(16) < 0.5
    looked = []

    def cost(bits):
        looked.append(bits.tobytes())
        return float((bits != hidden).sum())

    search, best = searched(cost, seed=seed)
    assert search._splits.count() == 2**16
    np.testing.assert_array_equal(best, hidden)
    assert len(looked) == len(set(looked)) <= RATES.evaluations
    assert search.best == np.minimum.accumulate(search.best).tolist()


def test_sees_every_string_where_there_are_few():
    search, _ = searched(lambda bits: float(bits.sum()), numbers=4)
    assert len(search.best) == 2**6


def test_begins_with_nothing_told_apart_and_ends_when_somebody_has_had_enough():
    looked = []

    def cost(bits):
        looked.append(bits.copy())
        return float(bits.sum())

    with stopping(lambda: len(looked) > 0):
        _, best = searched(cost)
    assert not looked[0].any()
    assert not best.any()
    assert len(looked) == 2


def test_ends_early_when_nothing_gets_in():
    search, _ = searched(lambda bits: 0.0, RATES._replace(stall=50))
    assert len(search.best) < 300


def test_no_two_members_cost_the_same():
    search, _ = searched(lambda bits: float(bits.sum() // 2))
    assert search._costs == [float(cost) for cost in range(9)]
    assert [float(bits.sum() // 2) for bits in search._members] == search._costs


def test_one_seed_one_search():
    costs = [searched(lambda bits: float(abs(bits.sum() - 5)), seed=seed)[1].tobytes() for seed in (3, 3, 4)]
    assert costs[0] == costs[1] != costs[2]


def test_tells_how_far_it_is():
    heard = []
    with listening(lambda what, done, total: heard.append((what, done, total))):
        searched(lambda bits: float(bits.sum()))
    assert heard[:2] == [("searching", 1, 3000), ("searching", 2, 3000)]
    assert heard[-1] == ("searching", 3000, 3000)


def test_parents_are_drawn_by_rank():
    """With a pressure of 1.5 the best is drawn three times as often as the last: 1.5 and 0.5 times the mean."""
    search, _ = searched(lambda bits: float(bits.sum()), RATES._replace(population=10, evaluations=200))
    drawn = [_place(search) for _ in range(20_000)]
    share = np.bincount(drawn, minlength=10) / len(drawn)
    np.testing.assert_allclose(share, np.linspace(0.1475, 0.0525, 10), atol=0.012)


def _place(search):
    parent = search._draw_parent()
    return next(place for place, member in enumerate(search._members) if member is parent)
