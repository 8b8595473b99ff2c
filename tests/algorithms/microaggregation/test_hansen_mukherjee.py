from __future__ import annotations

import pytest

from sfumato.algorithms import HansenMukherjee
from sfumato.algorithms.microaggregation.line_groups import one_column_groups
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import UnsuitableError
from sfumato.models import KAnonymity
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of
from tests.oracles.optimal_microaggregation import least_sse, sse


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
