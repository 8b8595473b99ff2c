"""Insert people into a release that is out already, without moving anybody who is in it."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.clustering.covers import covers_of
from sfumato.data.partition import Partition
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.errors import DataError, InfeasibleError, ParameterError, UnsuitableError
from sfumato.models.base import PrivacyModel
from sfumato.models.judge import judge
from sfumato.operations.generalize import generalize_groups
from sfumato.releases.table_candidate import TableCandidate
from sfumato.releases.table_release import TableRelease

Choice = Literal["least_loss", "bayes"]
Counts = NDArray[np.int64]


class PlacedRuns(NamedTuple):
    """Of which row, in which group, how many records; and whether they are suppressed."""

    row: Counts
    group: NDArray[np.int32]
    counts: Counts
    hidden: NDArray[np.bool_]


def insert(release: TableRelease, grown: Table, model: PrivacyModel, *, choice: Choice = "least_loss") -> TableRelease:
    """The release of a table that has more people than the one it was made from; who was in it keeps the group.

    `grown` has all people, those of the release and the newcomers. A newcomer joins the group that then loses least, or
    by `choice="bayes"` the one that would account for the present loss with the least probability, whatever the
    newcomer's values. Groups that publish the same labels are one group here, as they are to a reader, so that
    everybody who looked alike still does. Groups never shrink, so what was promised by size holds on; everything is
    judged anew. A group whose range a newcomer lies outside of publishes a wider one: whoever has both releases can see
    that somebody came, and provenance says how many groups that is. Who was suppressed stays so, and who waives
    protection is published as is. Where people who are alike in all columns are in different groups, only the order of
    records tells them apart; then the people of the release must come first in the grown data, in the order in which
    they were.

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
    grown = model.with_derived_columns(grown)
    known = _known(release.candidate, grown)
    newcomers = (grown.counts - np.bincount(known.row, known.counts, len(grown))).astype(np.int64)
    if (newcomers < 0).any():
        raise DataError(
            f"{int(-newcomers[newcomers < 0].sum())} records of the release are not in the grown table; give a table "
            "of everybody, or decide anew."
        )
    placed = _placed(grown, known, newcomers, choice, sets)
    _demand_order(release.original, grown, known, placed)
    candidate = _published(grown, known, placed, sets)
    verdicts = judge(candidate.view, model)
    broken = [verdict.described for verdict in verdicts if not verdict.holds]
    if broken:
        raise InfeasibleError(f"with the newcomers in its groups the release breaks {' & '.join(broken)}; decide anew.")
    changed = _changed(release.candidate, candidate)
    told = {"people": int(newcomers.sum()), "choice": choice, "groups_changed": changed}
    return TableRelease(candidate, verdicts, {**release.provenance, "inserted": told})


def _publishes_sets(release: TableRelease) -> bool:
    """Whether groups publish sets of categories; only groups that publish what covers their people can take more."""
    numbers = any(labels.numbers is not None for labels in release.recoding.labels.values())
    if release.candidate.group_of is None or release.candidate.linkage.cut or numbers:
        raise UnsuitableError(
            "people can be inserted into groups that publish ranges, sets or taxonomy nodes, as mondrian, k_member or "
            "systematic_clustering make them; decide anew for other releases."
        )
    return bool(release.provenance["categories"] == "sets")


def _known(candidate: TableCandidate, grown: Table) -> PlacedRuns:
    """The people of the release as runs of the grown table's rows, in the order in which they were placed."""
    columns = [name for name in candidate.original.codes if name in grown.codes]
    codes = {name: _translated(candidate.original, grown, name)[candidate.origin] for name in columns}
    radices = [len(grown.domains[name]) for name in columns]
    packing, number = Packing.of([grown.codes[name] for name in columns], radices)
    row_of = np.empty(len(packing), dtype=np.int64)
    row_of[number] = np.arange(len(grown))
    there = np.logical_and.reduce([code >= 0 for code in codes.values()])
    found = packing.numbers([np.where(there, code, 0).astype(np.int32) for code in codes.values()])
    strange = ~there | (found < 0)
    if strange.any():
        raise DataError(
            f"{int(candidate.published.counts[strange].sum())} records of the release are not in the grown table; give "
            "a table of everybody, or decide anew."
        )
    return PlacedRuns(row_of[found], _visible_groups(candidate), candidate.published.counts, candidate.suppressed)


