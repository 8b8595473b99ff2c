"""What the base of bucketization promises about random numbers: draws that hide people are secret."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import Anatomy, Permutation, Slicing
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import DistinctLDiversity
from sfumato.runtime.secret_random import SecretRandom

SCHEMA = Schema.of(quasi=["age"], sensitive=["ill"])
ROWS = {"age": [str(20 + place % 30) for place in range(60)], "ill": [f"d{place % 5}" for place in range(60)]}
HIDING = [Anatomy(), Slicing(), Permutation()]


@pytest.mark.parametrize("algorithm", HIDING, ids=str)
def test_draws_that_hide_people_are_secret_unless_there_is_a_seed(algorithm, monkeypatch) -> None:
    table, model, drawn = Table.of_rows(SCHEMA, ROWS), DistinctLDiversity(l=3), []
    words = SecretRandom._words

    def watched(self, size):
        drawn.append(size)
        return words(self, size)

    monkeypatch.setattr(SecretRandom, "_words", watched)
    secret = algorithm.anonymize(table, model)
    assert drawn
    assert secret.recoding.order is None
    assert (secret.provenance["seed"], secret.provenance["warnings"]) == (None, [])
    drawn.clear()
    first, second = (algorithm.anonymize(table, model, seed=3) for _ in range(2))
    assert drawn == []
    assert np.array_equal(first.candidate.group_of, second.candidate.group_of)
    assert first.provenance["seed"] is None
    assert first.provenance["warnings"] == [
        f"{algorithm.name()} was given a seed: somebody who knows it can repeat the draws and undo what they hide."
    ]
