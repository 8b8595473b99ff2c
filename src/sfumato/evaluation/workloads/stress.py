"""Stress: how much a transformation changed the distances between records. `drbt` reports it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, UsageError

Points = NDArray[np.float64]
Distances = NDArray[np.float64]
_BLOCK = 512
_SAMPLE_BLOCK = 65_536


def stress(
    original: Points,
    reduced: Points,
    *,
    reference: Literal["original", "reduced"] = "original",
    sample: int | None = None,
    seed: int = 0,
) -> float:
    """The sum of squared changes of all distances, divided by the sum of squared reference distances: 0 means none.

    Records are compared in blocks, so memory stays small, but time grows with the square of the number of records. With
    `sample`, at most that many random pairs are compared. The literature divides by the distances of the original or by
    those after the reduction; `reference` chooses.

    >>> stress(np.array([[0.0], [1.0], [3.0]]), np.array([[0.0], [2.0], [3.0]]))
    0.14285714285714285

    References: Oliveira and Zaiane (2007); book, equation 7.8.
    """
    original, reduced = (np.asarray(points, dtype=np.float64) for points in (original, reduced))
    _check(original, reduced, sample)
    if reference not in ("original", "reduced"):
        raise ParameterError(f"'reference' must be one of 'original', 'reduced'; got {reference!r}.")
    pairs = len(original) * (len(original) - 1) // 2
    drawn = sample is not None and sample < pairs
    changed = whole = 0.0
    for was, now in _sampled_pairs(original, reduced, sample or 0, seed) if drawn else _all_pairs(original, reduced):
        changed += float(((now - was) ** 2).sum())
        whole += float(((was if reference == "original" else now) ** 2).sum())
    if whole == 0:
        return 0.0 if changed == 0 else float("inf")
    return changed / whole


def _all_pairs(original: Points, reduced: Points) -> Iterator[tuple[Distances, Distances]]:
    """The distances of every pair before and after, block by block."""
    for start in range(0, len(original), _BLOCK):
        block = slice(start, start + _BLOCK)
        size = len(original[block])
        above = np.triu(np.ones((size, len(original) - start), dtype=bool), k=1)
        was, now = (_distances(points[block], points[start:])[above] for points in (original, reduced))
        yield was, now


def _distances(some: Points, others: Points) -> Distances:
    """The distances of all pairs of two sets of points; differences per column avoid cancellation."""
    squares = np.zeros((len(some), len(others)))
    for one, other in zip(some.T, others.T, strict=True):
        squares += (one[:, None] - other[None, :]) ** 2
    return np.asarray(np.sqrt(squares))


def _sampled_pairs(original: Points, reduced: Points, sample: int, seed: int) -> Iterator[tuple[Distances, Distances]]:
    """The distances of pairs of two different records, drawn with replacement."""
    random = np.random.default_rng(seed)
    for start in range(0, sample, _SAMPLE_BLOCK):
        size = min(_SAMPLE_BLOCK, sample - start)
        one = random.integers(len(original), size=size)
        # A shift by 1 to n - 1 never gives the record itself, and every other record with equal probability.
        other = (one + random.integers(1, len(original), size=size)) % len(original)
        was, now = (np.sqrt(((points[one] - points[other]) ** 2).sum(axis=1)) for points in (original, reduced))
        yield was, now


def _check(original: Points, reduced: Points, sample: int | None) -> None:
    if original.ndim != 2 or reduced.ndim != 2 or len(original) != len(reduced):
        raise UsageError(
            f"stress compares two matrices with one row a record; got shapes {original.shape} and {reduced.shape}."
        )
    if len(original) < 2:
        raise UsageError("stress compares distances between records; there must be at least two.")
    if not (np.isfinite(original).all() and np.isfinite(reduced).all()):
        raise UsageError("stress needs finite numbers; leave out records that miss a value.")
    if sample is not None and sample < 1:
        raise ParameterError(f"'sample' must be at least 1 pair, or none for all pairs; got {sample!r}.")
