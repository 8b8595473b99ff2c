"""Permutation: goldens I6, brute force over all groupings, and what is published of it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.permutation import Permutation
from sfumato.audit.audit import Audit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import InfeasibleError, SchemaError, UnsuitableError
from sfumato.models import ConfidenceBounding, DistinctLDiversity, EntropyLDiversity, KAnonymity, KEAnonymity
from sfumato.releases.table_release import TableRelease
from tests.examples import examples, seeds
from tests.golden import book

SCHEMA = Schema.of(quasi=["q"], sensitive=["s"], kinds={"q": "text", "s": "number"})


def salaries() -> Table:
    return book.table("salary_group", quasi=["Job", "Sex"], sensitive=["Salary"])


def numbers(values: list[float | None]) -> Table:
    texts = [None if value is None else str(value) for value in values]
    return Table.of_rows(SCHEMA, {"q": [str(place) for place in range(len(values))], "s": texts})


def buckets(release: TableRelease, column: str) -> list[list[float]]:
    """The known numbers of every bucket, from low to high, and None for every missing one."""
    seen = release.candidate.published_rows
    found: dict[int, list[float]] = {}
    for bucket, code, count in zip(seen.codes["group"], seen.codes[column], seen.counts, strict=True):
        found.setdefault(int(bucket), []).extend([float(seen.domain(column).numbers[code])] * int(count))
    return sorted(sorted(inside, key=lambda number: (np.isnan(number), number)) for inside in found.values())


def total(groups: list[list[float]]) -> float:
    known = [[number for number in group if not np.isnan(number)] for group in groups]
    return sum(max(group) - min(group) for group in known if group)


@seeds(3)
def test_i6_two_buckets_that_span_49(seed):
    release = Permutation().anonymize(salaries(), KEAnonymity(k=3, e=2), seed=seed)
    found = buckets(release, "Salary")
    assert found == [[30, 30, 31, 32, 32], [33, 34, 35, 35, 80]]
    assert total(found) == 49


def test_i6_one_bucket_that_spans_50():
    assert total(buckets(Permutation().anonymize(salaries(), KEAnonymity(k=7, e=50)), "Salary")) == 50


def test_more_than_there_is_is_refused():
    with pytest.raises(InfeasibleError, match="Even all records as one group fail"):
        Permutation().anonymize(salaries(), KEAnonymity(k=8, e=50))


def partitions(items: list[int]):
    """Every way to share out items among groups."""
    if not items:
        yield []
        return
    head, *rest = items
    for groups in partitions(rest):
        yield [[head], *groups]
        for place, group in enumerate(groups):
            yield [*groups[:place], [head, *group], *groups[place + 1 :]]


def fine(group: list[int], k: int, e: int) -> bool:
    return len(set(group)) >= k and max(group) - min(group) >= e


@examples(60)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.integers(1, 3), st.integers(0, 4))
def test_no_grouping_at_all_spans_less(values, k, e):
    """Neighbours lose nothing against any other way to share out the records."""
    sums = [total(groups) for groups in partitions(values) if all(fine(group, k, e) for group in groups)]
    if not sums:
        with pytest.raises(InfeasibleError):
            Permutation().anonymize(numbers(values), KEAnonymity(k=k, e=e))
        return
    found = buckets(Permutation().anonymize(numbers(values), KEAnonymity(k=k, e=e)), "s")
    assert total(found) == min(sums)
    assert all(one[-1] <= other[0] for one, other in pairwise(found))


@examples(60)
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 20)), min_size=1, max_size=12),
    st.integers(1, 3),
    st.integers(0, 5),
    st.integers(1, 3),
)
def test_promises_are_kept_with_missing_values_and_other_models(values, k, e, l):
    model = KEAnonymity(k=k, e=e) & DistinctLDiversity(l=l)
    try:
        release = Permutation().anonymize(numbers(values), model)
    except InfeasibleError:
        known = [value for value in values if value is not None]
        assert len(set(values)) < max(k, l) or (e > 0 and (not known or max(known) - min(known) < e))
        return
    for group in buckets(release, "s"):
        known = {number for number in group if not np.isnan(number)}
        assert len(known) + any(np.isnan(number) for number in group) >= max(k, l)
        assert e == 0 or max(known) - min(known) >= e


def test_as_many_buckets_as_span_the_same():
    """Cut at the 2s or not, the ranges add up to 2."""
    found = buckets(Permutation().anonymize(numbers([1, 2, 2, 3]), KEAnonymity(k=2, e=1)), "s")
    assert found == [[1, 2], [2, 3]]


def test_by_itself_it_mixes_where_nobody_asks_for_distance():
    """Neighbours would satisfy the model, and tell everybody's number to within 1."""
    table = numbers(list(range(40)))
    apart = buckets(Permutation().anonymize(table, DistinctLDiversity(l=2)), "s")
    near = buckets(Permutation(buckets="ranges").anonymize(table, DistinctLDiversity(l=2)), "s")
    assert total(near) == 20
    assert total(apart) > 100
    assert {len(group) for group in apart} == {len(group) for group in near} == {2}


