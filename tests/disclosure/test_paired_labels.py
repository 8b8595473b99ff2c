"""A published column beside its original values."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.domain import Domain
from sfumato.disclosure.paired_labels import PairedLabels
from sfumato.engines.base import Counted


def paired(pairs: list[tuple[str | None, str | None]], *, missing: tuple[str, ...] = ()) -> PairedLabels:
    """Pairs of an original value and a published text, one record each."""
    before, after = ([pair[side] for pair in pairs] for side in (0, 1))
    places = np.arange(len(pairs))
    counted = Counted(
        {"a": after, "original a": before}, {"a": places, "original a": places}, np.ones(len(pairs), dtype=np.int64)
    )
    return PairedLabels.of_counted("a", counted, Domain.of("a", before, missing=missing)[0], missing=missing)


def test_each_kind_of_cell() -> None:
    found = paired(
        [("10", "10"), ("20", "[10, 20]"), ("30", "*"), ("40", None), ("50", "[10, 20]"), ("50", "45"), ("50", "old")]
    )
    assert (found.unchanged, found.generalized, found.suppressed, found.false, found.unclear) == (1, 1, 2, 2, 1)
    assert found.cells == 7
    assert found.loss == pytest.approx((0 + 10 / 40 + 1 + 1) / 4)


def test_missing_values() -> None:
    """A missing value that stays one is unchanged, under any of its markers; one that got a value is false."""
    found = paired([("?", "NA"), (None, None), ("1", "?"), ("NA", "1"), (None, "{1, missing}")], missing=("?", "NA"))
    assert (found.unchanged, found.suppressed, found.false, found.generalized) == (2, 1, 1, 1)


def test_without_a_true_label_there_is_no_loss() -> None:
    assert paired([("a", "b"), ("b", "a")]).loss is None


def test_counts_weigh() -> None:
    counted = Counted(
        {"a": ["*", "1"], "original a": ["1", "2"]},
        {"a": np.array([0, 1]), "original a": np.array([0, 0])},
        np.array([3, 1]),
    )
    found = PairedLabels.of_counted("a", counted, Domain.of("a", ["1", "2"])[0])
    assert (found.suppressed, found.unchanged, found.loss) == (3, 1, 0.75)
