"""Suppress: choose the records of groups that violate a model, so that the rest satisfies it.

`TableCandidate.suppressing` marks the chosen records; in the written release their cells are empty or `*`.
"""

from __future__ import annotations

from math import floor

import numpy as np

from sfumato.data.base import Data
from sfumato.kernels.arrays import Flags
from sfumato.models.base import PrivacyModel
from sfumato.releases.table_candidate import TableCandidate

_ROUNDING = 1e-9
"""Allowance for rounding: 1/7 of seven records is one record, although the nearest float to 1/7 is smaller."""


def suppress_failing(candidate: TableCandidate, model: PrivacyModel, limit: float) -> TableCandidate:
    """Leave out the groups that fail until all that stay hold, within a share of the records, or of the persons.

    A person counts as left out when any of the person's records is. A model that is not `kept_by_suppressing` compares
    groups with the whole release, which suppression changes, so it takes several rounds. If the limit does not allow
    it, the candidate comes back as it was.
    """
    allowed = most_suppressed(candidate.original, limit)
    trial = candidate
    while True:
        failing = _failing(trial, model)
        if not failing.any():
            return trial
        trial = trial.suppressing(failing)
        # All or nothing: suppressing only a part would still leave failing groups.
        if trial.suppressed_persons > allowed or not trial.protected.any():
            return candidate
        if _one_round_is_enough(trial, model):
            return trial


def most_suppressed(data: Data, limit: float) -> int:
    """How many records, or persons if a column is a person key, may be left out."""
    return floor(limit * data.persons + _ROUNDING)


def _one_round_is_enough(candidate: TableCandidate, model: PrivacyModel) -> bool:
    """Whether groups that hold cannot fail because others were left out: all members judge the same groups, each alone.

    Where members know different columns, leaving out a group of one makes groups of the other smaller.
    """
    backgrounds = {member.known_columns(candidate.published.schema) for member in model.measured()}
    same = len(backgrounds) == 1 and all(len(background) == 1 for background in backgrounds)
    return same and not candidate.linkage.cut and all(member.kept_by_suppressing for member in model.measured())


def _failing(candidate: TableCandidate, model: PrivacyModel) -> Flags:
    """A mask of the published rows whose group fails one of the models."""
    failing = np.zeros(len(candidate.published), dtype=bool)
    for member in model.measured():
        failing[candidate.protected] |= member.fails(candidate.view)
    return failing
