"""Which values of its group a record can have, given which values are ruled out for which records.

The model `matching_l_diversity` calls `valid_cells` and `admissible_cells`, which run compiled loops over all groups;
`valid_values` is a plain computation for one group that explains a result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Histogram
from sfumato.errors import UsageError
from sfumato.kernels.arrays import Flags

Counts = NDArray[np.int64]


def valid_cells(secrets: Histogram, classes: Histogram, ruled_out: Flags) -> Counts:
    """For every cell of `classes` the number of distinct values that are valid for its records.

    `secrets` counts the values of the sensitive column in every group. `classes` counts the classes of records, where a
    class is a set of values ruled out: `ruled_out[c, v]` says that class c never has value v. A value is valid for a
    record if some assignment of the group's values to all its records gives the record this value and gives no record a
    value that is ruled out for it. If the group has no such assignment, no value is valid.
    """
    from sfumato.knowledge.loops.matching import valid_counts

    return valid_counts(*_cells(secrets), *_cells(classes), _plain(ruled_out))


def admissible_cells(secrets: Histogram, classes: Histogram, ruled_out: Flags) -> Counts:
    """For every cell of `classes` the number of values of its group that are not ruled out, ignoring other records."""
    from sfumato.knowledge.loops.matching import open_counts

    return open_counts(*_cells(secrets)[:2], *_cells(classes)[:2], _plain(ruled_out))


def valid_values(value_counts: Any, class_counts: Any, ruled_out: Any) -> Flags:
    """For one group, which values are valid for which class of its records.

    A maximum flow from classes to values is an assignment if it covers all records. Other assignments differ from it by
    cycles. A value is valid for a class if both lie in one strongly connected component of the graph with an arc from a
    class to each value it may have, and from a value to each class that has it in this assignment.

    A group of one woman and three men has four diseases, one of which men never have: the woman's disease is known, and
    each man has one of the other three.

    >>> valid_values([1, 1, 1, 1], [1, 3], [[False] * 4, [True, False, False, False]]).astype(int).tolist()
    [[1, 0, 0, 0], [0, 1, 1, 1]]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    values, people = _counts(value_counts), _counts(class_counts)
    if values.sum() != people.sum() or min(values.min(initial=1), people.min(initial=1)) < 1:
        raise UsageError(
            f"every record must have one value and every count must be 1 or more; got {people.sum()} records and "
            f"{values.sum()} values."
        )
    may = ~np.asarray(ruled_out, dtype=np.bool_).reshape(len(people), len(values))
    flow = _largest_flow(values, people, may)
    # A cycle through the arc from class to value exchanges values between records and gives a record of the class
    # this value; such a cycle exists exactly if both ends are strongly connected.
    arcs = np.zeros((len(people) + len(values),) * 2, dtype=np.int8)
    arcs[: len(people), len(people) :] = may
    arcs[len(people) :, : len(people)] = flow.T > 0
    component = connected_components(csr_array(arcs), connection="strong")[1]
    together = component[: len(people), None] == component[None, len(people) :]
    return np.asarray(may & together & bool(flow.sum() == people.sum()), dtype=np.bool_)


def _largest_flow(values: Counts, people: Counts, may: Flags) -> Counts:
    """How many records of each class get each value in a maximum flow."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    first, sink = 1 + len(people), 1 + len(people) + len(values)
    capacity = np.zeros((sink + 1, sink + 1), dtype=np.int32)
    # Source 0, then the classes, the values and the sink.
    capacity[0, 1:first] = people
    capacity[1:first, first:sink] = may * people.sum()
    capacity[first:sink, sink] = values
    flow: Counts = maximum_flow(csr_array(capacity), 0, sink).flow.toarray()[1:first, first:sink].astype(np.int64)
    return flow


def _cells(histogram: Histogram) -> tuple[Counts, NDArray[np.int32], Counts]:
    """The arrays of a histogram with the types that the loop was compiled for."""
    values = np.ascontiguousarray(histogram.values, dtype=np.int32)
    return _counts(histogram.starts), values, _counts(histogram.counts)


def _counts(counts: Any) -> Counts:
    return np.ascontiguousarray(counts, dtype=np.int64)


def _plain(ruled_out: Flags) -> Flags:
    return np.ascontiguousarray(ruled_out, dtype=np.bool_)
