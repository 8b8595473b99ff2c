"""What the base promises for every algorithm about its random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import Mondrian, base
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import KAnonymity
from sfumato.runtime.secret_random import SecretRandom

SCHEMA = Schema.of(quasi=["age"], sensitive=["ill"])
ROWS = {"age": [str(20 + place % 30) for place in range(60)], "ill": [f"d{place % 5}" for place in range(60)]}


def test_searches_are_repeated_without_a_seed() -> None:
    table = Table.of_rows(SCHEMA, ROWS)
    first, second = (Mondrian().anonymize(table, KAnonymity(k=3)) for _ in range(2))
    assert np.array_equal(first.candidate.group_of, second.candidate.group_of)
    assert (first.provenance["seed"], first.provenance["warnings"]) == (0, [])
    assert Mondrian().anonymize(table, KAnonymity(k=3), seed=5).provenance["seed"] == 5


def test_secret_numbers_follow_from_what_an_algorithm_declares() -> None:
    class Hiding(Mondrian):
        needs_secret_randomness = True

    assert isinstance(Hiding()._generator(None), SecretRandom)
    assert not isinstance(Hiding()._generator(1), SecretRandom)
    assert not isinstance(Mondrian()._generator(None), SecretRandom)


@pytest.mark.parametrize("name", ["Partitioning", "Bucketizing", "LatticeSearch"])
def test_classes_that_were_here_earlier_are_still_found(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{name} is in sfumato.algorithms."):
        assert getattr(base, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        base.Nothing  # noqa: B018
