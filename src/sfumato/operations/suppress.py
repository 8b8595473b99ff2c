"""Suppress: leave out the records of groups that violate a model, so that the rest satisfies it."""

from __future__ import annotations

from math import floor

import numpy as np
from numpy.typing import NDArray

from sfumato.models.base import PrivacyModel
from sfumato.releases.candidate import Candidate

_ROUNDING = 1e-9
"""Allowance for rounding: 1/7 of seven records is one record, although the nearest float to 1/7 is smaller."""


def suppress_failing(candidate: Candidate, model: PrivacyModel, limit: float) -> Candidate:
    """Leave out failing groups repeatedly until all remaining groups hold, up to a share of the records.

    Leaving records out changes the table that the others are compared with, so one round is not always enough. If the
    limit is exceeded, the candidate is returned unchanged.
    """
    allowed = floor(limit * candidate.original.records + _ROUNDING)
    trial = candidate
    while True:
        failing = _failing(trial, model)
        if not failing.any():
            return trial
        trial = trial.suppressing(failing)
        if trial.suppressed_records > allowed or not trial.protected.any():
            return candidate


def _failing(candidate: Candidate, model: PrivacyModel) -> NDArray[np.bool_]:
    """A mask of the published rows whose group fails one of the models."""
    failing = np.zeros(len(candidate.published), dtype=bool)
    for member in model.members():
        failing[candidate.protected] |= member.fails(candidate.view, candidate.published.schema)
    return failing
