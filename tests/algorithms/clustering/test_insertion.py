"""Where a new record goes: Kabir (2010), section 4.5, equations 4.6 and 4.7."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.clustering.insertion import chosen_group, posteriors
from sfumato.errors import ParameterError

GROUPS = st.lists(st.tuples(st.integers(1, 9), st.floats(0, 9), st.floats(0, 9)), min_size=1, max_size=6)


@given(GROUPS)
def test_posteriors_follow_bayes_rule(groups):
    sizes, losses, _ = (np.array(part) for part in zip(*groups, strict=True))
    found = posteriors(sizes, losses)
    if not (sizes * losses).sum() > 0:
        assert found is None
        return
    prior, likelihood = sizes / sizes.sum(), losses / losses.sum()
    np.testing.assert_allclose(found, prior * likelihood / (prior @ likelihood), atol=1e-12)


@given(GROUPS)
def test_the_least_increase_or_the_least_probable_group_is_taken(groups):
    sizes, losses, increases = (np.array(part) for part in zip(*groups, strict=True))
    assert chosen_group(sizes, losses, increases) == increases.tolist().index(increases.min())
    weight = sizes * losses
    expected = weight if weight.sum() > 0 else increases
    chosen = chosen_group(sizes, losses, increases, by="bayes")
    assert expected[chosen] == pytest.approx(expected.min())


def test_without_any_loss_the_increase_decides():
    assert chosen_group(np.array([5, 2]), np.zeros(2), np.array([2.0, 1.0]), by="bayes") == 1


def test_there_must_be_a_group():
    with pytest.raises(ParameterError, match="got none"):
        chosen_group(np.array([], dtype=np.int64), np.array([]), np.array([]))
