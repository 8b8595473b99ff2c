"""Guesses by what all groups together say, against a plain loop over people and secrets."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks import NaiveBayesInference
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from tests.attacks.patients import KNOWN, bucketized, in_buckets

PEOPLE = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("uvw"), st.integers(0, 2)),
    min_size=1,
    max_size=12,
    unique_by=lambda one: one[:3],
)


def plain(people, smoothing=1.0):
    """The expected number of right guesses, one person and one secret after the other."""
    secrets = sorted({one[2] for one in people})
    groups = {group: [one for one in people if one[3] == group] for *_, group in people}

    def weight(column, value, secret):
        return sum(
            sum(one[column] == value for one in inside) * sum(one[2] == secret for one in inside) / len(inside)
            for inside in groups.values()
        )

    values = [sorted({one[column] for one in people}) for column in (0, 1)]
    suits = {
        (column, value, secret): log(
            (weight(column, value, secret) + smoothing)
            / sum(weight(column, other, secret) + smoothing for other in values[column])
        )
        for column in (0, 1)
        for value in values[column]
        for secret in secrets
    }
    right = 0.0
    for one in people:
        inside = Counter(other[2] for other in groups[one[3]])
        score = {
            secret: log(often) + sum(suits[column, one[column], secret] for column in (0, 1))
            for secret, often in inside.items()
        }
        best = [secret for secret, found in score.items() if abs(found - max(score.values())) < 1e-9]
        right += (one[2] in best) / len(best)
    return right


def release_of(people):
    schema = Schema.of(quasi=["q", "r"], sensitive=["s"])
    table = Table.of_rows(schema, {name: [one[at] for one in people] for at, name in enumerate("qrs")})
    group_of = {one[:3]: one[3] for one in people}
    numbers = {group: place for place, group in enumerate(sorted(set(group_of.values())))}
    rows = zip(*([table.domains[name].texts[code] for code in table.codes[name]] for name in "qrs"), strict=True)
    return bucketized(table, [numbers[group_of[row]] for row in rows])


@given(PEOPLE)
def test_as_many_right_guesses_as_a_plain_loop_makes(people) -> None:
    result = NaiveBayesInference().run(release_of(people))
    assert result.rate * len(people) == pytest.approx(plain(people))
    commonest = Counter()
    for group in {one[3] for one in people}:
        commonest[group] = max(Counter(one[2] for one in people if one[3] == group).values())
    assert result.baseline == pytest.approx(commonest.total() / len(people))
    assert result.control == pytest.approx(max(Counter(one[2] for one in people).values()) / len(people))


def test_what_cannot_be_is_not_guessed() -> None:
    """The only man of the first bucket has prostate cancer for certain."""
    informed = NaiveBayesInference().run(in_buckets(), KNOWN)
    assert informed.rate >= NaiveBayesInference().run(in_buckets()).rate


def test_columns_of_many_values_are_cut_into_ranges_that_still_tell_people_apart() -> None:
    """Secrets that follow age are found out although no two people share an age."""
    ages = [str(age) for age in range(200)]
    secrets = ["young" if age < 100 else "old" for age in range(200)]
    table = Table.of_rows(Schema.of(quasi=["age"], sensitive=["s"]), {"age": ages, "s": secrets})
    group = (np.arange(200) % 100).astype(np.int32)
    assert NaiveBayesInference(bins=4).run(bucketized(table, group)).rate == pytest.approx(0.5)
    near = (np.arange(200) // 4).astype(np.int32)
    near[98:102] = [0, 0, 49, 49]
    assert NaiveBayesInference(bins=4).run(bucketized(table, near)).rate > 0.95
