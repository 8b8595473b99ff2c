"""Blown-up files: the same every time, and Adult still."""

import csv
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.data import CROWD, SEED, VALUES, adult_batches, scattered_batches, write_table, write_text
from benchmarks.files import QUASI

RECORDS = 1_000


@pytest.fixture(scope="module")
def adult(data_folder):
    return pa.Table.from_batches(adult_batches(RECORDS))


@pytest.fixture(scope="module")
def originals(data_folder):
    with (data_folder / "adult" / "adult_all_complete.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_same_records_every_time(adult):
    assert pa.Table.from_batches(adult_batches(RECORDS)).equals(adult)


def test_all_columns_in_order_and_only_values_of_their_column(adult, originals):
    assert adult.column_names == list(originals[0])
    for name in set(adult.column_names) - {"age"}:
        assert {str(value) for value in adult[name].to_pylist()} <= {row[name] for row in originals}


def test_ages_stay_within_their_limits(adult):
    ages = adult["age"].to_numpy()
    assert ages.min() >= 17
    assert ages.max() <= 90


def test_a_tenth_of_the_cells_is_disturbed(adult, originals):
    """Weights are nearly unique in Adult, so a record whose weight was kept can be found again by it."""
    by_weight = {row["fnlwgt"]: row for row in originals}
    shared = {weight for weight, count in Counter(row["fnlwgt"] for row in originals).items() if count > 1}
    kept = [
        row["hours-per-week"] == int(by_weight[str(row["fnlwgt"])]["hours-per-week"])
        for row in adult.to_pylist()
        if str(row["fnlwgt"]) not in shared
    ]
    # A tenth of the weights and a tenth of the hours is drawn anew; 40 hours are common enough to be drawn again.
    assert 0.8 < np.mean(kept) < 0.95


def test_chunks_hold_all_records(data_folder):
    sizes = [batch.num_rows for batch in adult_batches(RECORDS, QUASI, chunk=300)]
    assert sizes == [300, 300, 300, 100]


def test_written_as_text_and_as_parquet_it_is_the_same(tmp_path, adult):
    write_table(str(tmp_path / "a.parquet"), RECORDS)
    write_text(str(tmp_path / "a.csv"), RECORDS)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert lines == [{name: str(value) for name, value in row.items()} for row in rows]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.parquet"]


def test_four_of_five_scattered_records_stand_alone():
    records = 20_000
    table = pa.Table.from_batches(scattered_batches(records))
    assert [len(column.unique()) for column in table.columns] == list(VALUES)
    assert pa.Table.from_batches(scattered_batches(records)).equals(table)
    random = np.random.default_rng(SEED)
    crowd = set(zip(*(random.integers(0, values, CROWD, dtype=np.int32) for values in VALUES), strict=True))
    codes = [column.combine_chunks().indices.to_numpy() for column in table.columns]
    alone = sum(row not in crowd for row in zip(*codes, strict=True)) / records
    assert alone == pytest.approx(0.8, abs=0.02)
