from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import HansenMukherjee
from sfumato.algorithms.microaggregation.hansen_mukherjee import line_groups, one_column_groups
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import UnsuitableError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.oracles.optimal_microaggregation import least_sse, sse
from tests.oracles.plain_paths import least_cut
from tests.oracles.small_points import numbered, small_points


def column(*numbers: str | None) -> Table:
    return Table.of_rows(Schema.of(quasi=["x"]), {"x": list(numbers)})


def test_the_best_groups_of_one_column_are_published():
    table = column("1", "2", "9", "4", "5", "8", "15")
    points = points_of(table)
    assert grouped(HansenMukherjee(), table, 2) == groups_of(one_column_groups(points, 2))
    assert sse(points, one_column_groups(points, 2)) == pytest.approx(least_sse(points, 2))


def test_several_columns_are_refused_with_a_way_out():
    with pytest.raises(UnsuitableError, match=r"takes 2 coordinates.* list them as blocks; .* take mhm"):
        HansenMukherjee().anonymize(numbers_table(), KAnonymity(k=3))


def test_missing_numbers_do_not_lie_on_the_line():
    with pytest.raises(UnsuitableError, match="one more where numbers are missing"):
        HansenMukherjee().anonymize(column("1", "2", None, None), KAnonymity(k=2))


def test_columns_can_be_grouped_one_by_one():
    numbers = numbers_table(20)
    texts = {name: [numbers.domain(name).texts[code] for code in numbers.codes[name]] for name in numbers.schema.quasi}
    known = {"money": ["income"], "years": ["age"]}
    table = Table.of_rows(Schema.of(quasi=["income", "age"], quasi_identifiers=known), texts)
    way = HansenMukherjee(blocks=(("income",), ("age",)))
    release = way.anonymize(table, KAnonymity(k=4, quasi="money") & KAnonymity(k=4, quasi="years"))
    assert release.holds
    for name, cells in texts.items():
        alone = points_of(Table.of_rows(Schema.of(quasi=[name]), {name: cells}))
        assert len(release.recoding.labels[name].texts) == one_column_groups(alone, 4).max() + 1


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 4))
def test_no_other_groups_of_numbers_are_better(numbers, k):
    points = np.array(numbers, dtype=np.float64)[:, None]
    labels = one_column_groups(points, k)
    expected = least_sse(points, k) if len(points) >= k else sse(points, labels)
    assert sse(points, labels) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(1, 4))
def test_no_other_cut_of_a_sorted_list_is_better(numbers, k):
    points = np.array(numbers)[:, None]
    labels = one_column_groups(points, k)
    if len(points) >= k:
        assert sse(points, labels) == pytest.approx(least_cut(np.sort(points, axis=0), k), rel=1e-9, abs=1e-9)
    assert numbered(labels, k, 2 * k - 1)


@given(small_points(most=12), st.integers(1, 4), st.randoms(use_true_random=False))
def test_groups_are_runs_of_the_order_that_is_given(points, k, random):
    order = np.array(random.sample(range(len(points)), len(points)), dtype=np.int32)
    labels = line_groups(points, order, k)
    assert (np.diff(labels[order]) >= 0).all()
    expected = least_cut(points[order], k) if len(points) >= k else sse(points, labels)
    assert sse(points, labels) == pytest.approx(expected, abs=1e-9)
