"""Two files as one source: what belongs together is joined, and what does not is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from sfumato.engines.base import BESIDE, LinkedFiles
from sfumato.engines.duckdb.linked_sources import joined
from sfumato.errors import DataError, SchemaError

RECORDS = "age,group\n30,1\n31,1\n40,2\n41,2\n"
SECRETS = "group,s,count\n1,x,1\n1,y,1\n2,x,2\n"


def files(folder, **texts):
    paths = []
    for name, text in texts.items():
        path = folder / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def over_tables(folder, records, secrets, bucket):
    here, there = files(folder, records=records, secrets=secrets)
    return joined(LinkedFiles(here, secrets=there, bucket=bucket))


def beside(folder, shown, was):
    here, there = files(folder, shown=shown, was=was)
    return joined(LinkedFiles(here, original=there))


def rows(engine):
    counted = engine.count(engine.columns)
    columns = [[counted.raw[name][code] for code in counted.codes[name]] for name in engine.columns]
    return sorted(
        row for row, often in zip(zip(*columns, strict=True), counted.counts, strict=True) for _ in range(often)
    )


def test_every_record_gets_a_secret_of_its_bucket(tmp_path) -> None:
    engine = over_tables(tmp_path, RECORDS, SECRETS, "group")
    assert engine.columns == ("age", "group", "s")
    found = rows(engine)
    assert [row[:2] for row in found] == [("30", "1"), ("31", "1"), ("40", "2"), ("41", "2")]
    assert sorted(row[2] for row in found if row[1] == "1") == ["x", "y"]
    assert [row[2] for row in found if row[1] == "2"] == ["x", "x"]


def test_suppressed_records_have_no_secret(tmp_path) -> None:
    engine = over_tables(tmp_path, RECORDS + "*,*\n", SECRETS, "group")
    assert ("*", "*", "*") in rows(engine)


@pytest.mark.parametrize(
    ("secrets", "error", "said"),
    [
        ("group,s,count\n1,x,1\n2,x,2\n", DataError, "1 buckets do not have as many"),
        ("group,s,count\n1,x,2\n2,x,2\n3,x,1\n", DataError, "1 buckets do not have as many"),
        ("bucket,s,count\n1,x,2\n", SchemaError, "must have 'group'"),
        ("group,count\n1,2\n", SchemaError, "must have 'group'"),
        ("group,age,count\n1,x,2\n2,x,2\n", SchemaError, "in common"),
        ("group,s,count\n1,x,many\n2,x,2\n", DataError, "a whole number; 1 rows"),
        ("group,s,count\n1,x,2\n1,a,1\n1,a,-1\n2,x,2\n", DataError, "a whole number; 1 rows"),
        ("group,s,count\n1,x,1.4\n1,y,0.6\n2,x,2\n", DataError, "a whole number; 2 rows"),
        ("group,s,count\n1,x,2\n1,y,\n2,x,2\n", DataError, "a whole number; 1 rows"),
    ],
)
def test_tables_that_do_not_belong_together_are_refused(secrets, error, said, tmp_path) -> None:
    with pytest.raises(error, match=said):
        over_tables(tmp_path, RECORDS, secrets, "group")


def test_a_bucket_that_is_not_there_is_refused(tmp_path) -> None:
    with pytest.raises(SchemaError, match="no column 'bucket'"):
        over_tables(tmp_path, RECORDS, SECRETS, "bucket")


def test_a_release_stands_beside_its_original_row_by_row(tmp_path) -> None:
    shown, was = "age,s\n[30-39],x\n*,*\n[40-49],y\n", "age;s\n31;x\n35;x\n44;y\n"
    engine = beside(tmp_path, shown, was)
    assert engine.columns == ("age", "s", f"{BESIDE}age", f"{BESIDE}s")
    assert rows(engine) == [("*", "*", "35", "x"), ("[30-39]", "x", "31", "x"), ("[40-49]", "y", "44", "y")]


def test_files_of_different_length_are_refused(tmp_path) -> None:
    with pytest.raises(DataError, match="2 and 1 records"):
        beside(tmp_path, "a\n1\n2\n", "a\n1\n")


def test_both_at_once(tmp_path) -> None:
    here, there, was = files(tmp_path, records=RECORDS, secrets=SECRETS, was="age,s\n30,y\n31,x\n40,x\n41,x\n")
    engine = joined(LinkedFiles(here, secrets=there, bucket="group", original=was))
    assert engine.columns == ("age", "group", f"{BESIDE}age", f"{BESIDE}s", "s")
    found = rows(engine)
    assert [row[:4] for row in found] == [
        ("30", "1", "30", "y"),
        ("31", "1", "31", "x"),
        ("40", "2", "40", "x"),
        ("41", "2", "41", "x"),
    ]
    assert sorted(row[4] for row in found) == ["x", "x", "x", "y"]


def test_records_in_any_order_find_their_original_by_what_they_share(tmp_path) -> None:
    here, there = files(
        tmp_path, shown="age,s,group\n31,x,1\n*,*,*\n30,y,1\n30,x,2\n", was="s,age\ny,30\nx,31\nx,30\nz,9\n"
    )
    engine = joined(LinkedFiles(here, original=there, shared=["age"]))
    assert engine.columns == ("age", "s", "group", f"{BESIDE}s", f"{BESIDE}age")
    found = {(row[0], row[4]) for row in rows(engine) if row[0] != "*"}
    assert found == {("30", "30"), ("31", "31")}
    assert sorted(row[3] for row in rows(engine) if row[0] == "30") == ["x", "y"]


MANY = 400_000
"""Enough records that DuckDB reads them in several threads."""


def many(folder, ending, **columns):
    path = folder / f"{'_'.join(columns)}.{ending}"
    table = pa.table({name: pa.array(values).cast(pa.string()) for name, values in columns.items()})
    pq.write_table(table, path) if ending == "parquet" else pa_csv.write_csv(table, path)
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_records_that_agree_on_all_they_share_are_matched_in_file_order(ending, tmp_path) -> None:
    ages, places = np.random.default_rng(0).integers(0, 100, MANY), np.arange(MANY)
    here, there = many(tmp_path, ending, age=ages, at=places), many(tmp_path, ending, age=ages, was_at=places)
    engine = joined(LinkedFiles(here, original=there, shared=["age"]))
    found = engine.count(["at", f"{BESIDE}was_at"])
    pairs = zip(*(np.array(found.raw[name])[codes] for name, codes in found.codes.items()), strict=True)
    assert all(one == other for one, other in pairs)


def test_sensitive_values_are_given_to_the_records_of_a_bucket_in_file_order(tmp_path) -> None:
    """In each of 100 buckets, the first half of the records gets the first of two sensitive values."""
    buckets, places = np.arange(MANY) % 100, np.arange(MANY)
    here = many(tmp_path, "parquet", at=places, group=buckets)
    there = many(tmp_path, "parquet", group=np.repeat(np.arange(100), 2), s=["x", "y"] * 100, count=[MANY // 200] * 200)
    engine = joined(LinkedFiles(here, secrets=there, bucket="group"))
    found = engine.count(["at", "s"])
    at, secret = (np.array(found.raw[name])[codes] for name, codes in found.codes.items())
    assert ((at.astype(int) < MANY // 2) == (secret == "x")).all()


@pytest.mark.parametrize(("shown", "said"), [("age,s\n44,x\n", "1 records are not among"), ("zip,s\n44,x\n", "'zip'")])
def test_records_without_an_original_are_refused(shown, said, tmp_path) -> None:
    here, there = files(tmp_path, shown=shown, was="age,s\n30,x\n")
    with pytest.raises((DataError, SchemaError), match=said):
        joined(LinkedFiles(here, original=there, shared=[shown.split(",")[0]]))
