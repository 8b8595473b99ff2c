"""Least squared deviance Mondrian: cut where a number grows most predictable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.targeted import TargetedCutting
from sfumato.data.table import Table
from sfumato.errors import DataError, SchemaError
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.mondrian.cutting import Aim, Round
    from sfumato.algorithms.mondrian.loops.cuts import Cuts

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LsdMondrian(TargetedCutting):
    """Mondrian that cuts where a number grows most predictable, for a release that regressions are fitted to.

    Of all safe cuts of a group the one is made after which the target deviates least from the means of the two sides,
    squared and summed over their records, as in a regression tree. Several targets are added up; unless told otherwise
    each is measured in its own standard deviations, as the one with the largest numbers would decide alone. Equal
    deviations (to within 1e-12 of the group's) are told apart by Mondrian's own score, so a cut that gains nothing is
    still made where it is the best for general use, unless only `beneficial` cuts are asked for; without a target
    column the result is `mondrian`'s. Targets must be numbers or dates and never missing.

    >>> from sfumato.models import KAnonymity
    >>> from sfumato.data.schema import Schema
    >>> rows = {"age": ["20", "30", "40", "50", "60"], "pay": ["1", "1", "1", "9", "9"]}
    >>> table = Table.of_rows(Schema.of(quasi=["age"], target=["pay"]), rows)
    >>> LsdMondrian().anonymize(table, KAnonymity(k=2)).parts["table"].domains["age"].texts
    ('[20, 40]', '[50, 60]')

    References: LeFevre, DeWitt and Ramakrishnan (2006), Workload-Aware Anonymization; book, sections 6.4.2 and 6.4.3,
    equations 6.5 and 6.7.
    """

    standardize: bool = param(True, doc="measure targets in standard deviations, so that all count alike")

    def _aim(self, table: Table, targets: tuple[str, ...]) -> Aim:
        from sfumato.algorithms.mondrian.loops.lsd_mondrian import squared_deviations

        numbers = [_numbers(table, name) for name in targets]
        if self.standardize:
            numbers = [_standardized(column, table.counts) for column in numbers]

        def deviations(now: Round, cuts: Cuts) -> tuple[Floats, Floats]:
            found = [
                squared_deviations(now.rows, now.keys, column[now.order], now.starts, now.stops, cuts)
                for column in numbers
            ]
            after, before = np.sum(found, axis=0)
            return after, before

        return deviations


def _numbers(table: Table, target: str) -> Floats:
    """The number of every row; refuses a target that has none."""
    domain, codes = table.domain(target), table.codes[target]
    if domain.numbers is None:
        raise SchemaError(
            f"target {target!r} is {domain.kind}, and lsd_mondrian predicts numbers; declare it as a number, name "
            "other targets, or use info_gain_mondrian, which predicts classes."
        )
    gone = int(table.counts[codes >= domain.present].sum())
    if gone:
        raise DataError(
            f"target {target!r} is missing in {gone} of {table.records} records, and lsd_mondrian cannot measure how "
            "far they lie from others; leave them out or fill them in."
        )
    return domain.numbers[codes]


def _standardized(numbers: Floats, counts: NDArray[np.int64]) -> Floats:
    """Numbers in standard deviations from their mean; those that are all the same are all 0."""
    distance = numbers - np.average(numbers, weights=counts)
    if numbers.min() == numbers.max():
        return np.zeros_like(distance)
    distance /= np.abs(distance).max()  # squares of very large and very small numbers would not be numbers any more
    standardized: Floats = distance / np.sqrt(np.average(distance**2, weights=counts))
    return standardized
