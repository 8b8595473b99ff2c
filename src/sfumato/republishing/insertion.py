"""Insertion: add persons to an existing release, without moving anybody who is in it to another group."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.covers import covers_of
from sfumato.data.partition import Partition
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.errors import DataError, InfeasibleError, ParameterError, UnsuitableError
from sfumato.kernels.arrays import Flags
from sfumato.models.base import PrivacyModel
from sfumato.models.judge import judge
from sfumato.operations.generalize import generalize_groups
from sfumato.releases.table_candidate import TableCandidate
from sfumato.releases.table_release import TableRelease

Choice = Literal["least_loss", "bayes"]
Counts = NDArray[np.int64]


class GroupedRuns(NamedTuple):
    """Runs of equal records: the row of the table, the group, the number of records, and whether it is suppressed."""

    row: Counts
    group: NDArray[np.int32]
    counts: Counts
    suppressed: Flags


def insert(release: TableRelease, grown: Table, model: PrivacyModel, *, choice: Choice = "least_loss") -> TableRelease:
    """The release of a table with additional persons; the persons of the first release stay in their groups.

    `grown` has all persons, those of the release and the new ones. A new record joins the group whose loss then
    increases least; with `choice="bayes"`, it joins the group that caused the present loss with the lowest probability,
    regardless of its values. Groups with the same published labels count as one group, as they do for an attacker, so
    that records that were indistinguishable stay so. Groups never shrink, so models of group size still hold; the
    result is judged again in any case. If a new record lies outside the range of its group, the group publishes a wider
    range; `groups_changed` in the provenance is the number of such groups. An attacker with both releases sees this
    change, and which sensitive values a group got: the model judges new records together with the others of their group
    and not alone. The provenance has a warning if they would not be protected alone, or if those of a group all have
    the same value of a sensitive column that no model covers. Suppressed records stay suppressed, and records of
    persons who waive protection are published unchanged. If records that agree in all columns are in different groups,
    only their order distinguishes them; then the records of the release must come first in the grown data, in their
    original order.

    >>> from sfumato.algorithms import Mondrian
    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> ages = lambda *values: Table.of_rows(Schema.of(quasi=["age"]), {"age": [str(value) for value in values]})
    >>> first = Mondrian().anonymize(ages(20, 21, 40, 45), KAnonymity(k=2))
    >>> second = insert(first, ages(20, 21, 40, 45, 24), KAnonymity(k=2))
    >>> second.recoding.labels["age"].texts, second.provenance["inserted"]
    (('[20, 24]', '[40, 45]'), {'people': 1, 'choice': 'least_loss', 'groups_changed': 1})

    References: Kabir (2010), section 4.5.
    """
    if choice not in ("least_loss", "bayes"):
        raise ParameterError(f"'choice' must be 'least_loss' or 'bayes'; got {choice!r}.")
    sets, model = _publishes_sets(release), model.with_knowledge(grown)
    nodes = release.provenance.get("labels") == "taxonomy"
    grown = model.with_derived_columns(grown)
    existing = _existing_runs(release.candidate, grown)
    new_counts = (grown.counts - np.bincount(existing.row, existing.counts, len(grown))).astype(np.int64)
    if (new_counts < 0).any():
        raise DataError(
            f"{int(-new_counts[new_counts < 0].sum())} records of the release are not in the grown table; give a table "
            "with all records, or run the algorithm again."
        )
    charged = grown.with_numbers_as_categories() if nodes else grown
    added = _assign_groups(charged, existing, new_counts, choice, sets)
    _demand_order(release.original, grown, existing, added)
    candidate = _candidate_of(grown, existing, added, sets=sets, numbers_as_nodes=nodes)
    verdicts = judge(candidate.view, model)
    failing = [verdict.described for verdict in verdicts if not verdict.holds]
    if failing:
        raise InfeasibleError(
            f"with the new records the release does not satisfy {' & '.join(failing)}; run the algorithm again."
        )
    changed = _count_changed_groups(release.candidate, candidate)
    summary = {"people": int(new_counts.sum()), "choice": choice, "groups_changed": changed}
    warnings = [*release.provenance.get("warnings", ()), *_warnings(grown, existing, added, model)]
    return TableRelease(candidate, verdicts, {**release.provenance, "inserted": summary, "warnings": warnings})


def _warnings(grown: Table, existing: GroupedRuns, added: GroupedRuns, model: PrivacyModel) -> list[str]:
    """A warning if the difference of the releases discloses new records, which the model judges only with others."""
    groups, how_many = _groups_of_new_records(grown, existing, added)
    exposed = np.zeros(len(groups), dtype=bool)
    for one in model.measured():
        exposed |= ~one.holds(groups)
    covered = model.sensitive_columns(grown.schema)
    for name in grown.schema.sensitive:
        if name not in covered:
            exposed |= groups.histogram(name).certain
    failing = int(exposed[:how_many].sum())
    if not failing:
        return []
    return [
        f"somebody who has the earlier release too sees which groups grew and by which values: {failing} of "
        f"{how_many} groups got new records that the models would not protect alone, or that all have the same "
        "sensitive value. Insert more records at once, or let nobody have both releases."
    ]


def _groups_of_new_records(grown: Table, existing: GroupedRuns, added: GroupedRuns) -> tuple[Groups, int]:
    """The new protected records in the groups that they joined, and the number of these groups.

    The other published records are one more group at the end, because models such as t-closeness compare a group with
    the whole published table.
    """
    new = ~grown.waived[added.row]
    old = ~existing.suppressed & ~grown.waived[existing.row]
    used, joined = np.unique(added.group[new], return_inverse=True)
    labels = np.append(joined, np.full(int(old.sum()), len(used))).astype(np.int32)
    rows, counts = np.append(added.row[new], existing.row[old]), np.append(added.counts[new], existing.counts[old])
    return Groups.of_labels(grown.rows_at(rows, counts), labels), len(used)


def _publishes_sets(release: TableRelease) -> bool:
    """Whether groups publish sets of categories; refuses releases whose labels cannot be extended to more records."""
    numbers = any(labels.numbers is not None for labels in release.recoding.labels.values())
    if release.candidate.group_of is None or release.candidate.linkage.cut or numbers:
        raise UnsuitableError(
            "records can be inserted into groups that publish ranges, sets or taxonomy nodes, such as those of "
            "mondrian, k_member or systematic_clustering; for other releases run the algorithm again."
        )
    return bool(release.provenance["categories"] == "sets")


def _existing_runs(candidate: TableCandidate, grown: Table) -> GroupedRuns:
    """The records of the release as runs of rows of the grown table, in the order of the release."""
    columns = [name for name in candidate.original.codes if name in grown.codes]
    codes = {name: _translated(candidate.original, grown, name)[candidate.origin] for name in columns}
    radices = [len(grown.domains[name]) for name in columns]
    packing, number = Packing.of([grown.codes[name] for name in columns], radices)
    row_of = np.empty(len(packing), dtype=np.int64)
    row_of[number] = np.arange(len(grown))
    present = np.logical_and.reduce([code >= 0 for code in codes.values()])
    found = packing.numbers([np.where(present, code, 0).astype(np.int32) for code in codes.values()])
    unknown = ~present | (found < 0)
    if unknown.any():
        raise DataError(
            f"{int(candidate.published.counts[unknown].sum())} records of the release are not in the grown table; give "
            "a table with all records, or run the algorithm again."
        )
    return GroupedRuns(row_of[found], _visible_groups(candidate), candidate.published.counts, candidate.suppressed)


def _visible_groups(candidate: TableCandidate) -> NDArray[np.int32]:
    """The group of every row as an attacker sees it; suppressed and waived rows have groups of their own.

    An algorithm may form several groups with the same published labels, which an attacker cannot distinguish. If a new
    record widened only one of them, records that were indistinguishable would differ afterwards.
    """
    groups = candidate.published.group_numbers(candidate.published.schema.quasi)
    return np.where(candidate.protected, groups, groups + groups.max(initial=-1) + 1).astype(np.int32)


def _translated(table: Table, grown: Table, name: str) -> NDArray[np.int32]:
    """The code of every value of a column in the grown table; -1 if the grown table does not have the value."""
    return grown.domain(name).codes_of(table.domain(name).texts)[table.codes[name]]


def _assign_groups(grown: Table, existing: GroupedRuns, new_counts: Counts, choice: Choice, sets: bool) -> GroupedRuns:
    """Assign every new record to a published group; records of persons who waive protection get separate groups."""
    from sfumato.kernels.covers import empty_group_covers, join_least, join_runs
    from sfumato.republishing.loops.insertion import join_least_likely

    open_runs = ~existing.suppressed & ~grown.waived[existing.row]
    used, place = np.unique(existing.group[open_runs], return_inverse=True)
    if not len(used) and new_counts[~grown.waived].any():
        raise InfeasibleError(
            "no protected record is published, so there is no group to join; run the algorithm again."
        )
    covers = covers_of(grown, sets=sets)
    groups = empty_group_covers(covers, len(used))
    join_runs(covers, groups, existing.row[open_runs], place.astype(np.int32), existing.counts[open_runs])
    rows = np.flatnonzero((new_counts > 0) & ~grown.waived)
    rows = np.repeat(rows, new_counts[rows])
    choose = join_least if choice == "least_loss" else join_least_likely
    chosen = used[choose(covers, groups, rows, np.ones(len(rows), dtype=np.int64))]
    waived_rows = np.flatnonzero((new_counts > 0) & grown.waived)
    waived_groups = existing.group.max(initial=-1) + 1 + grown.group_numbers(grown.schema.quasi)[waived_rows]
    counts = np.append(np.ones(len(rows), dtype=np.int64), new_counts[waived_rows])
    group = np.append(chosen, waived_groups).astype(np.int32)
    return GroupedRuns(np.append(rows, waived_rows), group, counts, np.zeros(len(counts), dtype=bool))


def _demand_order(original: Table, grown: Table, existing: GroupedRuns, added: GroupedRuns) -> None:
    """Refuse equal records in different groups unless the grown data start with the records of the release in order."""
    runs = np.unique(np.stack([np.append(existing.row, added.row), np.append(existing.group, added.group)]), axis=1)
    if len(np.unique(runs[0])) == runs.shape[1] or original.source is None or grown.source is None:
        return
    for name in original.schema.judged:
        before = grown.domain(name).codes_of(original.domain(name).texts)[_records(original, name)]
        if not np.array_equal(before, _records(grown, name)[: len(before)]):
            raise DataError(
                "some records agree in all columns but are in different groups, so that only their order distinguishes "
                "them; give a grown table that starts with the records of the release, in the same order."
            )


def _records(table: Table, name: str) -> NDArray[np.int32]:
    """The code of a column for every record, in the order of the data."""
    if table.source is None:
        return table.codes[name][:0]
    batches = table.source.rows({name: table.encodings[name]}, plain=())
    return np.concatenate([batch.codes[name] for batch in batches])


def _candidate_of(
    grown: Table, existing: GroupedRuns, added: GroupedRuns, *, sets: bool, numbers_as_nodes: bool
) -> TableCandidate:
    """The candidate with these groups; among equal records, those of the release come first."""
    row, counts = np.append(existing.row, added.row), np.append(existing.counts, added.counts)
    suppressed = np.append(existing.suppressed, added.suppressed)
    group = np.unique(np.append(existing.group, added.group), return_inverse=True)[1].astype(np.int32)
    order = np.argsort(row, kind="stable")
    partition = Partition(row[order], group[order], counts[order])
    candidate = generalize_groups(grown, partition, sets=sets, numbers_as_nodes=numbers_as_nodes)
    return candidate.suppressing(suppressed[order]) if suppressed.any() else candidate


def _count_changed_groups(before: TableCandidate, after: TableCandidate) -> int:
    """The number of groups of the first release whose labels are not published any more."""
    return len(_texts(before) - _texts(after))


def _texts(candidate: TableCandidate) -> set[tuple[str | None, ...]]:
    """The combinations of labels that are published."""
    labels, shown = candidate.recoding.labels, candidate.published_rows.distinct(list(candidate.recoding.labels))[0]
    return set(zip(*([labels[name].texts[code] for code in shown.codes[name]] for name in labels), strict=True))
