"""Suppressing: groups that fail are left out until all that stay hold, or nobody is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import KAnonymity, TCloseness
from sfumato.operations.generalize import generalize_levels
from sfumato.operations.suppress import suppress_failing
from sfumato.taxonomies import Flat
from tests.strategies import small_tables


def towns(towns: str, secrets: str | None = None) -> Table:
    """One record a letter."""
    schema = Schema.of(quasi=["town"], sensitive=["secret"], taxonomies={"town": Flat()})
    return Table.of_rows(schema, {"town": list(towns), "secret": list(secrets or "x" * len(towns))})


def left_out(table: Table, model, limit: float) -> int:
    candidate = generalize_levels(table, dict.fromkeys(table.schema.quasi, 0))
    return suppress_failing(candidate, model, limit).suppressed_records


@pytest.mark.parametrize(("limit", "gone"), [(0.0, 0), (0.24, 0), (0.25, 2), (1.0, 2)])
def test_all_that_fail_or_nobody(limit: float, gone: int) -> None:
    """Of aaabbbcd, c and d stand alone: two of eight records, a quarter."""
    assert left_out(towns("aaabbbcd"), KAnonymity(k=2), limit) == gone


def test_a_seventh_of_seven_records_is_one() -> None:
    """1/7 as a float is a little less than a seventh."""
    assert left_out(towns("aaabbbc"), KAnonymity(k=2), 1 / 7) == 1


def test_never_everybody() -> None:
    assert left_out(towns("abcd"), KAnonymity(k=2), 1.0) == 0


def test_goes_round_until_all_that_stay_hold() -> None:
    """t-closeness compares with what stays, so leaving c out makes b differ from the rest.

    Shares of y: a 0/8, b 1/2, c 2/2, the whole 3/12. At t = 0.3 only c is too far (0.75). Without it the whole is 1/10,
    and b is 0.4 away: at t = 0.3 it goes too, at t = 0.45 it may stay.
    """
    table = towns("aaaaaaaabbcc", "xxxxxxxxxyyy")
    assert left_out(table, TCloseness(t=0.45), 1.0) == 2
    assert left_out(table, TCloseness(t=0.3), 1.0) == 4


@given(small_tables(taxonomies=True, max_repeats=2), st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]))
def test_within_the_limit_and_safe_or_untouched(table, k, limit) -> None:
    candidate = generalize_levels(table, dict.fromkeys(table.schema.quasi, 0))
    found = suppress_failing(candidate, KAnonymity(k=k), limit)
    assert found.suppressed_records <= limit * table.records + 1e-9
    safe = bool((found.groups().sizes >= k).all())
    assert safe or found is candidate
    assert not candidate.suppressed.any()
    assert np.array_equal(found.published.counts, candidate.published.counts)
