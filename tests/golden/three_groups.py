"""Twelve numbers in three groups, as figures 7.1 and 7.2 of Kabir (2010) mask them by means and by medians."""

from __future__ import annotations

import numpy as np

from sfumato.disclosure.paired_numbers import PairedNumbers

GROUPS = np.array([[45, 42, 51, 46], [2, 5, 6, 11], [31, 22, 26, 25]], dtype=float)


def means() -> PairedNumbers:
    """Groups of means 46, 6 and 26."""
    return PairedNumbers.of_arrays(GROUPS.ravel(), np.repeat(GROUPS.mean(axis=1), 4), columns=["x"])


def medians() -> PairedNumbers:
    """Groups of medians 45.5, 5.5 and 25.5."""
    return PairedNumbers.of_arrays(GROUPS.ravel(), np.repeat(np.median(GROUPS, axis=1), 4), columns=["x"])
