"""Linkage of different values, each time of those that most records are left of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.eligibility import most_buckets

Codes = NDArray[np.int32]


def anatomized(values: Codes, l: int, random: np.random.Generator) -> Codes:
    """The bucket of every record, given its value; -1 for records of values too frequent to find one.

    Values that equally many records are left of are drawn in random order: by code, neighbouring numbers would end up
    in one bucket, and a bucket of neighbours tells what somebody's number is about.

    References: Xiao and Tao (2006), algorithm Anatomize; book, section 5.2.4.
    """
    from sfumato.algorithms.bucketization.loops.drawing import drawn

    values = random.permutation(int(values.max(initial=-1)) + 1).astype(np.int32)[values]
    counts = np.bincount(values).astype(np.int64)
    fitting = np.minimum(counts, most_buckets(counts, l))
    order = _by_value(values, random)
    starts = np.concatenate([[0], np.cumsum(counts)])
    line = drawn(fitting, l)
    nth = _occurrence(line, len(counts))
    bucket = np.full(len(values), -1, dtype=np.int32)
    bucket[order[starts[line] + nth]] = np.arange(len(line)) // l
    used = np.bincount(line, minlength=len(counts))
    left = [
        int(record)
        for value in np.flatnonzero(fitting > used).tolist()
        for record in order[starts[value] + used[value] : starts[value] + fitting[value]]
    ]
    _join(bucket, left, values, line.reshape(-1, l), random)
    return bucket


def _by_value(values: Codes, random: np.random.Generator) -> NDArray[np.int64]:
    """Records by value, those of one value in random order."""
    shuffled = random.permutation(len(values))
    return shuffled[np.argsort(values[shuffled], kind="stable")]


def _occurrence(line: Codes, values: int) -> NDArray[np.int64]:
    """How many times the value at each place came before."""
    order = np.argsort(line, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(line, minlength=values))])
    found = np.empty(len(line), dtype=np.int64)
    found[order] = np.arange(len(line)) - starts[line[order]]
    return found


def _join(bucket: Codes, left: list[int], values: Codes, held: Codes, random: np.random.Generator) -> None:
    """Each record that is left goes to some bucket that does not have its value, if possible to one of its own.

    Those with the fewest buckets to choose from go first. All have different values, so two may share a bucket.
    """
    fits = {record: np.flatnonzero((held != values[record]).all(axis=1)) for record in left}
    taken = np.zeros(len(held), dtype=bool)
    for record in sorted(left, key=lambda record: len(fits[record])):
        free = fits[record][~taken[fits[record]]]
        chosen = free if len(free) else fits[record]
        if len(chosen):
            bucket[record] = random.choice(chosen)
            taken[bucket[record]] = True
