"""Comparisons of a release with its original."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.algorithms import Exhaustive, Mondrian
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.audit.release_comparison import ReleaseComparison
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError
from sfumato.metrics import Ncp
from sfumato.models import KAnonymity
from sfumato.taxonomies import Dates, Flat, Intervals
from tests.golden import three_groups

TAXONOMIES = {"age": Intervals(width=5), "job": Flat(), "born": Dates()}


@pytest.mark.parametrize("algorithm", [Mondrian(), Exhaustive()])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_loss_of_a_column_is_that_of_the_release(tmp_path: Path, ending: str, algorithm: TableAlgorithm) -> None:
    """Read back from the file, every column costs what `ncp` says of the release in memory, and no label is false."""
    generalized = isinstance(algorithm, Exhaustive)
    rows = [
        (20 + (7 * i) % 31, "abcde"[i * i % 5], f"2001-{1 + i % 12:02}-{1 + (5 * i) % 28:02}", i % 3) for i in range(90)
    ]
    frame = pd.DataFrame(rows, columns=["age", "job", "born", "ill"])
    if not generalized:  # in a suppressed row of Parquet, a missing value looks as it did
        frame.loc[5, "age"] = None
    frame.loc[7, "age"] = 300
    frame["born"] = pd.to_datetime(frame["born"]).dt.date
    before, after = tmp_path / f"before.{ending}", tmp_path / f"after.{ending}"
    frame.to_csv(before, index=False) if ending == "csv" else frame.to_parquet(before)
    schema = Schema.of(quasi=["age", "job", "born"], sensitive=["ill"], taxonomies=TAXONOMIES if generalized else {})
    release = algorithm.anonymize(Table.read(before, schema), KAnonymity(k=4), suppression=0.1)
    assert (release.suppressed_records > 0) == generalized
    release.write(after)
    found = ReleaseComparison.of_files(before, after)
    expected = Ncp().per_column(release)
    assert {column.column: column.loss for column in found.labels if column.column != "ill"} == pytest.approx(expected)
    assert all(column.false == column.unclear == 0 for column in found.labels)
    assert found.suppressed == release.suppressed_records
    assert found.rows == 90


def test_nested_columns_are_left_out(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x", "y"], "many": [[1], [2, 3]]}), tmp_path / "one.parquet")
    found = ReleaseComparison.of_files(tmp_path / "one.parquet", tmp_path / "one.parquet")
    assert [column.column for column in found.labels] == ["a"]
    assert "nested" in found.left_out["many"]


def test_numbers_without_a_complete_record_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "before.csv").write_text("a,b,job\n1,,cook\n,2,cook\n", encoding="utf-8")
    (tmp_path / "after.csv").write_text("a,b,job\n1.5,,cook\n,2.5,cook\n", encoding="utf-8")
    found = ReleaseComparison.of_files(tmp_path / "before.csv", tmp_path / "after.csv")
    assert (found.numbers.columns, [column.column for column in found.labels]) == ((), ["job"])
    assert found.left_out == dict.fromkeys(("a", "b"), "no record has a number in every column of numbers")
    with pytest.raises(DataError, match="no column to compare"):
        ReleaseComparison.of_files(tmp_path / "before.csv", tmp_path / "after.csv", ["a", "b"])


def test_a_column_of_different_values_is_an_identifier_where_that_is_no_chance(tmp_path: Path) -> None:
    """Nine records may differ by chance, and twelve hardly; measurements with fractions always differ."""
    for rows, warned in ((9, 0), (12, 1)):
        path = tmp_path / f"{rows}.csv"
        frame = pd.DataFrame({"code": [f"x{row}" for row in range(rows)], "pulse": [60.5 + row for row in range(rows)]})
        frame.to_csv(path, index=False)
        found = ReleaseComparison.of_files(path, path)
        assert len(found.warnings) == warned
        assert found.numbers.columns == ("pulse",)


def test_a_key_that_was_replaced_is_no_identifier_any_more(tmp_path: Path) -> None:
    pd.DataFrame({"patient_id": range(20)}).to_csv(tmp_path / "before.csv", index=False)
    pd.DataFrame({"patient_id": [f"{row:08x}" for row in range(20)][::-1]}).to_csv(tmp_path / "after.csv", index=False)
    found = ReleaseComparison.of_files(tmp_path / "before.csv", tmp_path / "after.csv")
    assert found.warnings == ()
    assert found.labels[0].unchanged == 0


def test_its_representation_shows_no_values(tmp_path: Path) -> None:
    pair = three_groups.means()
    for name, side in (("before", pair.original), ("after", pair.published)):
        pd.DataFrame({"x": side[:, 0]}).to_csv(tmp_path / f"{name}.csv", index=False)
    found = ReleaseComparison.of_files(tmp_path / "before.csv", tmp_path / "after.csv")
    assert repr(found) == "<ReleaseComparison: 1 columns of 12 records>"


@pytest.mark.parametrize("name", ["zip", "plz", "size"])
@pytest.mark.parametrize("zero", ["", "0"])
def test_codes_that_were_published_as_numbers_are_read_back(tmp_path: Path, name: str, zero: str) -> None:
    """Ranges of 10 and 20, and of 20 to 40: each covers its value; of 30 they lose 10 and 20 in the mean."""
    original, published = tmp_path / "o.csv", tmp_path / "m.csv"
    original.write_text(f"{name}\n{zero}10\n{zero}20\n{zero}20\n{zero}40\n")
    published.write_text(f'{name}\n"[10, 20]"\n"[10, 20]"\n"[20, 40]"\n"[20, 40]"\n')
    (found,) = ReleaseComparison.of_files(original, published).labels
    assert (found.generalized, found.unclear, found.false) == (4, 0, 0)
    assert found.loss == pytest.approx((10 / 30 + 20 / 30) / 2)


def test_no_loss_is_told_of_a_column_of_which_most_cells_are_unclear(tmp_path: Path) -> None:
    original, published = tmp_path / "o.csv", tmp_path / "m.csv"
    original.write_text("town\nUlm\nBonn\nKiel\nJena\n")
    for texts, loss in ((["Ulm", "Bonn", "north", "east"], 0.0), (["Ulm", "south", "north", "east"], None)):
        published.write_text("\n".join(["town", *texts]) + "\n")
        (found,) = ReleaseComparison.of_files(original, published, ["town"]).labels
        assert found.loss == loss


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("separator", [";", ",", "|"])
def test_the_options_of_the_original_hold_for_the_release_as_far_as_they_fit(
    tmp_path: Path, encoding: str, separator: str
) -> None:
    original, published = tmp_path / "o.csv", tmp_path / "m.csv"
    original.write_text("größe;ort\n1;Köln\n2;Ulm\n", encoding="cp1252")
    published.write_text("größe;ort\n1;Köln\n2;Ulm\n".replace(";", separator), encoding=encoding)
    found = ReleaseComparison.of_files(original, published, options=ReadOptions(encoding="cp1252", separator=";"))
    assert (found.left_out, found.rows) == ({}, 2)
    assert {one.column: one.unchanged for one in found.labels} == {"ort": 2}
