"""Golden D14."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.exact_ratios import as_meant
from sfumato.errors import ParameterError
from sfumato.models import AlphaKAnonymity, ConfidenceBounding, KAnonymity
from tests.golden import book
from tests.models.histograms import spread
from tests.models.judging import agrees, has_room
from tests.oracles.models_oracle import alpha_k_anonymity
from tests.strategies import grouped_tables

CONFORMING = [AlphaKAnonymity(alpha=0.5, k=3)]
SETTINGS = st.tuples(st.sampled_from([0.3, 1 / 3, 0.5, 0.6, 0.75, 1]), st.integers(1, 4))


@pytest.mark.parametrize(("alpha", "k", "holds"), [(0.75, 3, True), (0.749, 3, False), (0.75, 4, False), (1, 1, True)])
def test_table_2_4(alpha, k, holds):
    """Golden D14: (0.75, 3)-anonymous, and not for a smaller alpha."""
    assert AlphaKAnonymity(alpha=alpha, k=k).holds(book.patients_3anon()).all() == holds


def test_level_is_the_largest_share_even_of_a_small_group():
    groups = spread([[2, 1], [3, 2]])
    model = AlphaKAnonymity(alpha=0.7, k=4)
    assert model.level(groups) == pytest.approx([2 / 3, 3 / 5])
    assert model.holds(groups).tolist() == [False, True]


def test_least_size():
    assert [AlphaKAnonymity(alpha=a, k=k).bounds.least_size() for a, k in ((1, 5), (0.3, 2), (1 / 3, 2))] == [5, 4, 3]


@pytest.mark.parametrize(("setting", "value"), [("alpha", 0), ("alpha", 1.5), ("k", 0), ("k", 2.5)])
def test_wrong_settings(setting, value):
    with pytest.raises(ParameterError, match=f"'{setting}' of AlphaKAnonymity must be"):
        AlphaKAnonymity(**{"alpha": 0.5, "k": 2, setting: value})


@given(grouped_tables(max_repeats=3, max_sensitive=1), SETTINGS)
def test_like_its_twin_and_like_its_parts(pair, settings):
    alpha, k = settings
    twin = lambda group, _: alpha_k_anonymity(group, as_meant(alpha), k)  # noqa: E731
    assert agrees(AlphaKAnonymity(alpha=alpha, k=k), twin, *pair)
    assert agrees(KAnonymity(k=k) & ConfidenceBounding(h=alpha), twin, *pair)


@given(grouped_tables(max_sensitive=1), SETTINGS)
def test_room_is_an_upper_bound(pair, settings):
    alpha, k = settings
    model = AlphaKAnonymity(alpha=alpha, k=k)
    assert has_room(model, lambda group, _: alpha_k_anonymity(group, as_meant(alpha), k), *pair)
