from __future__ import annotations

from collections import Counter

from hypothesis import given

from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.datasets.hospital import ROWS
from sfumato.knowledge.statistics import shares
from tests.strategies import small_tables


def test_shares_of_the_patients() -> None:
    """Book, Table 2.2, counted by hand: everybody, the two kinds of jobs, the sexes, the two spans of age."""
    told = {(str(rule).split(":")[0], rule.value): (rule.share, rule.support) for rule in shares(hospital(), "Disease")}
    assert told["everybody", "HIV"] == (4 / 7, 7)
    assert told["Job is Artist", "HIV"] == (3 / 4, 4)
    assert told["Sex is Female", "Hepatitis"] == (0, 4)
    assert told["Age is in [35, 40)", "Hepatitis"] == (2 / 3, 3)
    assert len(told) == 3 * (1 + 2 + 2 + 2)
    assert Counter(ROWS["Disease"])["HIV"] == 4


@given(small_tables(max_sensitive=1))
def test_shares_add_up(table: Table) -> None:
    sums: Counter[tuple] = Counter()
    records: dict[tuple, float | None] = {}
    for rule in shares(table, "s0"):
        sums[rule.when] += rule.share  # type: ignore[assignment]
        records[rule.when] = rule.support
    assert all(abs(total - 1) < 1e-9 for total in sums.values())
    for column in table.schema.quasi:
        told = [support for when, support in records.items() if when and when[0].column == column]
        assert sum(told) == (table.records if told else 0)