def test_ranges_need_numbers_and_a_model_that_knows_runs():
    hospital = book.table("patients_raw", quasi=["Job"], sensitive=["Disease"])
    with pytest.raises(SchemaError, match="'Disease' are texts"):
        Permutation(buckets="ranges").anonymize(hospital, DistinctLDiversity(l=2))
    with pytest.raises(UnsuitableError, match="buckets = 'draws'"):
        Permutation(buckets="ranges").anonymize(numbers([1, 2, 3, 4]), EntropyLDiversity(l=2))
    with pytest.raises(UnsuitableError, match=r"learned of a sensitive column; k_anonymity\(k=2\) does not\. Choose"):
        Permutation().anonymize(hospital, KAnonymity(k=2))


def test_draws_say_which_share_is_too_large():
    with pytest.raises(InfeasibleError, match="3 of 4 records, and l = 2 allows 2"):
        Permutation().anonymize(numbers([1, 1, 1, 2]), ConfidenceBounding(h=0.5))


def test_one_table_is_published_and_read_back(tmp_path):
    frame = pd.DataFrame(
        {"name": [f"n{place}" for place in range(20)], "age": range(20, 40), "pay": [place % 7 for place in range(20)]}
    )
    schema = Schema.of(quasi=["age"], sensitive=["pay"], identifiers=["name"])
    release = Permutation().anonymize(Table.from_frame(frame, schema), KEAnonymity(k=2, e=1), seed=3)
    shown = release.frame()
    assert list(shown.columns) == ["age", "pay", "group"]
    assert shown["age"].tolist() != frame["age"].tolist()
    frame = frame.iloc[release.recoding.shuffled(len(frame))].reset_index(drop=True)
    assert shown["age"].tolist() == frame["age"].tolist()
    assert shown["pay"].dtype == frame["pay"].dtype
    assert Counter(shown["pay"]) == Counter(frame["pay"])
    assert shown["pay"].tolist() != frame["pay"].tolist()
    real = frame["pay"].groupby(shown["group"]).apply(sorted)
    assert (shown["pay"].groupby(shown["group"]).apply(sorted) == real).all()
    for ending in ("csv", "parquet"):
        path = release.write(tmp_path / f"pay.{ending}")
        audit = Audit.of_file(path, quasi=["age"], sensitive=["pay"], bucket="group")
        assert all(verdict.holds for verdict in audit.judge(KEAnonymity(k=2, e=1)))
        assert not any(verdict.holds for verdict in audit.judge(KEAnonymity(k=2, e=6)))


def test_what_leaves_the_house_has_other_peoples_secrets():
    """A hundred different secrets in one bucket: nobody could guess them all by keeping the order."""
    table = numbers(list(range(100)))
    release = Permutation().anonymize(table, KEAnonymity(k=100, e=1))
    part = release.parts["table"]
    owner, secret = part.codes["q"], part.codes["s"]
    real = np.empty(len(table), dtype=np.int32)
    real[table.codes["q"]] = table.codes["s"]
    assert sorted(secret.tolist()) == list(range(100))
    assert (real[owner] == secret).mean() < 0.2
