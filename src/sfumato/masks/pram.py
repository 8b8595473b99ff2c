"""PRAM: every category is kept or drawn again by chance, with known probabilities."""

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
    """Keeps every category with a given probability, and draws another one by chance otherwise (post-randomization).

    If `invariant`, a value that is not kept is drawn again from how common values are, its own included, so that the
    count of every category stays what it was on average. Else all other categories are equally likely, and counts have
    to be corrected with the published probabilities. Within strata, values are drawn from the stratum of the record.

    >>> import pyarrow as pa
    >>> made = Pram(retention=0.5).mask(pa.table({"job": ["cook", "nurse", "cook", "cook"]}), ["job"], seed=3)
    >>> set(made["job"].to_pylist()) <= {"cook", "nurse"}
    True

    References: Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomisation for statistical disclosure
    control: theory and implementation.
    """

    for_kind = "categories"

    retention: float = param(0.8, doc="how probable a value is to be kept for sure", at_least=0, at_most=1)
    invariant: bool = param(True, doc="whether counts of categories stay what they were on average")
    strata: tuple[str, ...] = param((), doc="columns within whose groups values are drawn")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strata and not self.invariant:
            raise ParameterError("'strata' of Pram says where values are drawn from, which needs invariant = true.")

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of the strata."""
        return self.strata

    def _mask(self, values: Matrix, random: Randomness, beside: Matrix) -> Matrix:
        stratum = groups_of(beside)
        for column in values.T:  # views, so that values change
            here = np.flatnonzero(column >= 0)
            lost = here[random.random(len(here)) >= self.retention]
            if self.invariant:
                column[lost] = column[_anybody(here, lost, stratum, random)]
            else:
                kinds = int(column.max()) + 1
                column[lost] = (column[lost] + random.integers(1, kinds, len(lost))) % kinds
        return values

    def transition(self, counts: NDArray[np.int64]) -> Floats:
        """How probable every category (a row) is to become every other, given how often each occurs.

        >>> Pram(retention=0.5).transition(np.array([3, 1])).tolist()
        [[0.875, 0.125], [0.375, 0.625]]
        """
        kinds = len(counts)
        others = (1 - np.eye(kinds)) / max(kinds - 1, 1)
        again = np.tile(counts / counts.sum(), (kinds, 1)) if self.invariant else others
        found: Floats = self.retention * np.eye(kinds) + (1 - self.retention) * again
        return found


def _anybody(
    here: NDArray[np.int64], lost: NDArray[np.int64], stratum: NDArray[np.int64], random: Randomness
) -> NDArray[np.int64]:
    """For every lost record any of those here of the same stratum, whose value is then as likely as it is common."""
    order = here[np.argsort(stratum[here], kind="stable")]
    sizes = np.bincount(stratum[here], minlength=int(stratum.max()) + 1)
    starts, mine = np.cumsum(sizes) - sizes, stratum[lost]
    picked: NDArray[np.int64] = order[starts[mine] + (random.random(len(lost)) * sizes[mine]).astype(np.int64)]
    return picked
