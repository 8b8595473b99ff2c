"""Comparing a model with its slow twin, group by group and split by split."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models.base import PrivacyModel
from tests.oracles.models_oracle import Group, groups_of, records_of
from tests.oracles.optimal_grouping import most_groups

Twin = Callable[[Group, Group], bool]
"""A group and the whole table, as values of the first sensitive column."""


def agrees(model: PrivacyModel, twin: Twin, table: Table, labels: np.ndarray) -> bool:
    """Whether the model says of every group what its twin says, and of no safe group that it is too small."""
    groups = groups_of(table, labels.tolist(), "s0")
    whole = [value for group in groups for value in group]
    expected = [twin(group, whole) for group in groups]
    large = all(len(group) >= model.bounds.least_size() for group, safe in zip(groups, expected, strict=True) if safe)
    return large and model.holds(Groups.of_labels(table, labels)).tolist() == expected


def has_room(model: PrivacyModel, twin: Twin, table: Table, labels: np.ndarray) -> bool:
    """Whether the room of every group is at least the number of safe groups that brute force splits it into."""
    values = [record["s0"] for record in records_of(table)]
    owner = np.repeat(labels, table.counts)
    least = model.bounds.least_size()
    room = model.bounds.max_groups(Groups.of_labels(table, labels), least)

    def safe(members: tuple[int, ...]) -> bool:
        return len(members) >= least and twin([values[item] for item in members], values)

    splits = [most_groups(tuple(np.flatnonzero(owner == label).tolist()), safe) for label in range(len(room))]
    return bool((room >= np.array(splits) - 1e-9).all() and (room > 0).all())
