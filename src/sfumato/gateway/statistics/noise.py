"""Noise from OpenDP, which proves for every draw how much of epsilon it costs. It takes no seed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sfumato.errors import PolicyError, UsageError

CONFIDENCE = 0.95
"""How likely a noisy number lies within its margin."""

_MAX_VALUE = 2**62
"""Numbers beyond are taken for it before noise is added: further ones have no place in a word."""


def laplace(value: int, sensitivity: int, epsilon: float) -> int:
    """A whole number with noise, of which one person can change at most `sensitivity`."""
    with _opendp():
        from opendp.domains import atom_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import absolute_distance
    noise = make_laplace(atom_domain(T="i64"), absolute_distance(T="i64"), sensitivity / epsilon)
    demand_price(noise.map(sensitivity), epsilon)  # type: ignore[no-untyped-call,unused-ignore]
    number: int = noise(max(-_MAX_VALUE, min(value, _MAX_VALUE)))
    return number


def laplace_margin(sensitivity: int, epsilon: float, confidence: float = CONFIDENCE) -> float:
    """How far from the true number a noisy one lies at most, with this probability."""
    return sensitivity / epsilon * math.log(1 / (1 - confidence))


def quantile(values: Sequence[int], candidates: Sequence[int], share: float, rows: int, epsilon: float) -> int:
    """The candidate that is about the quantile of some whole numbers, `rows` of which may be one person's."""
    with _opendp():
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_private_quantile
        from opendp.measures import max_divergence
        from opendp.metrics import symmetric_distance
    domain, metric, measure = vector_domain(atom_domain(T="i64")), symmetric_distance(), max_divergence()

    def mechanism(scale: float) -> Any:
        return make_private_quantile(domain, metric, measure, list(candidates), share, scale)

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
    """Imports what is needed of OpenDP; all of it at once would take seconds."""
    try:
        from opendp.core import enable_features  # type: ignore[import-not-found,unused-ignore]

        enable_features("contrib")
        yield
    except ImportError:
        raise UsageError("answers with noise need OpenDP; install sfumato[private].") from None
