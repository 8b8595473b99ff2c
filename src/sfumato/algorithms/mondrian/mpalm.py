"""MPALM: cuts a population into boxes as long as the share of persons who are in the data stays within limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.partition import Partition
from sfumato.data.row_keys import Packing
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.kernels.arrays import Flags
from sfumato.models.group_model import GroupModel
from sfumato.models.population_model import PopulationModel
from sfumato.operations.generalize import cover_groups
from sfumato.operations.grouped import grouped_candidate
from sfumato.releases.table_candidate import TableCandidate
from sfumato.runtime.progress import advance

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Mpalm(TableAlgorithm):
    """Cuts the persons of a population into boxes, and publishes for every record the ranges and nodes of its box.

    It begins with one box for everybody. A box is cut in two between values of a column of numbers or of categories
    without a taxonomy, or into the children of its node of a taxonomy; a missing value is cut off numbers first. A cut
    is allowed if every part keeps the share of persons who are in the data within the limits of the model, and if the
    records of every part satisfy all other models. Of the allowed cuts it takes the one with the least sum of squared
    numbers of records, and among equals that of the widest column, until no cut is allowed.

    Labels cover all persons of a box, not only those whose records are published, so that an attacker finds as many
    persons in a group as the search did. Boxes do not overlap. Groups are not better than those of any full-domain
    generalization by proof: a cut that is allowed only together with others is not found.

    >>> from sfumato.datasets import hospital, hospital_population
    >>> from sfumato.disclosure.population import Population
    >>> from sfumato.models import DeltaPresence
    >>> everybody = Population.of_table(hospital_population())
    >>> model = DeltaPresence(delta_min=0.5, delta_max=1, population=everybody)
    >>> Mpalm().anonymize(hospital(), model).groups.sizes.tolist()
    [1, 1, 1, 2, 2]

    References: Nergiz, Atzori and Clifton (2007); book, section 5.3.1. The order of cuts is defined here.
    """

    needs = frozenset({"kept_by_merging"})
    reads_population: ClassVar[bool] = True
    family: ClassVar[str] = "groups that publish ranges, sets or taxonomy nodes"

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        boxes = _Boxes(table, model)
        box_of = boxes.cut()
        # Only boxes with records are published; the cumulative sum numbers them without gaps.
        used = np.zeros(int(box_of.max()) + 1, dtype=bool)
        used[box_of[boxes.owner]] = True
        group_of = np.where(used, np.cumsum(used) - 1, -1)[box_of].astype(np.int32)
        labels, cells = cover_groups(boxes.rows.rows_where(group_of >= 0), group_of[group_of >= 0], sets=False)
        return grouped_candidate(table, Partition.of_labels(group_of[boxes.owner]), labels, cells)


class _Cut(NamedTuple):
    """A cut of a box: the sum of squares after it, how narrow its column is, and where each person of the box goes."""

    cost: int
    narrowness: float
    column: int
    part: Codes | int
    """The part of each combination, or the first code of the second part."""


class _Boxes:
    """The combinations of quasi values of a population and of a table, and the search for boxes of them.

    `rows` are the combinations, `owner` the combination of each row of the table. `present` are the records of the
    table with each combination, and `people` the persons of each population.
    """

    def __init__(self, table: Table, model: GroupModel) -> None:
        self._table, self._model = table, model
        self._compared: tuple[PopulationModel, ...] = model.compared()
        self._quasi = table.schema.quasi
        parts = [table, *(one.at_hand.table(table) for one in self._compared)]
        columns = [np.concatenate([part.codes[name] for part in parts]) for name in self._quasi]
        packing, number = Packing.of(columns, [len(table.domain(name)) for name in self._quasi])
        first = np.empty(len(packing), dtype=np.int64)
        first[number[::-1]] = np.arange(len(number))[::-1]
        self._codes = [column[first] for column in columns]
        pieces = np.split(number, np.cumsum([len(part) for part in parts])[:-1])
        self.owner = pieces[0].astype(np.int64)
        counted = [
            np.bincount(piece, weights=part.counts, minlength=len(packing)).astype(np.int64)
            for piece, part in zip(pieces, parts, strict=True)
        ]
        self.present, self.people = counted[0], counted[1:]
        codes = MappingProxyType(dict(zip(self._quasi, self._codes, strict=True)))
        self.rows = replace(table, codes=codes, counts=np.maximum.reduce(counted), source=None, encodings={})
        self._least = model.bounds.least_size() if model.measured() else 1
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(self.owner, minlength=len(packing)))])
        self._by_owner = np.argsort(self.owner, kind="stable")

    def cut(self) -> NDArray[np.int64]:
        """The box of every combination, numbered from 0."""
        box_of = np.zeros(len(self.present), dtype=np.int64)
        open_boxes, boxes, done = [np.arange(len(self.present))], 0, 0
        while open_boxes:
            box = open_boxes.pop()
            parts = self._best_parts(box)
            if parts is not None:
                open_boxes += [box[parts == part] for part in range(int(parts.max()), -1, -1)]
                continue
            box_of[box] = boxes
            boxes, done = boxes + 1, done + len(box)
            advance("searching", done, len(box_of))
        return box_of

    def _best_parts(self, box: NDArray[np.int64]) -> Codes | None:
        """The part of each combination of a box by the best allowed cut; None if no cut is allowed."""
        cuts = [cut for column in range(len(self._quasi)) for cut in self._cuts(box, column)]
        for cut in sorted(cuts, key=lambda cut: cut[:3]):
            codes = self._codes[cut.column][box]
            parts = (codes >= cut.part).astype(np.int32) if isinstance(cut.part, int) else cut.part
            if self._others_hold(box, parts):
                return parts
        return None

    def _cuts(self, box: NDArray[np.int64], column: int) -> Iterator[_Cut]:
        """The cuts of a box in one column for which every part satisfies the models that compare with a population."""
        name, codes = self._quasi[column], self._codes[column][box]
        low, high = int(codes.min()), int(codes.max())
        if low == high:
            return
        domain, taxonomy = self._table.domain(name), self._table.taxonomies.get(name)
        narrowness = -(high - low) / (len(domain) - 1)
        if taxonomy is not None and not domain.ordered:
            level = int(np.flatnonzero(taxonomy.nodes[:, low] != taxonomy.nodes[:, high])[-1])
            # Nodes are ranges of codes, so the last level on which both ends differ is that of the children.
            _, parts = np.unique(taxonomy.nodes[level][codes], return_inverse=True)
            whole = int(parts.max()) + 1
            present, *people = (
                np.bincount(parts, weights=counts[box], minlength=whole).astype(np.int64)
                for counts in (self.present, *self.people)
            )
            if self._admitted(present, people).all():
                yield _Cut(int((present**2).sum()), narrowness, column, parts.astype(np.int32))
            return
        values, place = np.unique(codes, return_inverse=True)
        present, *people = (
            np.cumsum(np.bincount(place, weights=counts[box]).astype(np.int64))
            for counts in (self.present, *self.people)
        )
        rest = [one[-1] - one for one in people]
        fits = self._admitted(present, people) & self._admitted(present[-1] - present, rest)
        fits[-1] = False
        if domain.ordered and high >= domain.present:  # a range of numbers cannot cover a missing value
            fits[:-2] = False
        cost = present**2 + (present[-1] - present) ** 2
        for index in np.flatnonzero(fits).tolist():
            yield _Cut(int(cost[index]), narrowness, column, int(values[index + 1]))

    def _admitted(self, present: Counts, people: list[Counts]) -> Flags:
        """Which parts every model that compares with a population admits, and are not too small for the others."""
        fits = (present == 0) | (present >= self._least)
        for one, counts in zip(self._compared, people, strict=True):
            fits &= one.admits(present, counts)
        return np.asarray(fits, dtype=np.bool_)

    def _others_hold(self, box: NDArray[np.int64], parts: Codes) -> bool:
        """Whether the records of every part satisfy the models that judge groups of records."""
        if not self._model.measured():
            return True
        rows = [self._by_owner[self._starts[one] : self._starts[one + 1]] for one in box.tolist()]
        part = np.repeat(parts, [len(some) for some in rows])
        found = self._table.rows_at(np.concatenate(rows))
        groups = Groups.of_labels(found, np.unique(part, return_inverse=True)[1].astype(np.int32))
        whole = Groups.of_labels(self._table, np.zeros(len(self._table), dtype=np.int32))
        sensitive = self._model.sensitive_columns(self._table.schema)
        histograms = {name: replace(groups.histogram(name), whole=whole.whole(name)) for name in sensitive}
        return bool(self._model.holds(Groups.of_histograms(self._table, groups.sizes, histograms)).all())
