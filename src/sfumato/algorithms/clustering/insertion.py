"""Which group a record that comes later joins."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError

Floats = NDArray[np.float64]


def chosen_group(
    sizes: NDArray[np.int64], losses: Floats, increases: Floats, *, by: Literal["bayes", "least"] = "least"
) -> int:
    """The group of a new record, of groups with so many records that lose so much, and so much more with it.

    `least` takes the group that loses least more by it. `bayes` takes the least probable cause of the loss there is: if
    a random record is in group i with probability N_i / n, and f_i / f of the loss is that group's, then a loss comes
    from group i with probability N_i f_i / sum(N_j f_j), whatever the values of the new record are. Where no group has
    lost anything yet, that says nothing, and the least increase decides. The first of equals is taken.

    >>> chosen_group(np.array([3, 4]), np.array([2.0, 1.0]), np.array([0.1, 0.9]), by="bayes")
    1
    >>> chosen_group(np.array([3, 4]), np.array([2.0, 1.0]), np.array([0.1, 0.9]))
    0

    References: Kabir (2010), section 4.5.
    """
    if not len(sizes):
        raise ParameterError("a record can only join a group where there is one; got none.")
    posterior = posteriors(sizes, losses) if by == "bayes" else None
    return int(np.argmin(increases if posterior is None else posterior))


def posteriors(sizes: NDArray[np.int64], losses: Floats) -> Floats | None:
    """How probable it is for each group that a loss is of one of its records; None where nothing is lost.

    >>> posteriors(np.array([1, 3]), np.array([3.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    parts = sizes * losses
    return parts / parts.sum() if parts.sum() > 0 else None
