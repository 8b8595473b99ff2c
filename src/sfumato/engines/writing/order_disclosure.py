"""Whether a column discloses the original order of records.

Bucketized releases shuffle their records, because the order of the input could disclose sensitive values. A column that
is published unchanged undoes the shuffle if it rises or falls with the order of the input: sorting by it recovers that
order. `publishing` raises an error for such columns, and for columns of nested values, which are not compared. Other
releases keep the order; `plan.warnings` warns if it follows a hidden column (`sorted_columns`).

An attacker who sorts by a column puts some pairs of records into their former order and some into the reverse one. The
excess of the former, as a share of all pairs with different values, is Kendall's rank correlation for values with ties
(Goodman and Kruskal's gamma). It is 0 on average for a column in random order and 1 for a sorted one. Where the input
is several files one below the other, each of them sorted, it is small for the whole and large within each part, so
parts are looked at too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from math import exp, log
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.data.domain import position
from sfumato.data.kinds import Kind
from sfumato.engines.base import Counted

CHANCE = 1e-4
"""The largest probability, in one test, that a column in random order is taken for one that discloses the order."""

_EXCESS = 0.5
"""The least excess that counts as recovered: three of four pairs are right, half way from chance to certainty."""

_PARTS = (1, 4, 16, 64)
"""The numbers of equal parts into which records are divided; sorted runs of a few parts are found."""

_LEAST = 4
"""Least records of a part."""

_SAMPLE = 600
"""Most records that are compared, pair by pair; the bound on false alarms holds for any number."""

_NUMBERS = 8
"""Most numbers of a text that are compared one by one; the last one is always compared."""

_SLOPES = np.geomspace(1e-3, 60, 80)
"""The slopes for which the bound of `_log_moments` is computed; each is valid, and the best one is used."""
_WRITTEN = r"^\s*\+?(?P<n>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*$"
_DIGITS = re.compile(r"\d+")


class RecoveredOrder(NamedTuple):
    """The share of pairs of records that are in the order of the input after sorting by a column.

    With several parts, the pairs are those within each part, sorted in either direction.
    """

    share: float
    parts: int


def is_comparable(kind: pa.DataType) -> bool:
    """Whether `recovered_order` compares values of a type; nested values have no order.

    >>> is_comparable(pa.string()), is_comparable(pa.list_(pa.int64()))
    (True, False)
    """
    try:
        list(_ranks(_comparable(pa.chunked_array([], kind))))
    except pa.ArrowNotImplementedError:
        return False
    return True


def recovered_order(column: pa.ChunkedArray) -> RecoveredOrder | None:
    """How much of the order of records a column discloses; None if not substantially more than by chance.

    Texts are compared as texts, as numbers, and by the numbers in them: the first, the second and so on up to the
    eighth, and the last. Texts of several words are also compared by their last words, such as surnames. Missing values
    are ignored, and so are texts without the number that is compared. A column in random order is taken for one that
    discloses the order with a probability of at most `CHANCE` for each way to divide it and to compare its values:
    0.0004 for numbers and 0.0012 for texts. The numbers in a text share one `CHANCE`, and so do texts and last words.

    >>> recovered_order(pa.chunked_array([[f"P{number}" for number in range(12)]]))
    RecoveredOrder(share=1.0, parts=1)
    >>> recovered_order(pa.chunked_array([[f"{number % 3}-{number:02}-{number % 5}" for number in range(12)]]))
    RecoveredOrder(share=1.0, parts=1)
    >>> recovered_order(pa.chunked_array([[3, 1, 2] * 4])), recovered_order(pa.chunked_array([["m", "m", "f", "f"]]))
    (None, None)
    """
    ways = (
        _within(np.array_split(ranks, parts), chance)
        for ranks, chance in _ranks(_comparable(column))
        for parts in _PARTS
        if len(ranks) >= parts * _LEAST
    )
    return max(
        (found for found in ways if found is not None), key=lambda found: (found.share, -found.parts), default=None
    )


def sorted_columns(records: Counted) -> list[str]:
    """The columns of records, one by one in their order, whose values rise or fall with it.

    Texts that are all numbers, or all dates, are compared as such.

    >>> years = ["1950", "1960", "1970", "1980", "1990", "2000", "2010", "2020"]
    >>> sexes = ["m", "f"]
    >>> codes = {"born": np.arange(8), "sex": np.array([0, 1, 1, 0, 0, 0, 1, 1])}
    >>> sorted_columns(Counted({"born": years, "sex": sexes}, codes, np.ones(8, dtype=np.int64)))
    ['born']
    """
    places = np.arange(len(records.counts))
    if len(places) > _SAMPLE:
        places = np.sort(np.random.default_rng(0).choice(places, _SAMPLE, replace=False))
    return [name for name, texts in records.raw.items() if _is_sorted(texts, records.codes[name][places])]


def _is_sorted(texts: Sequence[str | None], codes: NDArray[np.integer]) -> bool:
    used, codes = np.unique(codes, return_inverse=True)
    shown = [texts[code] for code in used]
    values = pa.array(shown, pa.string())
    for kind in (Kind.NUMBER, Kind.DATE):
        # Only if every text is a number (or every one a date), otherwise texts are compared as texts.
        positions = [None if text is None else position(text, kind) for text in shown]
        if positions.count(None) == shown.count(None):
            values = pa.array(positions, pa.float64())
            break
    return recovered_order(pa.chunked_array([values.take(pa.array(codes))])) is not None


def _comparable(column: pa.ChunkedArray) -> pa.Array:
    """The values that are not missing, in a type that can be ranked; if many, a random sample in the same order.

    A sample at regular steps could alias periodic values.
    """
    kind = column.type
    values = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
    values = values.cast(pa.float32()) if pa.types.is_float16(values.type) else values
    values = values.cast(pa.string()) if pa.types.is_string_view(values.type) else values
    values = values.drop_null()
    # A fixed seed: the decision must be the same every time, and the sample itself is never published.
    if len(values) > _SAMPLE:
        chosen = np.random.default_rng(0).choice(len(values), _SAMPLE, replace=False)
        values = values.take(pa.array(np.sort(chosen)))
    values = values.combine_chunks()
    if pa.types.is_floating(values.type):
        return values.filter(pc.invert(pc.is_nan(values)))
    if values.type in (pa.binary(), pa.large_binary(), pa.binary_view()) or pa.types.is_fixed_size_binary(values.type):
        return pa.array([value.decode("latin-1") for value in values.to_pylist()], pa.string())  # keeps their order
    if values.type == pa.month_day_nano_interval():
        return pa.array([_nanoseconds(value) for value in values.to_pylist()], pa.float64())
    return values


def _nanoseconds(interval: pa.MonthDayNano) -> float:
    """The length of an interval with months of 30 days."""
    return float((interval.months * 30 + interval.days) * 86_400_000_000_000 + interval.nanoseconds)


def _ranks(values: pa.Array) -> Iterator[tuple[NDArray[np.int32], float]]:
    """The ranks of values for every way to compare them, and the largest probability of a false alarm in one test."""
    for reading, chance in _readings(values):
        if not pa.types.is_null(reading.type):
            yield pc.rank(reading, tiebreaker="dense").to_numpy().astype(np.int32), chance


def _readings(values: pa.Array) -> Iterator[tuple[pa.Array, float]]:
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        yield values, CHANCE
        return
    texts = values.to_pylist()
    words = [values, *_last_words(texts)]
    # Several ways to compare the same texts share one probability, so that more ways do not mean more false alarms.
    yield from ((some, CHANCE / len(words)) for some in words)
    written = pc.extract_regex(pc.replace_substring(values, ",", "."), _WRITTEN)
    yield pc.struct_field(written, "n").drop_null().cast(pa.float64()), CHANCE
    inside = _numbers_in(texts)
    yield from ((numbers, CHANCE / len(inside)) for numbers in inside)


def _last_words(texts: list[str]) -> list[pa.Array]:
    """The last words of texts, as one list; none if no text has several words."""
    words = [text.split() for text in texts]
    if all(len(some) < 2 for some in words):
        return []
    return [pa.array([some[-1] if some else "" for some in words], pa.string())]


def _numbers_in(texts: list[str]) -> list[pa.Array]:
    """The first, the second, ... and the last number of every text that has one; equal lists are given once.

    How many lists there are does not depend on the order of the texts, so a probability can be divided among them.
    """
    found = [[_sortable(digits) for digits in _DIGITS.findall(text)] for text in texts]
    most = min(_NUMBERS, max(map(len, found), default=0))
    by_place = [tuple(numbers[place] for numbers in found if len(numbers) > place) for place in range(most)]
    last = tuple(numbers[-1] for numbers in found if numbers)
    return [pa.array(numbers, pa.string()) for numbers in dict.fromkeys([*by_place, last])]


def _sortable(digits: str) -> str:
    """A text for a whole number of any length; the texts sort as the numbers do."""
    digits = digits.lstrip("0")
    return f"{len(digits):09}{digits}"


def _within(parts: list[NDArray[np.int32]], largest: float = CHANCE) -> RecoveredOrder | None:
    """The order that is recovered within parts, rising or falling; None if chance explains it, up to a probability."""
    pairs, excess = 0, 0
    for length in {len(ranks) for ranks in parts}:
        # `array_split` gives parts of at most two lengths; parts of one length are compared together as a matrix.
        rising, falling = _rising_and_falling(np.stack([ranks for ranks in parts if len(ranks) == length]))
        pairs += int((rising + falling).sum())
        # An attacker can sort each part in the direction that fits it, hence the absolute value per part.
        excess += int(np.abs(rising - falling).sum())
    if not pairs or excess < _EXCESS * pairs or _chance(parts, excess) > largest:
        return None
    return RecoveredOrder((1 + excess / pairs) / 2, len(parts))


def _rising_and_falling(parts: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row, the number of pairs in which the later record is larger, and of those in which it is smaller."""
    earlier, later = parts[:, :, None], parts[:, None, :]
    after = np.tri(parts.shape[1], k=-1, dtype=bool).T
    rising, falling = (np.count_nonzero(test & after, axis=(1, 2)) for test in (later > earlier, later < earlier))
    return rising, falling


def _chance(parts: list[NDArray[np.int32]], excess: int) -> float:
    """An upper bound of the probability that parts in random order have such an excess; see `_log_moments`."""
    moments = _log_moments()
    chances = np.full(len(_SLOPES), len(parts) * log(2))
    for ranks in parts:
        ties = np.unique(ranks, return_counts=True)[1]
        # `excess` counts pairs twice as often as the X of `_log_moments`, hence the half below.
        chances += moments[:, len(ranks)] - moments[:, ties].sum(axis=1)
    return exp(min(0.0, float((chances - _SLOPES * excess / 2).min())))


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
