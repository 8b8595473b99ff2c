"""Anatomy: its two tables, and buckets of distinct values."""

from __future__ import annotations

import csv
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.anatomy import Anatomy, distinct_value_buckets
from sfumato.algorithms.bucketization.eligibility import most_buckets
from sfumato.audit.audit import Audit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import nine_patients
from sfumato.datasets.nine_patients import ROWS, nine_patients_schema
from sfumato.errors import InfeasibleError, UnsuitableError, UsageError
from sfumato.models import ConfidenceBounding, DistinctLDiversity, EntropyLDiversity, KAnonymity, MatchingLDiversity
from sfumato.plan import Plan
from tests.examples import seeds
from tests.golden import book
from tests.golden.nine_patients import NO_MAN

QUASI = ["Zip", "Age", "Sex"]


def frame_table() -> Table:
    return Table.from_frame(pd.DataFrame(ROWS).astype({"Age": int}), nine_patients_schema())


@seeds(5)
def test_i5_ten_patients_make_five_pairs(seed) -> None:
    """Book, section 5.2.4 on Table 3.1: five buckets of two different diseases, nobody left over."""
    table = book.table("anatomy_raw", quasi=["Age", "Sex"], sensitive=["Disease"])
    release = Anatomy().anonymize(table, DistinctLDiversity(l=2), seed=seed)
    assert release.groups.sizes.tolist() == [2] * 5
    assert release.groups.histogram("Disease").distinct.tolist() == [2] * 5


def test_the_two_tables_are_written_and_read_back(tmp_path) -> None:
    release = Anatomy().anonymize(frame_table(), DistinctLDiversity(l=3))
    for ending in ("csv", "parquet"):
        path = release.write(tmp_path / f"patients.{ending}")
        audit = Audit.of_file(
            path,
            quasi=QUASI,
            sensitive=["Disease"],
            bucket="group",
            sensitive_table=tmp_path / f"patients_sensitive.{ending}",
        )
        assert (audit.records, audit.groups, audit.smallest, audit.k) == (9, 3, 3, 1)
        assert (audit.to_dict()["k"], audit.to_dict()["smallest_bucket"]) == (1, 3)
        assert audit.diversity["Disease"].distinct == 3
        assert audit.risk.prosecutor.highest == 1.0
        held, not_held = (audit.judge(DistinctLDiversity(l=l))[0].holds for l in (3, 4))
        assert (held, not_held) == (True, False)


