"""Makes the guards that check a privacy model: one for each set of columns that an attacker may know."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.algorithms.specialization.constraint_checks import Guard, RefinedRows
from sfumato.algorithms.specialization.leaf_guard import LeafGuard
from sfumato.data.schema import Schema
from sfumato.models.group_model import GroupModel


def guards_of(rows: RefinedRows, model: GroupModel) -> list[Guard]:
    """A guard for every set of columns that an attacker may know, with all models about it.

    Models that others imply are left out. A model about several sets of columns has its own guard, and is as safe as
    the worst group of any of them.
    """
    from sfumato.algorithms.specialization.subset_guard import SubsetGuard

    by_columns: dict[frozenset[int], list[GroupModel]] = {}
    guards: list[Guard] = []
    for member in _needed(model.measured(), rows.table.schema):
        known = member.known_columns(rows.table.schema)
        places = frozenset(rows.names.index(name) for name in known.columns)
        if len(known) > 1:
            guards.append(SubsetGuard(rows, sorted(places), known.at_most, member))
        else:
            by_columns.setdefault(places, []).append(member)
    return guards + [LeafGuard(rows, sorted(places), models) for places, models in by_columns.items()]


def _needed(members: Sequence[GroupModel], schema: Schema) -> list[GroupModel]:
    """The models that no other one implies; of two that imply each other the first."""
    kept: list[GroupModel] = []
    for at, member in enumerate(members):
        stronger = (other for other in members[at + 1 :] if _implies(other, member, schema))
        if any(_implies(other, member, schema) for other in kept):
            continue
        # A later model that implies this one makes it redundant,
        # unless both imply each other; then the first one stays.
        if all(_implies(member, other, schema) for other in stronger):
            kept.append(member)
    return kept


def _implies(one: GroupModel, other: GroupModel, schema: Schema) -> bool:
    """Whether a model about sizes implies another of the same kind: about all its columns and at least as strict."""
    if type(one) is not type(other) or one.sensitive_columns(schema) or len(one.known_columns(schema)) > 1:
        return one == other
    strict = one.required >= other.required if one.better == "higher" else one.required <= other.required
    return strict and set(other.known_columns(schema).columns) <= set(one.known_columns(schema).columns)
