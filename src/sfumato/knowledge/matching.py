"""Which values of its group a record could have, for somebody who knows what is ruled out for whom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Histogram
from sfumato.errors import UsageError

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]


def valid_cells(secrets: Histogram, classes: Histogram, ruled_out: Mask) -> Counts:
    """For every cell of `classes` how many different values are valid for its records.

    `secrets` counts the values of the sensitive column in every group and `classes` the sets of values that are ruled
    out for their records; `ruled_out[c, v]` says that class c never has value v. A value is valid if somebody can have
    it while everybody else gets one of the others, too. Where the group allows no such assignment none is valid.
    """
    from sfumato.knowledge.loops.matching import valid_counts

    return valid_counts(*_cells(secrets), *_cells(classes), _plain(ruled_out))


def admissible_cells(secrets: Histogram, classes: Histogram, ruled_out: Mask) -> Counts:
    """The same without a thought for the others: how many values of the group are not ruled out themselves."""
    from sfumato.knowledge.loops.matching import open_counts

    return open_counts(*_cells(secrets)[:2], *_cells(classes)[:2], _plain(ruled_out))


def valid_values(value_counts: Any, class_counts: Any, ruled_out: Any) -> Mask:
    """For one group which values are valid for which class of its records: the plain way, to explain what was found.

    A largest flow from classes to values is an assignment if it serves everybody. What could be moved from there are
    circles through a class and a value, and those lie in one component of the arcs that lead from a class to what it
    may have, and from a value to who has it now.

    One woman, three men and four diseases, one of which men never have: hers is known, and each man's is one of three.

    >>> valid_values([1, 1, 1, 1], [1, 3], [[False] * 4, [True, False, False, False]]).astype(int).tolist()
    [[1, 0, 0, 0], [0, 1, 1, 1]]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    values, people = _counts(value_counts), _counts(class_counts)
    if values.sum() != people.sum() or min(values.min(initial=1), people.min(initial=1)) < 1:
        raise UsageError(
            f"every record has one value and every count is 1 or more; got {people.sum()} records and {values.sum()} "
            "values."
        )
    may = ~np.asarray(ruled_out, dtype=np.bool_).reshape(len(people), len(values))
    flow = _largest_flow(values, people, may)
    arcs = np.zeros((len(people) + len(values),) * 2, dtype=np.int8)
    arcs[: len(people), len(people) :] = may
    arcs[len(people) :, : len(people)] = flow.T > 0
    component = connected_components(csr_array(arcs), connection="strong")[1]
    together = component[: len(people), None] == component[None, len(people) :]
    return np.asarray(may & together & bool(flow.sum() == people.sum()), dtype=np.bool_)


def _largest_flow(values: Counts, people: Counts, may: Mask) -> Counts:
    """How many records of each class get each value when as many as possible get one."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    first, sink = 1 + len(people), 1 + len(people) + len(values)
    capacity = np.zeros((sink + 1, sink + 1), dtype=np.int32)
    capacity[0, 1:first] = people
    capacity[1:first, first:sink] = may * people.sum()
    capacity[first:sink, sink] = values
    flow: Counts = maximum_flow(csr_array(capacity), 0, sink).flow.toarray()[1:first, first:sink].astype(np.int64)
    return flow


def _cells(histogram: Histogram) -> tuple[Counts, NDArray[np.int32], Counts]:
    """In the form that the loop was compiled for, whatever a histogram was counted with."""
    values = np.ascontiguousarray(histogram.values, dtype=np.int32)
    return _counts(histogram.starts), values, _counts(histogram.counts)


def _counts(counts: Any) -> Counts:
    return np.ascontiguousarray(counts, dtype=np.int64)


def _plain(ruled_out: Mask) -> Mask:
    return np.ascontiguousarray(ruled_out, dtype=np.bool_)