def test_records_keep_everything_but_their_secret(tmp_path) -> None:
    release = Anatomy().anonymize(frame_table(), DistinctLDiversity(l=2))
    release.write(tmp_path / "patients.csv", sensitive_table=tmp_path / "diseases.csv")
    with (tmp_path / "patients.csv").open(newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    with (tmp_path / "diseases.csv").open(newline="", encoding="utf-8") as file:
        secrets = list(csv.DictReader(file))
    shown = sorted([one[name] for name in QUASI] for one in records)
    assert shown == sorted(list(row) for row in zip(*map(ROWS.get, QUASI), strict=True))
    assert list(records[0]) == [*QUASI, "group"]
    assert list(secrets[0]) == ["group", "Disease", "count"]
    assert Counter(one["group"] for one in records) == {
        group: sum(int(one["count"]) for one in secrets if one["group"] == group)
        for group in {one["group"] for one in secrets}
    }
    everyone = Counter()
    for one in secrets:
        everyone[one["Disease"]] += int(one["count"])
    assert everyone == Counter(ROWS["Disease"])


def test_a_frame_has_the_bucket_and_not_the_secret() -> None:
    release = Anatomy().anonymize(frame_table(), DistinctLDiversity(l=2))
    assert list(release.frame().columns) == [*QUASI, "group"]
    assert release.sensitive_frame().column_names == ["group", "Disease", "count"]
    with pytest.raises(UsageError, match="buckets cannot take other records"):
        release.apply(pd.DataFrame(ROWS))


@pytest.mark.parametrize("model", [EntropyLDiversity(l=3), ConfidenceBounding(h=1 / 3)])
def test_other_promises_about_secrets_are_kept_too(model) -> None:
    assert Anatomy().anonymize(nine_patients(), model).groups.sizes.tolist() == [3, 3, 3]


def test_how_many_look_alike_is_nothing_it_can_promise() -> None:
    with pytest.raises(UnsuitableError) as refused:
        Anatomy().anonymize(nine_patients(), KAnonymity(k=2) & DistinctLDiversity(l=2))
    assert str(refused.value) == (
        "anatomy needs models that limit only what can be learned of a sensitive column; k_anonymity(k=2) does not. "
        "Leave it out; distinct_l_diversity(l=2) can be used."
    )


def test_who_knows_what_people_never_have_is_answered_by_injector() -> None:
    with pytest.raises(InfeasibleError, match="or use injector"):
        Anatomy().anonymize(nine_patients(), MatchingLDiversity(l=3, knowledge=NO_MAN))


def test_a_value_too_frequent_is_refused_with_what_suppression_would_take() -> None:
    rows = {"q": list("abcdef"), "s": ["x"] * 4 + ["y", "z"]}
    table = Table.of_rows(Schema.of(quasi=["q"], sensitive=["s"]), rows)
    with pytest.raises(InfeasibleError, match=r"has 4 of 6 records, and l = 2 allows 3: allow 33.33%"):
        Anatomy().anonymize(table, DistinctLDiversity(l=2))
    release = Anatomy().anonymize(table, DistinctLDiversity(l=2), suppression=1 / 3)
    assert release.candidate.suppressed_records == 2
    assert release.groups.sizes.tolist() == [2, 2]


def test_a_suppressed_record_is_in_neither_table(tmp_path) -> None:
    frame = pd.DataFrame({"q": list("abcdef"), "s": ["x"] * 4 + ["y", "z"]})
    table = Table.from_frame(frame, Schema.of(quasi=["q"], sensitive=["s"]))
    release = Anatomy().anonymize(table, DistinctLDiversity(l=2), suppression=1 / 3)
    for ending in ("csv", "parquet"):
        path = release.write(tmp_path / f"r.{ending}")
        secrets = tmp_path / f"r_sensitive.{ending}"
        audit = Audit.of_file(path, quasi=["q"], sensitive=["s"], bucket="group", sensitive_table=secrets)
        assert (audit.records, audit.suppressed, audit.groups) == (4, 2, 2)
        assert audit.judge(DistinctLDiversity(l=2))[0].holds


def test_several_sensitive_columns_stay_together_apart_from_the_rest() -> None:
    rows = {"q": list("abcd"), "s": list("xyxy"), "t": list("uvuv")}
    table = Table.of_rows(Schema.of(quasi=["q"], sensitive=["s", "t"]), rows)
    release = Anatomy().anonymize(table, DistinctLDiversity(l=2, sensitive="s"))
    assert release.recoding.linkage.moved == ("s", "t")
    assert release.groups.histogram("t").distinct.tolist() == [2, 2]
    both = DistinctLDiversity(l=2, sensitive="s") & DistinctLDiversity(l=2, sensitive="t")
    with pytest.raises(UnsuitableError, match="asks for 2"):
        Anatomy().anonymize(table, both)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_sorted_by_the_secret_is_not_published_in_its_order(ending, tmp_path) -> None:
    """As it came, the place of a record would tell its secret."""
    frame = pd.DataFrame({"q": [f"p{place:03}" for place in range(400)], "s": [place // 100 for place in range(400)]})
    table = Table.from_frame(frame, Schema.of(quasi=["q"], sensitive=["s"]))
    release = Anatomy().anonymize(table, DistinctLDiversity(l=4))
    path = release.write(tmp_path / f"r.{ending}")
    shown = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    for order in (shown["q"], release.frame()["q"]):
        place = order.str[1:].astype(int)
        assert abs(place.reset_index(drop=True).corr(pd.Series(range(400)))) < 0.2
        assert sorted(place) == list(range(400))


def test_a_publication_draws_by_chance_that_nobody_can_repeat(tmp_path) -> None:
    """The seed of a plan is no secret, so it decides nothing here; the certificate has nothing to try guesses by."""
    pd.DataFrame(ROWS).to_csv(tmp_path / "patients.csv", index=False)
    plan = Plan.of(
        {
            "data": {"path": "patients.csv"},
            "columns": {name: {"role": "quasi"} for name in QUASI} | {"Disease": {"role": "sensitive"}},
            "models": [{"name": "distinct_l_diversity", "l": 3}],
            "algorithm": {"name": "anatomy"},
            "output": {"path": "r.csv", "certificate": "c.json"},
            "run": {"seed": 5},
        },
        tmp_path,
    )
    files = set()
    for _ in range(4):
        certificate = plan.run().certificate.to_dict()
        files.add((tmp_path / "r.csv").read_text(encoding="utf-8"))
        assert certificate["seed"] is None
        assert certificate["input"] == {"digest": None, "records": 9}
    assert len(files) > 1


VALUES = st.lists(st.integers(0, 6), min_size=1, max_size=40).map(lambda given: np.array(given, dtype=np.int32))


@given(VALUES, st.integers(1, 5), st.integers(0, 9))
def test_no_bucket_has_a_value_twice_and_all_have_l_or_a_few_more(values, l, seed) -> None:
    bucket = distinct_value_buckets(values, l, np.random.default_rng(seed))
    placed = bucket >= 0
    assert set(bucket[placed].tolist()) == set(range(bucket.max() + 1))
    for number in range(bucket.max() + 1):
        held = values[bucket == number]
        assert len(set(held.tolist())) == len(held)
        assert l <= len(held) < 2 * l


@given(VALUES, st.integers(1, 5), st.integers(0, 9))
def test_everybody_finds_a_bucket_if_no_value_has_more_than_one_in_l(values, l, seed) -> None:
    """The condition that the book leaves out; if it fails, only records of values too frequent are left."""
    bucket = distinct_value_buckets(values, l, np.random.default_rng(seed))
    counts = np.bincount(values)
    groups = most_buckets(counts, l)
    if counts.max() * l <= len(values):
        assert (bucket >= 0).all()
        assert bucket.max() + 1 == len(values) // l
    else:
        assert bucket.max() + 1 == groups
        left = np.bincount(values[bucket < 0], minlength=len(counts))
        assert (left == np.maximum(counts - groups, 0)).all() or groups == 0


def test_the_same_seed_gives_the_same_buckets_and_another_one_others() -> None:
    values = np.arange(200, dtype=np.int32) % 7
    one, again, other = (distinct_value_buckets(values, 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()
