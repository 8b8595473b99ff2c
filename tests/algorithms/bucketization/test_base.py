"""What the base of bucketization promises about random numbers: draws that hide people are secret."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import Anatomy, Injector, Permutation, Slicing
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import DistinctLDiversity, KEAnonymity, MatchingLDiversity
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


def test_who_draws_buckets_at_random_says_so_unless_the_model_looks_at_persons() -> None:
    table, model = Table.of_rows(SCHEMA, ROWS), DistinctLDiversity(l=2)
    known = MatchingLDiversity(l=2, knowledge={"sensitive": "ill", "never": [{"when": {"age": "20"}, "value": "d9"}]})
    drawn = {
        str(algorithm): [algorithm.anonymize(table, one, seed=1).provenance["random_buckets"] for one in asked]
        for algorithm, asked in [
            (Anatomy(), [model, known]), (Permutation(), [model]), (Slicing(), [model]), (Injector(), [model, known]),
        ]
    }  # fmt: skip
    assert drawn == {
        "anatomy()": [True, False], "permutation()": [True], "slicing()": [False], "injector()": [False, False],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("algorithm", "model"),
    [(Anatomy(), DistinctLDiversity(l=2)), (Permutation(), KEAnonymity(k=2, e=1))],
    ids=str,
)
def test_records_with_the_same_sensitive_value_are_equally_likely_in_each_place(algorithm, model) -> None:
    """Four records have the value 1, and any of them shares a bucket with the only 2 as often as the others do.

    A count that is 4.9 of its standard deviations from the mean is a matter of one in a million.
    """
    schema = Schema.of(quasi=["age"], sensitive=["ill"])
    table = Table.of_rows(schema, {"age": list("abcdefgh"), "ill": list("11112399")})
    often = dict.fromkeys("abcd", 0)
    for seed in range(800):
        published = algorithm.anonymize(table, model, seed=seed).candidate.published_rows
        ages = [table.domain("age").texts[code] for code in published.codes["age"]]
        bucket = dict(zip(ages, published.codes["group"].tolist(), strict=True))
        for age in often:
            often[age] += bucket[age] == bucket["e"]
    mean = sum(often.values()) / 4
    assert mean > 100
    for count in often.values():
        assert abs(count - mean) < 4.9 * mean**0.5
