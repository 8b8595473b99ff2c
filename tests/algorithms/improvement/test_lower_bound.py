import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.improvement import lower_bound as module
from sfumato.algorithms.improvement.lower_bound import lower_bound, nearest_bound, priced_bound, prices
from tests.examples import examples
from tests.oracles.optimal_microaggregation import least_sse, sse


@st.composite
def tiny_tables(draw, least=1):
    """Up to nine points, on a coarse grid or far out or very near to each other."""
    records, columns = draw(st.integers(least, 9)), draw(st.integers(1, 3))
    points = np.random.default_rng(draw(st.integers(0, 2**32))).standard_normal((records, columns))
    points *= draw(st.sampled_from([1e-6, 1.0, 1e6]))
    return np.round(points) if draw(st.booleans()) else points


@examples(80)
@given(tiny_tables(), st.integers(1, 4))
def test_no_partition_beats_it(points, k):
    if len(points) >= k:
        assert 0 <= lower_bound(points, k) <= least_sse(points, k)


@given(tiny_tables(least=4), st.integers(2, 4), st.data())
def test_any_prices_give_a_bound(points, k, data):
    if len(points) < k:
        return
    size = float(np.square(points).sum()) / len(points)
    price = size * np.array([data.draw(st.floats(0, 2)) for _ in points])
    assert priced_bound(points, k, price) <= least_sse(points, k)


@given(tiny_tables(least=4), st.integers(2, 4))
def test_the_nearest_neighbours_alone_give_a_bound(points, k):
    if len(points) >= k:
        assert nearest_bound(points, k) <= least_sse(points, k)


def test_is_exact_where_there_is_one_partition_or_groups_lie_far_apart():
    points = np.random.default_rng(0).standard_normal((5, 2))
    whole = sse(points, np.zeros(5))
    assert lower_bound(points, 3) == pytest.approx(whole)
    assert lower_bound(points, 7) == pytest.approx(whole)
    pairs = np.array([[0.0], [1.0], [10.0], [12.0], [50.0], [53.0]])
    assert lower_bound(pairs, 2) == pytest.approx(0.5 + 2.0 + 4.5)
    assert lower_bound(pairs, 1) == 0


def test_prices_are_better_than_neighbours_and_not_needed_for_large_tables(monkeypatch: pytest.MonkeyPatch):
    """Two points next to each other and two that both want one of them: neighbours let everybody have the best."""
    points = np.random.default_rng(1).standard_normal((300, 3))
    assert priced_bound(points, 4, prices(points, 4)) > 1.1 * nearest_bound(points, 4)
    assert lower_bound(points, 4) == priced_bound(points, 4, prices(points, 4))
    monkeypatch.setattr(module, "MOST_RECORDS", 100)
    assert lower_bound(points, 4) == nearest_bound(points, 4)


def test_a_solver_that_gives_up_leaves_the_neighbours(monkeypatch: pytest.MonkeyPatch):
    import scipy.optimize

    class GivenUp:
        status = 4

    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: GivenUp())
    points = np.random.default_rng(1).standard_normal((50, 2))
    assert lower_bound(points, 3) == nearest_bound(points, 3) > 0


@pytest.mark.parametrize(("k", "best"), [(3, 4.734), (10, 11.391)])
def test_bounds_what_is_known_of_census(data_folder, k, best):
    """Between half of the best loss that is known and all of it."""
    values = np.loadtxt(data_folder / "microaggregation" / "census_1080x13.csv", delimiter=",", skiprows=1)
    points = (values - values.mean(axis=0)) / values.std(axis=0)
    assert best / 2 < 100 * lower_bound(points, k) / np.square(points).sum() < best
