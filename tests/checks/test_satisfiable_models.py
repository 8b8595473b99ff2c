"""Every algorithm is asked what it can serve, and nothing that cannot be served."""

from __future__ import annotations

import pytest

from sfumato.algorithms import Anatomy, Exhaustive, Slicing
from sfumato.checks.base import ConformanceError
from sfumato.checks.satisfiable_models import satisfiable_models, simplest_model
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.models import AllOf, DistinctLDiversity, KAnonymity


def spread(secrets: str) -> Table:
    schema = Schema.of(quasi=["q"], sensitive=["s"], kinds={"s": "text"})
    return Table.of_rows(schema, {"q": list(map(str, range(len(secrets)))), "s": list(secrets)})


@pytest.mark.parametrize(("secrets", "most"), [("aaab", 1), ("aabb", 2), ("abc", 3), ("aabbcc", 3), ("a", 1)])
def test_buckets_are_asked_for_where_they_exist(secrets, most):
    """As many different secrets as there are copies of the most frequent one in the table."""
    asked = satisfiable_models(Anatomy(), spread(secrets))
    assert asked == [DistinctLDiversity(l=l, sensitive="s") for l in range(1, most + 1)]


def test_groups_are_asked_for_by_size_too():
    asked = satisfiable_models(Exhaustive(), spread("aaab"))
    assert KAnonymity(k=4) in asked
    assert AllOf(models=(KAnonymity(k=2), DistinctLDiversity(l=2, sensitive="s"))) in asked
    assert KAnonymity(k=5) not in asked


def test_the_plain_question_is_one_that_is_served():
    assert simplest_model(Exhaustive(), hospital(), 3) == KAnonymity(k=3)
    assert simplest_model(Slicing(), hospital(), 3) == DistinctLDiversity(l=3, sensitive="Disease")


def test_a_table_without_secrets_has_nothing_to_ask_of_buckets():
    with pytest.raises(ConformanceError, match="serves no model"):
        satisfiable_models(Anatomy(), Table.of_rows(Schema.of(quasi=["q"]), {"q": ["1", "2"]}))
