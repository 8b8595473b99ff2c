from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.knowledge.membership import membership_of

AGES, _ = Domain.of("age", ["10", "18", "20", "25", "30", "32", "40", None])


def degrees(lo: int, hi: int, fuzziness: float, shape: str) -> dict[str, float]:
    found = membership_of(AGES, lo, hi, fuzziness, shape)  # type: ignore[arg-type]
    assert found is not None
    return {AGES.named(found.reach[0] + place): grade for place, grade in enumerate(found.degrees().tolist())}


def test_a_trapezoid_falls_beyond_its_ends() -> None:
    """From 20 to 30, falling over a quarter of that width: 18 is 2 of 2.5 beyond."""
    found = degrees(2, 4, 0.25, "trapezoid")
    assert found == pytest.approx({"18": 0.2, "20": 1, "25": 1, "30": 1, "32": 0.2})


def test_a_triangle_falls_from_its_middle() -> None:
    """Middle 25, and nothing is left 5 + 5 away from it; 20 and 30 are just as true as not."""
    assert degrees(2, 4, 0.5, "triangle") == pytest.approx({"18": 0.3, "20": 0.5, "25": 1, "30": 0.5, "32": 0.3})
    found = membership_of(AGES, 2, 4, 0.5, "triangle")
    assert found is not None
    assert found.sure == (2, 4)


def test_a_triangle_without_a_value_near_its_middle_says_nothing() -> None:
    assert membership_of(AGES, 0, 1, 0.01, "triangle") is None


@pytest.mark.parametrize("shape", ["trapezoid", "triangle"])
def test_what_is_never_fuzzy(shape: str) -> None:
    words, _ = Domain.of("job", ["a", "b", "c"])
    for domain, lo, hi, fuzziness in ((AGES, 2, 4, 0.0), (AGES, 3, 3, 1.0), (AGES, 4, 7, 1.0), (words, 0, 1, 1.0)):
        found = membership_of(domain, lo, hi, fuzziness, shape)  # type: ignore[arg-type]
        assert found is not None
        assert found.grades is None
        assert found.node == found.reach == found.sure == (lo, hi)


@given(st.integers(0, 6), st.integers(0, 6), st.sampled_from([0.1, 0.3, 1.0, 3.0]))
def test_a_wider_node_is_at_least_as_true(one: int, two: int, fuzziness: float) -> None:
    """Of trapezoids; so what lies between two rules without exceptions is a rule."""
    lo, hi = min(one, two), max(one, two)
    narrow, wide = np.zeros(7), np.zeros(7)
    for whole, (first, last) in ((narrow, (lo, hi)), (wide, (max(lo - 1, 0), min(hi + 1, 6)))):
        found = membership_of(AGES, first, last, fuzziness, "trapezoid")
        assert found is not None
        whole[found.reach[0] : found.reach[1] + 1] = found.degrees()
    assert (wide >= narrow).all()
