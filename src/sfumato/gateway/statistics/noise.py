"""Noise from OpenDP, which proves for every draw how much epsilon it costs. It takes no seed.

`noisy_answers` draws every noisy number with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sfumato.errors import PolicyError, UsageError

CONFIDENCE = 0.95
"""The probability that a noisy number is within its margin."""

_MAX_VALUE = 2**62
"""Larger numbers are clamped to it before noise is added, so that the result fits into 64 bits."""


def laplace(value: int, sensitivity: int, epsilon: float) -> int:
    """An integer with Laplace noise; one person can change it by at most `sensitivity`."""
    with _opendp():
        from opendp.domains import atom_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import absolute_distance
    noise = make_laplace(atom_domain(T="i64"), absolute_distance(T="i64"), sensitivity / epsilon)
    demand_price(noise.map(sensitivity), epsilon)  # type: ignore[no-untyped-call,unused-ignore]
    number: int = noise(max(-_MAX_VALUE, min(value, _MAX_VALUE)))
    return number


def laplace_margin(sensitivity: int, epsilon: float, confidence: float = CONFIDENCE) -> float:
    """The largest distance between a noisy number and the true one, with this probability."""
    return sensitivity / epsilon * math.log(1 / (1 - confidence))


def quantile(values: Sequence[int], candidates: Sequence[int], share: float, rows: int, epsilon: float) -> int:
    """The candidate close to the quantile of some integers, of which up to `rows` belong to one person."""
    with _opendp():
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_private_quantile
        from opendp.measures import max_divergence
        from opendp.metrics import symmetric_distance
    domain, metric, measure = vector_domain(atom_domain(T="i64")), symmetric_distance(), max_divergence()

    def mechanism(scale: float) -> Any:
        return make_private_quantile(domain, metric, measure, list(candidates), share, scale)

    # The cost is inversely proportional to the scale, so the cost at scale 1 gives the scale for this epsilon. The
    # tiny factor absorbs rounding; `demand_price` checks the result.
    noise = mechanism(float(mechanism(1.0).map(rows)) / epsilon * (1 + 1e-12))
    demand_price(noise.map(rows), epsilon)
    number: int = noise(list(values))
    return number


def demand_price(price: float, epsilon: float) -> None:
    """Refuse noise that costs more than is charged for it.

    >>> demand_price(0.2, 0.1)
    Traceback (most recent call last):
        ...
    sfumato.errors.PolicyError: this noise costs more of epsilon than the question is charged.
    """
    if not price <= epsilon * (1 + 1e-9):
        raise PolicyError("this noise costs more of epsilon than the question is charged.")


@contextmanager
def _opendp() -> Iterator[None]:
    """Import what is needed of OpenDP; importing all of it takes seconds."""
    try:
        from opendp.core import enable_features  # type: ignore[import-not-found,unused-ignore]

        enable_features("contrib")
        yield
    except ImportError:
        raise UsageError("answers with noise need OpenDP; install sfumato[private].") from None
