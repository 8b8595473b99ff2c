from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import SchemaError
from sfumato.evaluation.queries.bucket_records import BucketRecords
from sfumato.knowledge.item import Item

TIES = Linkage("group", (("age", "day"), ("ill",)))


def records() -> BucketRecords:
    """Linkage 1 and 3 of four and two records; nobody is in 2."""
    schema = Schema.of(quasi=["age", "day"], sensitive=["ill"])
    rows = {
        "age": ["30", "40", "40", None, "50", "50"],
        "day": ["2026-01-01"] * 6,
        "ill": ["flu", "flu", "cold", "cold", "flu", "flu"],
    }
    table = Table.of_rows(schema, rows)
    bucket = np.where(table.codes["age"] == table.domain("age").code_of("50"), 2, 0).astype(np.int32)
    numbers = Domain("group", Kind.NUMBER, ("1", "2", "3"), np.arange(1.0, 4.0))
    return BucketRecords.of(table.with_column("group", bucket, numbers), TIES)


def test_places_bucket_after_bucket():
    found = records()
    assert len(found) == 6
    assert found.sizes.tolist() == [4, 2]
    assert found.bucket.tolist() == [0, 0, 0, 0, 1, 1]
    assert found.per_bucket(np.ones(6, dtype=bool)).tolist() == [4, 2]


def test_hits_by_block():
    hits = records().hits([Item("age", "[40, 50]"), Item("ill", "flu"), Item("day", "2026-01-01")])
    assert {block: int(mask.sum()) for block, mask in hits.items()} == {0: 4, 1: 4}
    assert records().hits([]) == {}
    assert records().hits([Item("age", "40"), Item("age", "50")])[0].sum() == 0


def test_only_numbers_are_added_up():
    numbers = records().numbers("age")
    assert np.nansum(numbers) == 210
    assert np.isnan(numbers).sum() == 1
    for column, kind in (("ill", "texts"), ("day", "dates")):
        with pytest.raises(SchemaError, match=f"'{column}' are {kind}"):
            records().numbers(column)


def test_strange_columns_are_refused():
    with pytest.raises(SchemaError, match="did you mean 'age'"):
        records().hits([Item("agee", "1")])
    with pytest.raises(SchemaError, match="column 'group' cannot be queried"):
        records().hits([Item("group", "1")])


def test_nothing_is_published():
    table = Table.of_rows(
        Schema.of(quasi=["age", "day"], sensitive=["ill"]), {"age": ["1"], "day": ["x"], "ill": ["y"]}
    )
    numbers = Domain("group", Kind.NUMBER, ("1",), np.ones(1))
    none = table.with_column("group", np.zeros(1, dtype=np.int32), numbers).rows_where(np.zeros(1, dtype=bool))
    found = BucketRecords.of(none, TIES)
    assert len(found) == 0
    assert found.per_bucket(np.zeros(0)).tolist() == []
