"""Levels that the caller chose: what is published, against candidates made one by one, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import FixedLevels
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, TaxonomyError
from sfumato.models import DistinctLDiversity, KAnonymity
from tests.algorithms.full_domain.test_nodes import LIMITS, MODELS, suits
from tests.examples import examples
from tests.oracles.full_domain import candidates
from tests.strategies import small_tables

CONFORMING = [FixedLevels(levels={"Job": 2, "Sex": 1, "Age": 2})]
"""Every column of the running example at its root."""


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(table=small_tables(taxonomies=True, max_rows=8, max_repeats=3), limit=LIMITS, data=st.data())
@examples(25)
def test_a_node_is_published_exactly_where_the_model_holds(model, table, limit, data) -> None:
    if not suits(table):
        return
    every = candidates(table, model.as_group_model(), limit)
    levels = data.draw(st.sampled_from(list(every)))
    expected = every[levels]
    search = FixedLevels(levels=dict(zip(table.schema.quasi, levels, strict=True)))
    if expected is None:
        with pytest.raises(InfeasibleError):
            search.anonymize(table, model, suppression=limit)
        return
    release = search.anonymize(table, model, suppression=limit)
    assert tuple(release.recoding.levels[name] for name in table.schema.quasi) == levels
    assert np.array_equal(release.candidate.suppressed, expected.suppressed)


@pytest.mark.parametrize(("k", "left_out"), [(2, 1), (3, 3)])
def test_golden_levels_that_need_suppression(k: int, left_out: int) -> None:
    """Book, B11: jobs by profession and nothing else leave out one record for k = 2, and three for k = 3."""
    jobs = FixedLevels(levels={"Job": 1})
    release = jobs.anonymize(hospital(), KAnonymity(k=k), suppression=left_out / 7)
    assert release.candidate.suppressed_records == left_out
    with pytest.raises(InfeasibleError, match="raise levels; optimal_lattice finds levels"):
        jobs.anonymize(hospital(), KAnonymity(k=k), suppression=(left_out - 1) / 7)


def test_columns_that_are_not_named_stay_as_they_are() -> None:
    release = FixedLevels(levels={"Age": 2}).anonymize(hospital(), DistinctLDiversity(l=1))
    assert release.recoding.levels == {"Job": 0, "Sex": 0, "Age": 2}


def test_a_column_that_is_no_quasi_column_is_refused() -> None:
    with pytest.raises(SchemaError, match="names 'age', which is no quasi column; did you mean 'Age'"):
        FixedLevels(levels={"age": 1}).anonymize(hospital(), KAnonymity(k=2))
    with pytest.raises(SchemaError, match="names 'Disease', which is no quasi column; allowed: Age, Job, Sex"):
        FixedLevels(levels={"Disease": 1}).anonymize(hospital(), KAnonymity(k=2))


def test_a_level_that_does_not_exist_is_refused() -> None:
    message = "column 'Age' the level 3, and its taxonomy has 3 levels: 0, the values as they are, to 2, the root"
    with pytest.raises(ParameterError, match=message):
        FixedLevels(levels={"Age": 3}).anonymize(hospital(), KAnonymity(k=2))


@pytest.mark.parametrize(
    ("level", "shown"), [(-1, "-1"), (True, "True"), (1.0, "1.0"), ("1", "a value of type str"), (None, "NoneType")]
)
def test_what_is_no_level_is_refused(level: object, shown: str) -> None:
    with pytest.raises(ParameterError, match=f"whole numbers from 0, .* column 'Age' has .*{shown}"):
        FixedLevels(levels={"Age": level})


def test_levels_are_plain_numbers_and_a_copy() -> None:
    given = {"Age": np.int64(1)}
    search = FixedLevels(levels=given)
    given["Age"] = np.int64(2)
    assert search.to_dict() == {"name": "fixed_levels", "levels": {"Age": 1}}
    assert type(search.levels["Age"]) is int


def test_a_column_without_taxonomy_is_refused() -> None:
    bare = Table.of_rows(Schema.of(quasi=["town"]), {"town": ["north", "south"]})
    with pytest.raises(TaxonomyError, match=r"column 'town' has no taxonomy, .* give it one, such as flat"):
        FixedLevels(levels={}).anonymize(bare, KAnonymity(k=1))
