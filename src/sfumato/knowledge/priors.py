"""Priors: how likely each sensitive value is for each record before anything is published, as a column of its own.

The model `bounded_belief` calls `priors_of`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.kinds import Kind
from sfumato.data.table import Table
from sfumato.errors import KnowledgeError
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.conditions import Conditions, normalize_rows
from sfumato.knowledge.exclusions import Exclusions
from sfumato.knowledge.knowledge import Knowledge

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]

_ROUNDING = 1e-12
"""Rounding error that may remain when all chances are subtracted from 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Priors(Exclusions):
    """The domain of a derived column: each of its codes stands for a prior distribution over the sensitive values.

    Code c gives value v the probability `chances[c, v]`; v follows the order of `values`, the texts of the sensitive
    column, and every row adds up to 1. Values of probability 0 are ruled out.
    """

    chances: Any = None

    @classmethod
    def of_chances(cls, column: str, values: tuple[str | None, ...], rows: Numbers) -> tuple[Priors, Codes]:
        """Number the distinct priors among `rows`, and return the number of every row."""
        chances, number = np.unique(rows, axis=0, return_inverse=True)
        texts = tuple(str(place) for place in range(len(chances)))
        made = cls(column, Kind.TEXT, texts, None, False, values, chances == 0, chances)
        return made, number.astype(np.int32)

    def chances_of(self, values: tuple[str | None, ...]) -> Numbers:
        """The chances of each code, with the values in another order; unknown values get what the others leave."""
        found: Numbers = self.chances
        if values == self.values:
            return found
        place = {text: index for index, text in enumerate(self.values)}
        known = np.array([place.get(text, -1) for text in values], dtype=np.int64)
        found = found[:, known]
        # The share of all values that are in the original, but not in `values`. Every unknown value gets all of it:
        # it is not known how they divide it, and more belief is the safe assumption.
        left = 1 - found[:, known >= 0].sum(axis=1, keepdims=True)
        return np.where(known >= 0, found, np.where(left > _ROUNDING, left, 0.0))

    def reordered(self, order: NDArray[np.int64]) -> Priors:
        """The same priors under new codes; `order[i]` is the old code of new code i."""
        turned = super().reordered(order)
        return replace(self, texts=turned.texts, ruled_out=turned.ruled_out, chances=self.chances[order])


def priors_of(knowledge: Knowledge, table: Table, column: str) -> tuple[Priors, Codes]:
    """The priors that knowledge gives the rows of a table of original values, and the number of the prior of each row.

    - For all records: the shares of rules without items. Values without such a share divide the rest as they do in the
      table, because every release reveals the overall counts.
    - Under the items of one or several rules: the shares of these rules. All other values divide the rest as they do
      under the more general conditions; excluded values get no share.
    - For a record that satisfies the items of several rules, only the most specific ones count, that is, those whose
      items do not follow from the items of another one. Each of them multiplies the base by how much more likely it
      makes a value, as if they were independent (naive Bayes).
    - A value that rules exclude for a record has probability 0, and the probabilities of a record add up to 1.

    A rule of kind `never` that has exceptions states a share like any other rule.

    >>> from sfumato.datasets import hospital
    >>> women = {"sensitive": "Disease", "share": [{"when": {"Sex": "Female"}, "value": "HIV", "share": 0.9}]}
    >>> priors, codes = priors_of(Knowledge.of(women), hospital(), "prior")
    >>> priors.values, priors.chances.round(3).tolist()
    (('Flu', 'HIV', 'Hepatitis'), [[0.033, 0.9, 0.067], [0.143, 0.571, 0.286]])
    """
    knowledge.check_against(table)
    rules = knowledge.rules
    # Rules only see these columns, so rows that agree in them have the same prior.
    small, number = table.distinct(sorted({item.column for rule in rules for item in rule.when}))
    conditions = Conditions.of(knowledge, table)
    matches = conditions.matches(small)
    never = replace(knowledge, never=tuple(rule for rule in knowledge.never if not rule.share)).ruled_out(small)
    # Rows with the same conditions and exclusions have the same prior, so distributions are computed once per kind.
    _, first, kind = np.unique(_keys(np.hstack([matches, never])), return_index=True, return_inverse=True)
    # A strict rule may apply to a record without being implied
    # by any of its conditions, so it is applied here as well.
    chances = normalize_rows(np.where(never[first], 0.0, conditions.distribution(matches[first])))
    impossible = int(small.counts[(chances.sum(axis=1) == 0)[kind]].sum())
    if impossible:
        raise KnowledgeError(
            f"the rules leave {impossible} of {table.records} records without any possible value of "
            f"{knowledge.sensitive!r}; remove or weaken some of the rules."
        )
    priors, codes = Priors.of_chances(column, table.domain(knowledge.sensitive).texts, chances)
    return priors, codes[kind][number]


def _keys(rows: Flags) -> NDArray[Any]:
    """One key per row; equal rows have equal keys."""
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    return packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
