"""Many groups at once against one after the other by the plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import KnowledgeError
from sfumato.knowledge.inference import MAX_STEPS, WAYS
from sfumato.knowledge.loops.beliefs import EXACT, MAXIMUM_ENTROPY, OMEGA, UNSETTLED, largest_beliefs, steps
from tests.examples import examples
from tests.knowledge.loops.test_matching import cells

NUMBERS = {"exact": EXACT, "omega": OMEGA, "maximum_entropy": MAXIMUM_ENTROPY}


@st.composite
def many_groups(draw: st.DrawFn):
    """Groups of values 0 to 4 and of classes 0 to 3, with chances of every class for every value."""
    row = st.lists(st.sampled_from([0.0, 0.05, 0.2, 0.4]), min_size=5, max_size=5).filter(any)
    chances = np.array(draw(st.lists(row, min_size=4, max_size=4)))
    values, classes = [], []
    for _ in range(draw(st.integers(0, 5))):
        size = draw(st.integers(1, 7))
        for kinds, known in ((values, 5), (classes, 4)):
            drawn = draw(st.lists(st.integers(0, known - 1), min_size=size, max_size=size))
            kinds.append({code: drawn.count(code) for code in drawn})
    return values, classes, chances


def one_by_one(values, classes, chances, watched, way):
    for some, who in zip(values, classes, strict=True):
        codes, people = sorted(some), sorted(who)
        try:
            found = WAYS[way]([some[code] for code in codes], [who[code] for code in people],
                              chances[np.ix_(people, codes)])  # fmt: skip
        except KnowledgeError:
            yield from [np.nan] * len(people)
        else:
            yield from (found * watched[codes]).max(axis=1)


@examples(60)
@pytest.mark.parametrize("way", NUMBERS)
@given(groups=many_groups(), watched=st.lists(st.booleans(), min_size=5, max_size=5))
def test_like_the_twins(way, groups, watched):
    values, classes, chances = groups
    found = largest_beliefs(*cells(values), *cells(classes), chances, np.array(watched), NUMBERS[way], MAX_STEPS, 1e-12)
    expected = np.array(list(one_by_one(values, classes, chances, np.array(watched), way)))
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_what_takes_too_long_is_told():
    chances = np.array([[0.9, 0.1], [0.2, 0.8]])
    group = cells([{0: 1, 1: 1}]), cells([{0: 1, 1: 1}])
    watched = np.ones(2, dtype=bool)
    assert steps(np.array([1, 1]), 2) == 2 * 2 * 4
    for most, settled in ((15, False), (16, True)):
        found = largest_beliefs(*group[0], *group[1], chances, watched, EXACT, most, 1e-12)
        assert ((found != UNSETTLED) == settled).all()
    assert (largest_beliefs(*group[0], *group[1], chances, watched, MAXIMUM_ENTROPY, 2, 1e-12) == UNSETTLED).all()
