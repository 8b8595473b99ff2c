"""Workload-aware Mondrian the slow way: one group after the other, every cut by the definitions, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import fsum, inf, log2

import numpy as np

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.models.base import PrivacyModel
from tests.oracles.models_oracle import records_of
from tests.oracles.optimal_grouping import cost

Rows = tuple[int, ...]
Loss = Callable[[Rows], float]
"""What one group of table rows leaves open about the targets."""


def cut_groups(
    table: Table, model: PrivacyModel, loss: Loss, *, sets: bool = True, beneficial: bool = False
) -> set[Rows]:
    """The groups, as rows of the table, that cutting at the best place ends with.

    The best cut leaves least open; of equals (within 1e-12) it is the one with the lowest Mondrian score; of equals
    again the first column's lowest.
    """

    def parts(group: Rows) -> Iterator[Rows]:
        before, best = loss(group), (inf, inf)
        chosen = None
        for left, right in cuts(table, group):
            if not (_one(model.holds, table, left) and _one(model.holds, table, right)):
                continue
            after = loss(left) + loss(right)
            if beneficial and after >= before * (1 - 1e-12):
                continue
            score = expected(table, model, left, sets=sets) + expected(table, model, right, sets=sets)
            if _lower((after, score), best, (1e-12 * before, 1e-12 * records(table, group))):
                best, chosen = (after, score), (left, right)
        if chosen is None:
            yield group
            return
        for side in chosen:
            yield from parts(side)

    return set(parts(tuple(range(len(table)))))


def cuts(table: Table, group: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Every way to cut a group in two along one column, columns and places in order."""
    for name in table.schema.quasi:
        codes = table.codes[name]
        for place in sorted({codes[row] for row in group})[:-1]:
            yield tuple(row for row in group if codes[row] <= place), tuple(row for row in group if codes[row] > place)


def entropy_of(table: Table, targets: Sequence[str], *, compound: bool = False) -> Loss:
    """The entropy of the target in a group times its records, summed over targets or of their combination."""
    columns = [tuple(targets)] if compound else [(name,) for name in targets]

    def loss(group: Rows) -> float:
        inside = of_rows(table, group)
        found = [Counter(tuple(record[name] for name in names) for record in inside) for names in columns]
        return fsum(often * log2(len(inside) / often) for counts in found for often in counts.values())

    return loss


def deviance_of(table: Table, targets: Sequence[str], *, standardize: bool) -> Loss:
    """The squared deviations of a group's records from its mean, summed over targets."""

    def deviance(group: Rows, name: str) -> float:
        numbers = [float(record[name] or "") for record in of_rows(table, group)]
        mean = fsum(numbers) / len(numbers)
        return fsum((number - mean) ** 2 for number in numbers)

    whole = {name: deviance(tuple(range(len(table))), name) for name in targets}
    weights = {name: table.records / whole[name] if standardize and whole[name] else 1.0 for name in targets}
    return lambda group: fsum(weights[name] * deviance(group, name) for name in targets)


def expected(table: Table, model: PrivacyModel, side: Rows, *, sets: bool) -> float:
    """Mondrian's score of one side: its loss now, less by how often it can still be cut."""
    room = _one(lambda groups: model.bounds.max_groups(groups, model.bounds.least_size()), table, side)
    return cost(table, of_rows(table, side), sets) * float(room) ** (-4 / (3 * len(table.schema.quasi)))


def of_rows(table: Table, rows: Rows) -> list[dict[str, str | None]]:
    """The records of some rows, as texts."""
    return records_of(table.rows_at(np.array(rows)))


def records(table: Table, rows: Rows) -> int:
    """How many records some rows stand for."""
    return int(table.counts[list(rows)].sum())


def _one(ask: Callable[[Groups], np.ndarray], table: Table, group: Rows) -> float:
    """A model's answer about one group."""
    return float(ask(Groups.of_labels(table.rows_at(np.array(group)), np.zeros(len(group), dtype=np.int32)))[0])


def _lower(found: tuple[float, float], best: tuple[float, float], slack: tuple[float, float]) -> bool:
    """Whether a loss is lower than the best so far, or equal with a lower score."""
    if abs(found[0] - best[0]) > slack[0]:
        return found[0] < best[0]
    return found[1] < best[1] - slack[1]
