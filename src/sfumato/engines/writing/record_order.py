"""Whether a column discloses the original order of records.

Bucketized releases shuffle their records, because the order of the input could disclose sensitive values. A column that
is published unchanged undoes the shuffle if it rises or falls with the order of the input: sorting by it recovers that
order. `publishing` raises an error for such columns.

An attacker who sorts by a column puts some pairs of records into their former order and some into the reverse one. The
excess of the former, as a share of all pairs with different values, is Kendall's rank correlation for values with ties
(Goodman and Kruskal's gamma). It is 0 on average for a column in random order and 1 for a sorted one. Where the input
is several files one below the other, each of them sorted, it is small for the whole and large within each part, so
parts are looked at too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from math import exp, log
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

CHANCE = 1e-4
"""The largest probability, in one test, that a column in random order is taken for one that discloses the order."""

_EXCESS = 0.5
"""The least excess that counts as recovered: three of four pairs are right, half way from chance to certainty."""

_PARTS = (1, 4, 16, 64)
"""The numbers of equal parts into which records are divided; sorted runs of a few parts are found."""

_LEAST = 4
"""Least records of a part."""

_SAMPLE = 2048
"""Most records that are compared, pair by pair."""

_SLOPES = np.geomspace(1e-3, 60, 80)
_WRITTEN = (
    r"^\s*\+?(?P<n>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*$",  # the whole text is a number
    r"(?P<n>\d{1,15})\D*$",  # the last number in it
)


class RecoveredOrder(NamedTuple):
    """The share of pairs of records that are in the order of the input after sorting by a column.

    With several parts, the pairs are those within each part, sorted in either direction.
    """

    share: float
    parts: int


def recovered_order(column: pa.ChunkedArray) -> RecoveredOrder | None:
    """How much of the order of records a column discloses; None if not substantially more than by chance.

    Texts are compared as texts, as numbers, and by the last number in them. Missing values are ignored, and so are
    texts without a number if numbers are compared. A column in random order is taken for one that discloses the order
    with a probability of at most `CHANCE` for each way to divide it and to compare its values: 0.0004 for numbers and
    0.0012 for texts.

    >>> recovered_order(pa.chunked_array([[f"P{number}" for number in range(12)]]))
    RecoveredOrder(share=1.0, parts=1)
    >>> recovered_order(pa.chunked_array([[3, 1, 2] * 4])), recovered_order(pa.chunked_array([["m", "m", "f", "f"]]))
    (None, None)
    """
    ways = (
        _within(np.array_split(ranks, parts))
        for ranks in _ranks(_comparable(column))
        for parts in _PARTS
        if len(ranks) >= parts * _LEAST
    )
    return max(
        (found for found in ways if found is not None), key=lambda found: (found.share, -found.parts), default=None
    )


def _comparable(column: pa.ChunkedArray) -> pa.Array:
    """The values that are not missing, in a type that can be ranked; if many, a random sample in the same order.

    A sample at regular steps could alias periodic values.
    """
    kind = column.type
    values = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
    values = values.cast(pa.float32()) if pa.types.is_float16(values.type) else values
    values = values.cast(pa.string()) if pa.types.is_string_view(values.type) else values
    values = values.drop_null()
    if len(values) > _SAMPLE:
        chosen = np.random.default_rng(0).choice(len(values), _SAMPLE, replace=False)
        values = values.take(pa.array(np.sort(chosen)))
    values = values.combine_chunks()
    return values.filter(pc.invert(pc.is_nan(values))) if pa.types.is_floating(values.type) else values


def _ranks(values: pa.Array) -> Iterator[NDArray[np.int32]]:
    """The ranks of values for every way to compare them; nested values have none."""
    for reading in _readings(values):
        with suppress(pa.ArrowNotImplementedError):
            yield pc.rank(reading, tiebreaker="dense").to_numpy().astype(np.int32)


def _readings(values: pa.Array) -> Iterator[pa.Array]:
    yield values
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        texts = pc.replace_substring(values, ",", ".")
        for pattern in _WRITTEN:
            yield pc.struct_field(pc.extract_regex(texts, pattern), "n").drop_null().cast(pa.float64())


def _within(parts: list[NDArray[np.int32]]) -> RecoveredOrder | None:
    """The order that is recovered within parts, rising or falling."""
    pairs, excess = 0, 0
    chances = np.full(len(_SLOPES), len(parts) * log(2))
    for ranks in parts:
        ties = np.unique(ranks, return_counts=True)[1]
        pairs += (len(ranks) ** 2 - int((ties**2).sum())) // 2
        excess += abs(_rising(ranks))
        chances += _log_moments()[:, len(ranks)] - _log_moments()[:, ties].sum(axis=1)
    chance = exp(min(0.0, float((chances - _SLOPES * excess / 2).min())))
    if not pairs or excess < _EXCESS * pairs or chance > CHANCE:
        return None
    return RecoveredOrder((1 + excess / pairs) / 2, len(parts))


def _rising(ranks: NDArray[np.int32]) -> int:
    """The number of pairs in which the later record is larger, minus those in which it is smaller."""
    later = np.sign(ranks[None, :] - ranks[:, None])
    return int(np.triu(later).sum(dtype=np.int64))


@cache
def _log_moments() -> NDArray[np.float64]:
    """By slope s and number n: sum over i = 1..n of log(sinh(i s / 2) / (i sinh(s / 2))).

    Over all orders of n values, of which tie in groups of t1, t2, ..., half the excess X has the moment generating
    function E exp(sX) = exp(M(n) - M(t1) - M(t2) - ...) with these M: the number of inversions of a random order is
    distributed as a Gaussian multinomial coefficient. As X is symmetric, E exp(s|X|) is at most twice that, and for
    independent parts the functions multiply. So by Markov's inequality the sum of |X| over m parts reaches x with a
    probability of at most 2^m exp(sum of the parts' exponents - s x), whatever s; the least over some slopes is taken.
    For a sorted column it is 2 divided by the number of orders, which is exact.
    """
    numbers = np.arange(1, _SAMPLE + 1)
    terms = _log_sinh(_SLOPES[:, None] * numbers / 2) - _log_sinh(_SLOPES[:, None] / 2) - np.log(numbers)
    return np.concatenate([np.zeros((len(_SLOPES), 1)), np.cumsum(terms, axis=1)], axis=1)


def _log_sinh(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values + np.log1p(-np.exp(-2 * values)) - log(2)
