from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.table import Table
from sfumato.datasets import census, census_batches, census_schema, write_census


def test_schooling_pays_and_the_old_are_widowed() -> None:
    table = census(40_000)
    income, education = np.array(table["income"].to_pylist()), np.array(table["education"].to_pylist())
    age, marital = table["age"].to_numpy(), np.array(table["marital_status"].to_pylist())
    rich = income == "high"
    assert rich[education == "doctorate"].mean() > 3 * rich[education == "high school"].mean()
    assert age[marital == "widowed"].mean() > age[marital == "never married"].mean() + 20
    assert age.min() >= 17


def test_it_streams_the_same_persons(tmp_path: Path) -> None:
    whole = census(70_000, seed=3)
    streamed = pa.Table.from_batches(census_batches(70_000, 3, 9_999))
    assert streamed["occupation"].to_pylist() == whole["occupation"].to_pylist()
    written = pq.read_table(write_census(tmp_path / "c.parquet", 100, seed=3))
    assert written.to_pylist() == whole.slice(0, 100).to_pylist()


def test_its_schema_fits() -> None:
    table = Table.from_frame(census(500), census_schema())
    assert (table.records, len(table.schema.quasi)) == (500, 8)
