"""What is claimed of requirements on clusters, judged on made-up lines."""

from benchmarks.figures.cluster_requirements import mostly_above, no_trend
from benchmarks.figures.cluster_samples import ATTACKERS, COLUMNS


def test_most_draws_must_gain():
    claim = mostly_above("k = 50", [(0.5, 0.6), (0.5, 0.5), (0.5, 0.7)])
    assert claim.agrees
    assert claim.measured.startswith("more in 2 of 3 draws (as much in 1)")
    assert not mostly_above("k = 50", [(0.5, 0.6), (0.5, 0.5)]).agrees


def test_a_steady_fall_is_a_trend_and_a_zigzag_is_none():
    assert not no_trend("F-measure", [(x, -x) for x in range(9)]).agrees
    assert no_trend("F-measure", [(x, x % 2) for x in range(9)]).agrees


def test_the_attackers_know_all_columns_between_them():
    assert {name for known in ATTACKERS.values() for name in known} == set(COLUMNS)
