from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.table import Table
from sfumato.datasets import patient_batches, patients, patients_schema, write_patients
from sfumato.datasets.draws import CHUNK
from tests.examples import examples

MANY = 70_000  # more than one chunk


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return patients(MANY)


def test_the_same_seed_gives_the_same_first_records(table: pa.Table) -> None:
    assert patients(1000).to_pylist() == table.slice(0, 1000).to_pylist()
    assert patients(100, seed=1).to_pylist() != patients(100, seed=0).to_pylist()


@examples(8)
@given(batch=st.integers(1000, 2 * CHUNK))
def test_batches_of_any_size_hold_the_same_records(batch: int) -> None:
    made = list(patient_batches(MANY, 0, batch))
    assert [one.num_rows for one in made[:-1]] == [batch] * (len(made) - 1)
    joined = pa.Table.from_batches(made)
    assert joined.num_rows == MANY
    whole = patients(MANY)
    for name in ("patient_number", "age", "diagnosis"):
        assert joined[name].combine_chunks().equals(whole[name].combine_chunks())


def test_numbers_are_unique_and_illness_depends_on_age_and_sex(table: pa.Table) -> None:
    assert len(pc.unique(table["patient_number"])) == MANY
    age, illness = table["age"].to_numpy(), np.array(table["diagnosis"].to_pylist())
    sex = np.array(table["sex"].to_pylist())
    days = table["days"].to_numpy()
    assert age[illness == "stroke"].mean() > age[illness == "tonsillitis"].mean() + 30
    assert set(sex[illness == "birth"]) == {"female"}
    assert set(sex[illness == "prostate cancer"]) == {"male"}
    assert days[illness == "schizophrenia"].mean() > 3 * days[illness == "cataract"].mean()
    assert days.min() >= 1
    assert (age.min(), age.max()) == (0, 99)


def test_winter_brings_influenza(table: pa.Table) -> None:
    month = pc.month(table["admitted"]).to_numpy()
    flu = np.array(table["diagnosis"].to_pylist()) == "influenza"
    winter = np.isin(month, [12, 1, 2])
    assert winter[flu].mean() > winter[~flu].mean() + 0.05


def test_written_files_hold_the_same(tmp_path: Path) -> None:
    expected = patients(500).to_pylist()
    assert pq.read_table(write_patients(tmp_path / "p.parquet", 500)).to_pylist() == expected
    text = pyarrow.csv.read_csv(write_patients(tmp_path / "p.csv", 500))
    assert text["name"].to_pylist() == [row["name"] for row in expected]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "p.parquet"]


def test_no_patients_is_an_empty_table() -> None:
    assert patients(0).num_rows == 0


def test_its_schema_fits() -> None:
    table = Table.from_frame(patients(2000), patients_schema())
    assert table.records == 2000
    assert table.schema.quasi == ("sex", "age", "postcode", "admitted")
    assert table.taxonomies["postcode"].height > 2
