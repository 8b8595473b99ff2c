"""Random questions, and errors that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import Anatomy
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import ParameterError, UsageError
from sfumato.evaluation.queries import Estimator
from sfumato.evaluation.workloads.query_error import Query, QueryError
from sfumato.knowledge.item import Item
from sfumato.models import DistinctLDiversity
from sfumato.operations.bucketize import bucketize
from sfumato.releases.table_release import TableRelease
from tests.golden import book
from tests.oracles.models_oracle import records_of


def survey(records: int = 400) -> Table:
    random = np.random.default_rng(6)
    columns = {name: random.integers(0, size, records) for name, size in (("q", 20), ("r", 10), ("t", 4), ("s", 12))}
    rows = {name: [str(value) for value in values] for name, values in columns.items()}
    rows["t"] = [None if text == "0" else text for text in rows["t"]]
    return Table.of_rows(Schema.of(quasi=["q", "r", "t"], sensitive=["s"]), rows)


@pytest.mark.parametrize(("dimensions", "selectivity"), [(0, 0.5), (1, 0.1), (2, 0.3), (3, 1.0)])
def test_questions_are_what_was_asked_for(dimensions, selectivity):
    table = survey()
    drawn = QueryError(number=60, dimensions=dimensions, selectivity=selectivity, seed=1).queries(table)
    assert len(drawn) == 60
    for where, _ in drawn:
        *quasi, secret = where
        assert secret.column == "s"
        assert len(quasi) == dimensions == len({item.column for item in quasi})
        for item in where:
            assert 1 <= len(set(item.values)) <= max(1, int(selectivity * len(table.domain(item.column)) + 1e-9))
    sizes = {len(item.values) for where, _ in drawn for item in where}
    assert len(sizes) > 1 or selectivity < 0.2


def test_the_truth_is_counted_record_by_record():
    table = survey(60)
    records = records_of(table)
    for where, truth in QueryError(number=30, selectivity=0.4).queries(table):
        wanted = {item.column: set(item.values) for item in where}
        named = [{name: value or "missing" for name, value in record.items()} for record in records]
        assert truth == sum(all(record[name] in values for name, values in wanted.items()) for record in named) > 0


def test_same_settings_same_questions():
    assert QueryError(number=9).queries(survey()) == QueryError(number=9).queries(survey())
    assert QueryError(number=9).queries(survey()) != QueryError(number=9, seed=1).queries(survey())


def test_the_error_of_example_3_1_is_a_quarter():
    """Book, section 3.2: 1.5 is estimated where 2 are."""
    table = book.table("anatomy_raw", quasi=["Age", "Sex"], sensitive=["Disease"])
    linkage = Linkage("group", (("Age", "Sex"), ("Disease",)))
    partition = Partition.of_labels(table.codes["Sex"])
    candidate = bucketize(table, partition, linkage, separate_table=True, random=np.random.default_rng(0))
    ask = Estimator.of_release(TableRelease(candidate, (), {}))
    questions = [Query((Item("Age", "38"), Item("Disease", "Heart")), 2), Query((Item("Sex", "Male"),), 6)]
    assert QueryError().errors(ask, questions).tolist() == [0.25, 0]
    assert QueryError().measure(table, ask, questions) == 0.125


def test_larger_buckets_cost_more():
    table = survey(2000)
    asked = QueryError(number=200, selectivity=0.3)
    cost = [
        asked.measure(table, Estimator.of_release(Anatomy().anonymize(table, DistinctLDiversity(l=l))))
        for l in (1, 2, 6)
    ]
    assert cost[0] == 0
    assert 0 < cost[1] < cost[2]


@pytest.mark.parametrize(
    "settings", [{"number": 0}, {"dimensions": -1}, {"selectivity": 0}, {"selectivity": 1.1}, {"dimensions": 4}]
)
def test_settings_have_bounds(settings):
    with pytest.raises(ParameterError, match="of QueryError must be"):
        QueryError(**settings).queries(survey())


def test_questions_that_hardly_count_anybody_are_given_up():
    rows = {name: [str(value) for value in range(200)] for name in ("q", "r", "s")}
    table = Table.of_rows(Schema.of(quasi=["q", "r"], sensitive=["s"]), rows)
    with pytest.raises(UsageError, match="but 50 are needed; use fewer dimensions"):
        QueryError(number=50, selectivity=0.005).queries(table)
