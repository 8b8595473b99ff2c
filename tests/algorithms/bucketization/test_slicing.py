"""Slicing: which columns stay together, what holds in every bucket, and what is published of it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.slicing import Slicing
from sfumato.audit.audit import Audit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, UnsuitableError
from sfumato.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, MatchingLDiversity
from tests.strategies import small_tables

SCHEMA = Schema.of(
    quasi=["age", "town", "zip", "work"],
    sensitive=["ill"],
    identifiers=["name"],
    target=["class"],
    kinds={"zip": "text"},
)


def people(records: int = 240) -> pd.DataFrame:
    """The town decides the zip, work tells of the illness; the rest is chance."""
    random = np.random.default_rng(8)
    town, work = random.integers(0, 4, records), random.integers(0, 3, records)
    ill = np.where(random.random(records) < 0.6, work, random.integers(0, 6, records))
    return pd.DataFrame(
        {
            "name": [f"n{place}" for place in range(records)],
            "age": random.integers(20, 60, records),
            "town": [f"t{value}" for value in town],
            "zip": [f"{value}{value}" for value in town],
            "work": [f"w{value}" for value in work],
            "ill": [f"i{value}" for value in ill],
            "class": random.integers(0, 2, records),
            "note": random.integers(0, 9, records),
        }
    )


def table(frame: pd.DataFrame | None = None) -> Table:
    return Table.from_frame(people() if frame is None else frame, SCHEMA)


def test_columns_that_tell_of_each_other_stay_together():
    linkage = Slicing(how_many=3).anonymize(table(), DistinctLDiversity(l=3)).candidate.linkage
    assert linkage.blocks == (("age", "class", "note"), ("town", "zip"), ("work",), ("ill",))
    linkage = Slicing(how_many=2, companions=1).anonymize(table(), DistinctLDiversity(l=2)).candidate.linkage
    assert linkage.blocks == (("age", "class", "note"), ("town", "zip"), ("work", "ill"))


def test_blocks_by_hand():
    way = Slicing(blocks=("town, work", "age", "ill,zip"))
    assert way.anonymize(table(), DistinctLDiversity(l=2)).candidate.linkage.blocks == (
        ("town", "work", "class", "note"),
        ("age",),
        ("ill", "zip"),
    )
    alone = Slicing(blocks=("town,work,age,zip",)).anonymize(table(), DistinctLDiversity(l=2)).candidate.linkage
    assert alone.blocks == (("town", "work", "age", "zip", "class", "note"), ("ill",))


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        (("town,work,age",), "'zip' is not"),
        (("town,work,age,zip", "age"), "'age' is not"),
        (("town,work,age,zipp",), "did you mean 'zip'"),
        (("town,work,age,zip,class",), "'class', which is neither quasi nor sensitive"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(blocks, words):
    with pytest.raises(SchemaError, match=words):
        Slicing(blocks=blocks).anonymize(table(), DistinctLDiversity(l=2))


def test_companions_are_not_counted_and_named_at_once():
    with pytest.raises(ParameterError, match="leave 'companions' at 0"):
        Slicing(blocks=("a",), companions=1)


def test_a_model_that_asks_who_people_are_is_refused():
    with pytest.raises(UnsuitableError, match="tears apart who people are"):
        Slicing().anonymize(table(), MatchingLDiversity(l=2))
    with pytest.raises(UnsuitableError, match="about_secrets"):
        Slicing().anonymize(table(), KAnonymity(k=2))


def parts(frame: pd.DataFrame, by: list[str]) -> list[Counter]:
    return [Counter(secrets) for _, secrets in frame.groupby(by)["ill"]]


@pytest.mark.parametrize("companions", [0, 1, 2, 4])
def test_the_model_holds_among_those_who_agree_on_the_companions(companions):
    """As somebody finds them who reads the frame, and knows the values that stand beside the secrets."""
    frame = people()
    way = Slicing(companions=companions)
    release = way.anonymize(table(frame), DistinctLDiversity(l=2), suppression=0.9)
    shown = release.frame().dropna()
    beside = [name for name in release.candidate.linkage.blocks[-1] if name != "ill"]
    assert len(beside) == companions
    assert all(len(part) >= 2 for part in parts(shown, ["group", *beside]))
    assert shown["group"].nunique() > 3 or companions > 1


def test_blocks_move_as_a_whole_and_inside_their_bucket():
    frame = people()
    release = Slicing().anonymize(table(frame), DistinctLDiversity(l=3), seed=5)
    shown = release.frame()
    frame = frame.iloc[release.recoding.shuffled(len(frame))].reset_index(drop=True)
    assert list(shown.columns) == ["age", "town", "zip", "work", "ill", "class", "note", "group"]
    for block in release.candidate.linkage.blocks:
        columns = list(block)
        for bucket in shown["group"].unique():
            rows = shown["group"] == bucket
            assert Counter(map(tuple, shown[rows][columns].to_numpy())) == Counter(
                map(tuple, frame[rows][columns].to_numpy())
            )
    first = list(release.candidate.linkage.blocks[0])
    assert shown[first].equals(frame[first])
    moved = list(release.candidate.linkage.moved)
    assert not shown[moved].equals(frame[moved])


def test_written_and_read_back(tmp_path):
    release = Slicing(companions=1).anonymize(table(), EntropyLDiversity(l=1.5))
    for ending in ("csv", "parquet"):
        path = release.write(tmp_path / f"sliced.{ending}")
        blocks = release.candidate.linkage.blocks
        audit = Audit.of_file(path, quasi=SCHEMA.quasi, sensitive=["ill"], bucket="group", blocks=blocks)
        assert all(verdict.holds for verdict in audit.judge(EntropyLDiversity(l=1.5)))
        assert audit.judge(EntropyLDiversity(l=1.5))[0].level == pytest.approx(release.verdicts[0].level)
        assert audit.judge(EntropyLDiversity(l=1.5))[0].groups == release.verdicts[0].groups


def test_companions_that_give_a_secret_away_are_left_out_or_refused():
    frame = people()
    frame.loc[frame.index[:5], ["work", "ill"]] = ["spy", "i0"]
    way = Slicing(blocks=("age,town,zip", "work,ill"))
    with pytest.raises(
        InfeasibleError, match="'work', which stays with the secret, fail it by themselves for 5 of 240"
    ):
        way.anonymize(table(frame), DistinctLDiversity(l=2))
    release = way.anonymize(table(frame), DistinctLDiversity(l=2), suppression=5 / 240)
    assert release.candidate.suppressed_records == 5
    assert release.frame()["work"].isna().tolist() == [place < 5 for place in release.recoding.shuffled(240)]


def test_a_table_that_fails_as_a_whole_says_so():
    with pytest.raises(InfeasibleError, match="Even all records as one group fail"):
        Slicing().anonymize(hospital(), DistinctLDiversity(l=4))


@settings(max_examples=40)
@given(
    small_tables(max_sensitive=1, max_repeats=2),
    st.integers(0, 2),
    st.integers(1, 3),
    st.sampled_from([DistinctLDiversity(l=1), DistinctLDiversity(l=2), EntropyLDiversity(l=1.5)]),
)
def test_every_small_table_is_published_or_refused_rightly(table, companions, how_many, model):
    way = Slicing(companions=companions, how_many=how_many)
    beside = [name for name in way._blocks(table)[0] if name != "s0"]
    whole = model.holds(table_groups(table, beside)).all()
    if not whole:
        with pytest.raises(InfeasibleError):
            way.anonymize(table, model)
        return
    release = way.anonymize(table, model)
    assert model.holds(table_groups(release.parts["table"], ["group", *beside])).all()
    assert release.parts["table"].records == table.records


def table_groups(table: Table, columns: list[str]) -> Groups:
    return Groups.of(table, columns)
