"""The losses of groups of points, by name."""

from __future__ import annotations

from sfumato.algorithms.clustering.absolute_loss import AbsoluteLoss
from sfumato.algorithms.clustering.group_loss import Floats, GroupLoss
from sfumato.algorithms.clustering.squared_loss import SquaredLoss

_LOSSES: dict[str, type[SquaredLoss] | type[AbsoluteLoss]] = {"sse": SquaredLoss, "adm": AbsoluteLoss}


def point_loss(name: str, points: Floats, groups: int) -> GroupLoss:
    """The loss called `sse` or `adm`, over so many empty groups.

    >>> import numpy as np
    >>> point_loss("sse", np.array([[0.0], [2.0]]), 1).pairs(0).tolist()
    [0.0, 2.0]
    """
    return _LOSSES[name](points, groups)