def _visible_groups(candidate: TableCandidate) -> NDArray[np.int32]:
    """The group of every row as a reader sees it; who is suppressed or waives protection is in none of the others'.

    An algorithm may make several groups that publish the same labels. To a reader they are one. If a newcomer widened
    only one of them, records that looked alike before would differ afterwards.
    """
    alike = candidate.published.group_numbers(candidate.published.schema.quasi)
    return np.where(candidate.protected, alike, alike + alike.max(initial=-1) + 1).astype(np.int32)


def _translated(table: Table, grown: Table, name: str) -> NDArray[np.int32]:
    """The code in the grown table of every row's value of a column; -1 where the value is not there any more."""
    return grown.domain(name).codes_of(table.domain(name).texts)[table.codes[name]]


def _placed(grown: Table, known: PlacedRuns, newcomers: Counts, choice: Choice, sets: bool) -> PlacedRuns:
    """Every newcomer in one of the groups that are published; who waives protection beside them."""
    from sfumato.algorithms.clustering.loops.covers import empty_group_covers, join_least, join_runs
    from sfumato.republishing.loops.insertion import join_least_likely

    taking = ~known.hidden & ~grown.waived[known.row]
    used, place = np.unique(known.group[taking], return_inverse=True)
    if not len(used) and newcomers[~grown.waived].any():
        raise InfeasibleError("nobody who is protected is published, so there is no group to join; decide anew.")
    covers = covers_of(grown, sets=sets)
    groups = empty_group_covers(covers, len(used))
    join_runs(covers, groups, known.row[taking], place.astype(np.int32), known.counts[taking])
    rows = np.flatnonzero((newcomers > 0) & ~grown.waived)
    rows = np.repeat(rows, newcomers[rows])
    choose = join_least if choice == "least_loss" else join_least_likely
    chosen = used[choose(covers, groups, rows, np.ones(len(rows), dtype=np.int64))]
    free = np.flatnonzero((newcomers > 0) & grown.waived)
    apart = known.group.max(initial=-1) + 1 + grown.group_numbers(grown.schema.quasi)[free]
    counts = np.append(np.ones(len(rows), dtype=np.int64), newcomers[free])
    group = np.append(chosen, apart).astype(np.int32)
    return PlacedRuns(np.append(rows, free), group, counts, np.zeros(len(counts), dtype=bool))


def _demand_order(original: Table, grown: Table, known: PlacedRuns, placed: PlacedRuns) -> None:
    """Refuse to tell people who are alike apart by an order that is not theirs."""
    runs = np.unique(np.stack([np.append(known.row, placed.row), np.append(known.group, placed.group)]), axis=1)
    if len(np.unique(runs[0])) == runs.shape[1] or original.source is None or grown.source is None:
        return
    for name in original.schema.judged:
        before = grown.domain(name).codes_of(original.domain(name).texts)[_records(original, name)]
        if not np.array_equal(before, _records(grown, name)[: len(before)]):
            raise DataError(
                "some people are alike in all columns and yet in different groups, so that only the order of records "
                "tells who is who; give a grown table that has the people of the release first, in the same order."
            )


def _records(table: Table, name: str) -> NDArray[np.int32]:
    """The value of every record in the order of the data."""
    if table.source is None:
        return table.codes[name][:0]
    batches = table.source.rows({name: table.encodings[name]}, plain=())
    return np.concatenate([batch.codes[name] for batch in batches])


def _published(grown: Table, known: PlacedRuns, placed: PlacedRuns, sets: bool) -> TableCandidate:
    """Everybody in these groups. Of people who are alike in all, those of the release come first."""
    row, counts = np.append(known.row, placed.row), np.append(known.counts, placed.counts)
    hidden = np.append(known.hidden, placed.hidden)
    group = np.unique(np.append(known.group, placed.group), return_inverse=True)[1].astype(np.int32)
    order = np.argsort(row, kind="stable")
    candidate = generalize_groups(grown, Partition(row[order], group[order], counts[order]), sets=sets)
    return candidate.suppressing(hidden[order]) if hidden.any() else candidate


def _changed(before: TableCandidate, after: TableCandidate) -> int:
    """How many of the groups that a reader saw before read differently now."""
    return len(_texts(before) - _texts(after))


def _texts(candidate: TableCandidate) -> set[tuple[str | None, ...]]:
    """What groups publish."""
    labels, shown = candidate.recoding.labels, candidate.published_rows.distinct(list(candidate.recoding.labels))[0]
    return set(zip(*([labels[name].texts[code] for code in shown.codes[name]] for name in labels), strict=True))
