"""Anatomy: quasi columns in one table, sensitive values in another, linked by bucket only.

Holds the algorithm and `buckets_of_values`, the choice of buckets that `permutation` uses too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.base import USE_INJECTOR, Bucketizing
from sfumato.algorithms.bucketization.eligibility import most_buckets, why_not
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.runtime.secret_random import Randomness

Codes = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Anatomy(Bucketizing):
    """Two tables: the records unchanged with a bucket number, and the count of each sensitive value in each bucket.

    A bucket takes one record of each of the l values with the most records left, chosen at random. An attacker
    therefore guesses no sensitive value with a probability above 1 in l; l is the smallest group size that the model
    allows. The few records left at the end join buckets that do not have their value. If a value is more frequent than
    1 in l, such buckets do not exist for all records, and the algorithm suppresses as many records of that value as
    needed, within the limit on suppression.

    Buckets ignore background knowledge: an attacker who can rule out values for a person may be left with one. Use
    `injector` against such an attacker.

    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3), seed=0)
    >>> release.groups.sizes.tolist()
    [3, 3, 3]

    References: Xiao and Tao (2006); book, sections 3.2 and 5.2.4.
    """

    way_out = USE_INJECTOR
    draws_at_random = True

    @property
    def separate_table(self) -> bool:
        """Sensitive values have a table of their own."""
        return True

    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: GroupModel, random: Randomness
    ) -> NDArray[np.int32]:
        return buckets_of_values(self._values(table, row, model), table, model, random)

    def _why(self, table: Table, model: GroupModel, suppression: float) -> str:
        sensitive = model.sensitive_columns(table.schema)[0]
        return why_not(table, sensitive, model.bounds.least_size()) or super()._why(table, model, suppression)


def buckets_of_values(values: Codes, table: Table, model: GroupModel, random: Randomness) -> Codes:
    """The bucket of each record by its sensitive value, as `distinct_value_buckets` for the l of a model.

    If a missing value is no value for the model, buckets are made of the records with a known value. The others are
    spread evenly over these buckets, which keep their different values.
    """
    l = model.bounds.least_size()
    known = values < table.domain(model.sensitive_columns(table.schema)[0]).present
    if model.missing_is_a_value or known.all():
        return distinct_value_buckets(values, l, random)
    bucket = np.full(len(values), -1, dtype=np.int32)
    bucket[known] = distinct_value_buckets(values[known], l, random)
    many, others = int(bucket.max(initial=-1)) + 1, np.flatnonzero(~known)
    if many:
        bucket[others] = random.permutation(np.arange(len(others)) % many)
    return bucket


def distinct_value_buckets(values: Codes, l: int, random: Randomness) -> Codes:
    """The bucket of each record, given its sensitive value; -1 for records whose value is too frequent.

    Values with equally many records left are drawn in random order. In the order of their codes, neighbouring numbers
    would share a bucket, and a bucket of neighbouring numbers discloses the approximate value.

    References: Xiao and Tao (2006), algorithm Anatomize; book, section 5.2.4.
    """
    from sfumato.algorithms.bucketization.loops.anatomy import draw_values

    # Random new codes: the loop breaks ties by code, so ties are broken at random.
    values = random.permutation(int(values.max(initial=-1)) + 1).astype(np.int32)[values]
    counts = np.bincount(values).astype(np.int64)
    # A value fills at most one place of each bucket, so further records of it cannot be placed. They keep -1.
    fitting = np.minimum(counts, most_buckets(counts, l))
    order = _by_value(values, random)
    starts = np.concatenate([[0], np.cumsum(counts)])
    # The values of all buckets in a row: places 0 to l - 1 are the first bucket, and so on. `nth` numbers the records
    # of each value in this order, which selects one record per place.
    line = draw_values(fitting, l)
    nth = _occurrence(line, len(counts))
    bucket = np.full(len(values), -1, dtype=np.int32)
    bucket[order[starts[line] + nth]] = np.arange(len(line)) // l
    used = np.bincount(line, minlength=len(counts))
    # The draw ends when fewer than l values have records left, with at most one record each.
    left = [
        int(record)
        for value in np.flatnonzero(fitting > used).tolist()
        for record in order[starts[value] + used[value] : starts[value] + fitting[value]]
    ]
    _join(bucket, left, values, line.reshape(-1, l), random)
    return bucket


def _by_value(values: Codes, random: Randomness) -> NDArray[np.int64]:
    """Records sorted by value; records of the same value in random order."""
    shuffled = random.permutation(len(values))
    return shuffled[np.argsort(values[shuffled], kind="stable")]


def _occurrence(line: Codes, values: int) -> NDArray[np.int64]:
    """For each place of the line, how many earlier places have the same value."""
    order = np.argsort(line, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(line, minlength=values))])
    found = np.empty(len(line), dtype=np.int64)
    found[order] = np.arange(len(line)) - starts[line[order]]
    return found


def _join(bucket: Codes, left: list[int], values: Codes, held: Codes, random: Randomness) -> None:
    """Put each remaining record into a bucket without its value, if possible into one that no other of them joined.

    Records with the fewest suitable buckets go first. All remaining records have different values, so two may join the
    same bucket.
    """
    fits = {record: np.flatnonzero((held != values[record]).all(axis=1)) for record in left}
    taken = np.zeros(len(held), dtype=bool)
    for record in sorted(left, key=lambda record: len(fits[record])):
        free = fits[record][~taken[fits[record]]]
        chosen = free if len(free) else fits[record]
        if len(chosen):
            bucket[record] = random.choice(chosen)
            taken[bucket[record]] = True
