"""Bucketizing: every record stays, secrets move only inside their bucket, and nothing says whose they are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.operations.bucketize import bucketize
from sfumato.recodings.recoding import Recoding
from sfumato.releases.table_release import TableRelease

SCHEMA = Schema.of(quasi=["q", "r"], sensitive=["s"])
RECORDS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("uvw"), st.integers(0, 3)),
    min_size=1,
    max_size=20,
)


def made(records, *, separate_table=False, blocks=(("q", "r"), ("s",)), seed=0):
    """A candidate over records of quasi values, secret and bucket; also the records in the order of the table."""
    places = sorted({bucket for *_, bucket in records})
    table = Table.of_rows(SCHEMA, {name: [one[at] for one in records] for at, name in enumerate("qrs")})
    row_of = {
        tuple(table.domains[name].texts[table.codes[name][row]] for name in "qrs"): row for row in range(len(table))
    }
    row = np.array([row_of[record[:3]] for record in records])
    bucket = np.array([places.index(one[3]) for one in records], dtype=np.int32)
    partition = Partition.of_records(row, bucket)
    return bucketize(
        table, partition, Linkage("group", blocks), separate_table=separate_table, random=np.random.default_rng(seed)
    )


def published(candidate, records):
    """Every record as it is published: quasi values, bucket and the secret it is given."""
    table, recoding = candidate.original, candidate.recoding
    codes = {name: table.domain(name).codes_of([one[at] for one in records]) for at, name in enumerate("qrs")}
    applied = recoding.apply(codes)
    columns = [
        [recoding.labels[name].texts[code] for code in applied.labels[name]]
        if name in applied.labels
        else [one["qrs".index(name)] for one in records]
        for name in ("q", "r", "s", "group")
    ]
    return list(zip(*columns, strict=True))


def by_bucket(records, places):
    """How often the values at some places occur in each bucket."""
    found = {}
    for one in records:
        found.setdefault(one[3], Counter())[tuple(one[at] for at in places)] += 1
    return found


def alike(buckets):
    """Linkage whatever their names."""
    return sorted(sorted((str(value), often) for value, often in inside.items()) for inside in buckets.values())


@given(RECORDS)
def test_every_bucket_publishes_just_the_secrets_of_its_records(records) -> None:
    shown = published(made(records), records)
    assert [one[:2] for one in shown] == [one[:2] for one in records]
    assert alike(by_bucket(shown, (2,))) == alike(by_bucket(records, (2,)))


@given(RECORDS, st.randoms(use_true_random=False))
def test_who_had_which_secret_changes_nothing_that_is_published(records, random) -> None:
    """The same buckets with secrets exchanged inside them give the same release, so it cannot tell them apart.

    Records of one row go to its buckets in row order, so the buckets of records must be told by their rows.
    """
    exchanged = list(records)
    for bucket in {one[3] for one in records}:
        places = [at for at, one in enumerate(records) if one[3] == bucket]
        secrets = [records[at][2] for at in places]
        random.shuffle(secrets)
        for at, secret in zip(places, secrets, strict=True):
            exchanged[at] = (*records[at][:2], secret, bucket)
    one, other = (sorted(published(made(some), some)) for some in (records, exchanged))
    buckets_told = len({one[:3] for one in records}) == len({one[:4] for one in records})
    also_told = len({one[:3] for one in exchanged}) == len({one[:4] for one in exchanged})
    if buckets_told and also_told:
        assert one == other


@given(RECORDS)
def test_groups_are_buckets_when_secrets_are_asked_for_and_rows_when_not(records) -> None:
    candidate = made(records)
    sizes = sorted(Counter(one[3] for one in records).values())
    assert sorted(candidate.groups(asked=["s"]).sizes.tolist()) == sizes
    alike = sorted(Counter(one[:2] for one in records).values())
    assert sorted(candidate.groups().sizes.tolist()) == alike
    assert sorted(candidate.record_groups().sizes.tolist()) == alike


@given(RECORDS)
def test_secrets_apart_are_counted_by_bucket(records) -> None:
    candidate = made(records, separate_table=True)
    assert candidate.recoding.separate_columns == ("s",)
    secrets = TableRelease(candidate, (), {}).parts["sensitive"]
    found: dict[str, Counter[tuple[str]]] = {}
    for bucket, code, count in zip(secrets.codes["group"], secrets.codes["s"], secrets.counts, strict=True):
        text = secrets.domains["group"].texts[bucket]
        found.setdefault(text, Counter())[(secrets.domains["s"].texts[code],)] += int(count)
    assert alike(found) == alike(by_bucket(records, (2,)))
    sizes = Counter(one[3] for one in published(candidate, records))
    assert sizes == {bucket: inside.total() for bucket, inside in found.items()}
    assert "s" not in TableRelease(candidate, (), {}).parts["quasi"].codes


@given(RECORDS)
def test_blocks_move_independently_but_stay_whole(records) -> None:
    candidate = made(records, blocks=((), ("q", "s"), ("r",)))
    shown = published(candidate, records)
    for block in ((0, 2), (1,)):
        assert alike(by_bucket(shown, block)) == alike(by_bucket(records, block))


def test_suppressed_buckets_hand_out_nothing() -> None:
    records = [("a", "x", "u", 0), ("a", "x", "v", 0), ("b", "y", "u", 1), ("b", "y", "w", 1)]
    candidate = made(records)
    gone = candidate.published.codes["group"] == candidate.published.codes["group"][0]
    smaller = candidate.suppressing(gone)
    codes = {
        name: candidate.original.domain(name).codes_of([one[at] for one in records]) for at, name in enumerate("qrs")
    }
    applied = smaller.recoding.apply(codes)
    assert applied.suppressed.tolist() == [True, True, False, False]
    texts = smaller.recoding.labels["s"].texts
    assert sorted(texts[code] for code in applied.labels["s"][2:]) == ["u", "w"]
    assert smaller.suppressed_records == 2


@pytest.mark.parametrize("separate_table", [False, True])
def test_a_recoding_comes_back_from_a_file(separate_table, tmp_path) -> None:
    records = [("a", "x", "u", 0), ("a", "x", "v", 0), ("b", "y", "u", 1), ("c", "y", "w", 1)]
    candidate = made(records, separate_table=separate_table)
    again = Recoding.load(candidate.recoding.save(tmp_path / "recoding.json"))
    assert again.to_dict() == candidate.recoding.to_dict()
    assert again.linkage == candidate.linkage
    assert again.summary() == candidate.recoding.summary()
    assert again.summary()["groups"] == 2
