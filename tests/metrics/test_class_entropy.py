"""Goldens: the entropies that the book prints for its 34 workers, and Table 7.2 group by group."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from sfumato.errors import SchemaError
from sfumato.metrics import ClassEntropy
from tests.golden import workers
from tests.metrics import printed


def bits(*counts: int) -> float:
    return -sum(count / sum(counts) * log2(count / sum(counts)) for count in counts if count)


def test_the_whole_table_and_its_first_split():
    """Book, section 6.3: 21 and 13 records of the classes; split at 37, which gains 0.3584 bits."""
    table = workers.workers()
    whole = ClassEntropy().measure(workers.masked(table, ("ANY_Edu",)))
    halves = ClassEntropy().measure(workers.masked(table, ("ANY_Edu",), ("37",)))
    assert whole == pytest.approx(0.9597, abs=5e-5)
    assert whole - halves == pytest.approx(0.3584, abs=5e-5)
    assert halves == pytest.approx((12 * 0.6500 + 22 * 0.5746) / 34, abs=1e-4)


def test_table_7_2():
    table = workers.workers()
    expected = (5 * bits(2, 3) + 4 * bits(3, 1) + 10 * bits(8, 2)) / 34
    assert ClassEntropy().measure(workers.table_7_2(table)) == pytest.approx(expected)


def test_pure_groups_cost_nothing():
    candidate = printed.candidate(printed.BY_SCORE)
    assert ClassEntropy().measure(candidate) == 0


def test_a_suppressed_record_is_as_uncertain_as_the_whole_table():
    """Table 6.2 without its first group, the only mixed one: 4 of 11 records, 5 of them Y."""
    candidate = printed.candidate(printed.RED_CROSS)
    groups = candidate.groups()
    rest = candidate.suppressing(groups.labels == groups.sizes.argmax())
    assert ClassEntropy().measure(rest) == pytest.approx(4 / 11 * bits(5, 6))


def test_no_release_is_worse_than_none():
    """Nine of one class and one of the other: what stays when eight are left out is more mixed than the whole."""
    candidate = printed.candidate((("gone", "Y" * 8), ("stays", "YN")))
    texts = candidate.published.domains["look"].texts
    some = candidate.suppressing(candidate.published.codes["look"] == texts.index("gone"))
    none = candidate.suppressing(np.ones(len(candidate.published), dtype=bool))
    answers = [ClassEntropy().measure(one) for one in (candidate, some, none)]
    assert answers == pytest.approx([2 / 10 * bits(1, 1), bits(9, 1), bits(9, 1)])


def test_the_target_is_asked_for():
    candidate = printed.candidate(printed.RED_CROSS)
    with pytest.raises(SchemaError, match="not declared target"):
        ClassEntropy(target="look").measure(candidate)
