"""Slicing: blocks of columns, the model in each part of a bucket, and the published files."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.slicing import (
    _BINS,
    Slicing,
    _closest_columns,
    _contingency,
    _correlated_blocks,
    _EveryPart,
)
from sfumato.audit.audit import Audit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, UnsuitableError
from sfumato.models import ConfidenceBounding, DistinctLDiversity, EntropyLDiversity, KAnonymity, MatchingLDiversity
from tests.examples import examples
from tests.oracles.models_oracle import records_of
from tests.strategies import grouped_tables, small_tables

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
    with pytest.raises(UnsuitableError, match=r"learned of a sensitive column; k_anonymity\(k=2\) does not\. Choose"):
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
    release = way.anonymize(table(frame), DistinctLDiversity(l=2), suppression=5 / 240, seed=0)
    assert release.candidate.suppressed_records == 5
    assert release.frame()["work"].isna().tolist() == [place < 5 for place in release.recoding.shuffled(240)]


def test_a_table_that_fails_as_a_whole_says_so():
    with pytest.raises(InfeasibleError, match="Even all records as one group fail"):
        Slicing().anonymize(hospital(), DistinctLDiversity(l=4))


@examples(40)
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


def mean_square_contingency(pairs: list[tuple]) -> Fraction:
    """Squared differences between shares and what independence would make them, by the smaller number of values."""
    ones, others, n = {one for one, _ in pairs}, {other for _, other in pairs}, len(pairs)
    kinds = min(len(ones), len(others)) - 1
    if kinds == 0:
        return Fraction(0)
    found = Fraction(0)
    for one in ones:
        for other in others:
            share = Fraction(pairs.count((one, other)), n)
            alone = Fraction(sum(pair[0] == one for pair in pairs) * sum(pair[1] == other for pair in pairs), n * n)
            found += (share - alone) ** 2 / alone
    return found / kinds


@given(small_tables(max_quasi=2, max_sensitive=1, max_repeats=3))
def test_like_its_definition(table):
    pairs = [(record["q0"], record["s0"]) for record in records_of(table)]
    assert _contingency(table, "q0", "s0") == pytest.approx(float(mean_square_contingency(pairs)), abs=1e-12)
    assert _contingency(table, "s0", "q0") == pytest.approx(_contingency(table, "q0", "s0"), abs=1e-12)


def survey() -> Table:
    """a and b are one thing, c and d another, e is noise; n is a number that decides a in ranges."""
    random = np.random.default_rng(3)
    one, two, noise = (random.integers(0, 3, 900) for _ in range(3))
    number = one * 100 + random.integers(0, 90, 900)
    columns = {"a": one, "c": two, "b": (one + 1) % 3, "e": noise, "d": 2 - two, "n": number}
    rows = {name: [str(value) for value in values] for name, values in columns.items()}
    kinds = dict.fromkeys("abcde", "text")
    return Table.of_rows(Schema.of(quasi=["a", "c", "b", "e", "d"], sensitive=["n"], kinds=kinds), rows)


def test_blocks_of_columns_that_tell_of_each_other():
    table, columns = survey(), ("a", "c", "b", "e", "d")
    assert _correlated_blocks(table, columns, 3) == (("a", "b"), ("c", "d"), ("e",))
    assert _correlated_blocks(table, columns, 9) == (("a",), ("c",), ("b",), ("e",), ("d",))
    assert _correlated_blocks(table, columns, 1) == (columns,)
    assert _correlated_blocks(table, (), 2) == ()


def test_the_closest_columns():
    assert _closest_columns(survey(), ("a", "c", "b", "e", "d"), ("n",), 2) == ("a", "b")
    assert _closest_columns(survey(), ("a", "c"), ("n",), 0) == ()


def test_numbers_are_compared_by_ranges():
    """Each of 270 numbers occurs three times or so, which would tell nearly everything by accident."""
    table = survey()
    assert len(table.domain("n")) > 10 * _BINS
    assert _contingency(table, "e", "n") < 0.03
    assert _contingency(table, "a", "n") > 0.8


def test_missing_numbers_are_a_range_of_their_own():
    numbers = [str(value) for value in range(40)]
    schema = Schema.of(quasi=["n", "known"], kinds={"known": "text"})
    table = Table.of_rows(schema, {"n": [*numbers, *[None] * 40], "known": ["yes"] * 40 + ["no"] * 40})
    assert _contingency(table, "n", "known") == pytest.approx(1)


MODELS = (DistinctLDiversity(l=2), ConfidenceBounding(h=0.5))


@given(grouped_tables(max_repeats=3, max_quasi=2, max_sensitive=1), st.sampled_from(MODELS), st.booleans())
def test_like_asking_about_each_part(pair, model, dense):
    table, labels = pair
    part = table.group_numbers(("q0",))
    asked, wider = _EveryPart.of(model, table, "s0", ("q0",))
    expected, room = [], []
    for group in range(labels.max() + 1):
        inside = [np.flatnonzero((labels == group) & (part == one)) for one in np.unique(part[labels == group])]
        parts = [Groups.of_labels(table.rows_at(rows), np.zeros(len(rows), dtype=np.int32)) for rows in inside]
        expected.append(all(model.holds(one).all() for one in parts))
        room.append(sum(model.bounds.max_groups(one, 1)[0] for one in parts))
    groups = Groups.of_labels(wider, labels)
    if dense:  # as a search makes them
        matrix = groups.histogram(asked.column).dense(0, len(groups))
        groups = Groups.of_matrices(wider, groups.sizes, {asked.column: matrix})
    assert asked.holds(groups).tolist() == expected
    assert np.allclose(asked.bounds.max_groups(groups, 1), room)
    assert asked.bounds.least_size() == model.bounds.least_size()


def test_no_groups_have_no_parts():
    asked, table = _EveryPart.of(DistinctLDiversity(l=2), hospital(), "Disease", ("Sex",))
    none = Groups.of_labels(table.rows_at(np.zeros(0, dtype=np.int64)), np.zeros(0, dtype=np.int32))
    assert asked.holds(none).tolist() == []
    assert asked.bounds.max_groups(none, 2).tolist() == []


def test_only_pairs_of_part_and_value_that_occur_are_numbered():
    """Among 1000 ages and 1000 incomes there are a million pairs, and 1500 records have at most so many."""
    random = np.random.default_rng(0)
    rows = {name: [str(value) for value in random.permutation(1500) % 1000] for name in ("age", "income")}
    rows["zip"] = [str(place % 7) for place in range(1500)]
    table = Table.of_rows(Schema.of(quasi=["age", "zip"], sensitive=["income"]), rows)
    asked, wider = _EveryPart.of(DistinctLDiversity(l=1), table, "income", ("age",))
    assert len(wider.domain(asked.column)) == len(set(zip(rows["age"], rows["income"], strict=True)))
    parts, _ = asked.parts(Groups.of(wider, ["zip"]))
    assert sorted(parts.sizes.tolist()) == sorted(Counter(zip(rows["zip"], rows["age"], strict=True)).values())


def test_the_column_has_a_name_of_its_own():
    one, table = _EveryPart.of(DistinctLDiversity(l=2), hospital(), "Disease", ("Sex",))
    other, _ = _EveryPart.of(DistinctLDiversity(l=2), table, "Disease", ("Job",))
    assert one.column != other.column
    assert one.sensitive_columns(table.schema) == (one.column,)
