"""Priors: how likely each value of the sensitive column is for whom, before anything is published."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Kind
from sfumato.data.table import Table
from sfumato.errors import KnowledgeError
from sfumato.knowledge.conditions import Conditions, summing_up
from sfumato.knowledge.exclusions import Exclusions
from sfumato.knowledge.knowledge import Knowledge

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

_ROUNDING = 1e-12
"""What rounding may leave of 1 when all chances are taken from it."""


@dataclass(frozen=True, eq=False)
class Priors(Exclusions):
    """The values of a column that says, record by record, how likely each value of the sensitive column is.

    Code c gives value v the probability `chances[c, v]`; v counts in the order of `values`, the written values of the
    sensitive column, and every row adds up to 1. What has no chance is ruled out.
    """

    chances: Any = None

    @classmethod
    def of_chances(cls, column: str, values: tuple[str | None, ...], rows: Numbers) -> tuple[Priors, Codes]:
        """Number the different priors, of which `rows` has one a row. Also every row's number."""
        chances, number = np.unique(rows, axis=0, return_inverse=True)
        texts = tuple(str(place) for place in range(len(chances)))
        made = cls(column, Kind.TEXT, texts, None, False, values, chances == 0, chances)
        return made, number.astype(np.int32)

    def chances_of(self, values: tuple[str | None, ...]) -> Numbers:
        """What each code says, with values counted in another order; those it never heard of get what others leave."""
        found: Numbers = self.chances
        if values == self.values:
            return found
        place = {text: index for index, text in enumerate(self.values)}
        known = np.array([place.get(text, -1) for text in values], dtype=np.int64)
        found = found[:, known]
        left = 1 - found[:, known >= 0].sum(axis=1, keepdims=True)
        return np.where(known >= 0, found, np.where(left > _ROUNDING, left, 0.0))

    def reordered(self, order: NDArray[np.int64]) -> Priors:
        """The same priors, with `order[i]` as the old code of new code i."""
        turned = super().reordered(order)
        return replace(self, texts=turned.texts, ruled_out=turned.ruled_out, chances=self.chances[order])


def priors_of(knowledge: Knowledge, table: Table, column: str) -> tuple[Priors, Codes]:
    """The priors that knowledge gives the rows of a table of original values, and which of them each row has.

    - Everybody: what rules without items tell; values of which they tell nothing share the rest as they do in the
      table, whose overall counts any release gives away.
    - Under the items of a rule, or of several with the same items: what they tell; all other values share the rest as
      they do under what is more general, whatever is never so having no share.
    - A record of whom the items of several rules are true: of those the most specific ones count, that is without those
      whose items follow from the items of another. Each of them multiplies the base by how much more likely it makes a
      value, as if it told its own (naive Bayes).
    - What is never so for a record has no chance, and all chances of a record are made to add up to 1.

    A rule of what is never so that has exceptions tells a share like any other.

    >>> from sfumato.datasets import hospital
    >>> women = {"sensitive": "Disease", "share": [{"when": {"Sex": "Female"}, "value": "HIV", "share": 0.9}]}
    >>> priors, codes = priors_of(Knowledge.of(women), hospital(), "prior")
    >>> priors.values, priors.chances.round(3).tolist()
    (('Flu', 'HIV', 'Hepatitis'), [[0.033, 0.9, 0.067], [0.143, 0.571, 0.286]])
    """
    knowledge.check_against(table)
    rules = (*knowledge.never, *knowledge.likely, *knowledge.shares)
    small, number = table.condensed(sorted({item.column for rule in rules for item in rule.when}))
    conditions = Conditions.of(knowledge, table)
    applying = conditions.applying(small)
    never = replace(knowledge, never=tuple(rule for rule in knowledge.never if not rule.share)).ruled_out(small)
    _, first, kind = np.unique(_keys(np.hstack([applying, never])), return_index=True, return_inverse=True)
    chances = summing_up(np.where(never[first], 0.0, conditions.combined(applying[first])))
    impossible = int(small.counts[(chances.sum(axis=1) == 0)[kind]].sum())
    if impossible:
        raise KnowledgeError(
            f"the rules leave {impossible} of {table.records} records no value of {knowledge.sensitive!r} that they "
            "could have; remove or soften some of them."
        )
    priors, codes = Priors.of_chances(column, table.domain(knowledge.sensitive).texts, chances)
    return priors, codes[kind][number]


def _keys(rows: Mask) -> NDArray[Any]:
    """One key a row, the same for the same rows."""
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    return packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
