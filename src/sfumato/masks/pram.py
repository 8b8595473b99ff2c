"""PRAM (post-randomization): every category is kept or replaced at random, with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.masks.base import Mask, Matrix
from sfumato.masks.record_swapping import groups_of
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Pram(Mask):
    """Keeps every category with a given probability, and replaces it by a random one otherwise (post-randomization).

    With `invariant`, the replacement is drawn in proportion to the frequencies of the values, the old value included,
    so that the count of every category is preserved on average. Without it, all other categories are equally likely,
    and recipients must correct counts with the published probabilities. With `strata`, replacements come from the
    stratum of the record.

    >>> import pyarrow as pa
    >>> made = Pram(retention=0.5).mask(pa.table({"job": ["cook", "nurse", "cook", "cook"]}), ["job"], seed=3)
    >>> set(made["job"].to_pylist()) <= {"cook", "nurse"}
    True

    References: Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomisation for statistical disclosure
    control: theory and implementation.
    """

    for_kind = "categories"

    retention: float = param(0.8, doc="probability that a value is kept without drawing", at_least=0, at_most=1)
    invariant: bool = param(True, doc="whether counts of categories are preserved on average")
    strata: tuple[str, ...] = param((), doc="columns that form the strata within which values are drawn")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strata and not self.invariant:
            raise ParameterError(
                "'strata' of Pram needs invariant = true, because only then values are drawn from data."
            )

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of the strata."""
        return self.strata

    def _mask(self, values: Matrix, random: Randomness, others: Matrix) -> Matrix:
        stratum = groups_of(others)
        for column in values.T:  # views: writing to a column changes `values`
            here = np.flatnonzero(column >= 0)
            lost = here[random.random(len(here)) >= self.retention]
            if self.invariant:
                column[lost] = column[_random_donors(here, lost, stratum, random)]
            else:
                kinds = int(column.max()) + 1
                column[lost] = (column[lost] + random.integers(1, kinds, len(lost))) % kinds
        return values

    def transition(self, counts: NDArray[np.int64]) -> Floats:
        """The transition matrix: the probability of each category (row) to become each other, given their counts.

        >>> Pram(retention=0.5).transition(np.array([3, 1])).tolist()
        [[0.875, 0.125], [0.375, 0.625]]
        """
        kinds = len(counts)
        others = (1 - np.eye(kinds)) / max(kinds - 1, 1)
        again = np.tile(counts / counts.sum(), (kinds, 1)) if self.invariant else others
        found: Floats = self.retention * np.eye(kinds) + (1 - self.retention) * again
        return found


def _random_donors(
    here: NDArray[np.int64], lost: NDArray[np.int64], stratum: NDArray[np.int64], random: Randomness
) -> NDArray[np.int64]:
    """For every record in `lost` a random record in `here` of the same stratum, so values are drawn by frequency."""
    order = here[np.argsort(stratum[here], kind="stable")]
    sizes = np.bincount(stratum[here], minlength=int(stratum.max()) + 1)
    starts, mine = np.cumsum(sizes) - sizes, stratum[lost]
    picked: NDArray[np.int64] = order[starts[mine] + (random.random(len(lost)) * sizes[mine]).astype(np.int64)]
    return picked
