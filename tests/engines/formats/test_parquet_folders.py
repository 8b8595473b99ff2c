"""Folders of Parquet files: which files belong to them, and what they have in common."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.audit.file_digest import FileDigest
from sfumato.data.kinds import Kind
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.formats.parquet_folders import common_schema, partitions_of, parts_of
from sfumato.engines.readable_files import readable
from sfumato.errors import DataError, PlanError, SchemaError
from sfumato.plan import Plan


def part(path: Path, **columns: list[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Two years of visits, with files that other programs leave beside them."""
    for year in (2023, 2024):
        for number in range(2):
            ages = [20 + place % 3 for place in range(10)]
            part(tmp_path / "visits" / f"year={year}" / f"part-{number}.parquet", age=ages, ill=["flu", "cold"] * 5)
    part(tmp_path / "visits" / "_temporary" / "part-9.parquet", age=[99], ill=["x"])
    (tmp_path / "visits" / "_SUCCESS").touch()
    (tmp_path / "visits" / "year=2023" / ".part-0.parquet.crc").touch()
    return tmp_path / "visits"


def test_the_files_of_a_folder_are_read_as_one(visits: Path) -> None:
    parts = parts_of(visits, "folder 'visits'")
    assert [path.relative_to(visits).as_posix() for path in parts] == [
        f"year={year}/part-{number}.parquet" for year in (2023, 2024) for number in range(2)
    ]
    schema, rows = common_schema(parts, "folder 'visits'")
    assert (schema.names, rows) == (["age", "ill"], 40)
    assert partitions_of(visits, parts, "folder 'visits'") == {"year": ["2023", "2023", "2024", "2024"]}
    file = readable(visits)
    assert (file.typed, file.parts, file.described) == (True, parts, "folder 'visits'")
    assert file.size == sum(path.stat().st_size for path in parts)
    engine = DuckdbEngine.over_file(visits)
    assert engine.columns == ("age", "ill", "year")
    assert engine.kind("year") is Kind.NUMBER
    counted = engine.count(["year"])
    assert dict(zip(counted.raw["year"], counted.counts.tolist(), strict=True)) == {"2023": 20, "2024": 20}


def test_a_folder_is_published_and_its_digest_is_that_of_its_files(visits: Path, tmp_path: Path) -> None:
    plan = {
        "data": {"path": "visits"},
        "columns": {"age": {"role": "quasi"}, "year": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "models": [{"name": "k_anonymity", "k": 5}],
        "output": {"path": "release.parquet", "certificate": "c.json", "input_digest": "sha256"},
    }
    outcome = Plan.of(plan, tmp_path).run()
    assert pq.read_table(tmp_path / "release.parquet").num_rows == 40
    digest = outcome.certificate.to_dict()["input"]["digest"]
    assert digest == FileDigest().of(visits)
    assert digest["value"] not in (path.name for path in visits.iterdir())
    before = FileDigest().of(visits)
    (visits / "year=2024" / "part-1.parquet").rename(visits / "year=2024" / "part-2.parquet")
    assert FileDigest().of(visits) != before
    inside = {**plan, "output": {"path": "visits/release.parquet"}}
    with pytest.raises(PlanError, match=r"\[output\] path would be written into the folder of \[data\] path"):
        Plan.of(inside, tmp_path).run()


def test_folders_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="has no Parquet files"):
        readable(tmp_path / "empty")
    (tmp_path / "delta" / "_delta_log").mkdir(parents=True)
    part(tmp_path / "delta" / "p.parquet", a=[1])
    with pytest.raises(DataError, match="is a Delta table"):
        readable(tmp_path / "delta")


def test_files_that_differ_or_are_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    part(folder / "a.parquet", age=[1], job=["x"])
    part(folder / "b.parquet", age=["canary"], job=["x"])
    with pytest.raises(DataError, match=r"'b\.parquet' has not the names and types of 'a\.parquet'") as caught:
        DuckdbEngine.over_file(folder)
    assert "canary" not in str(caught.value)
    whole = (folder / "a.parquet").read_bytes()
    (folder / "b.parquet").write_bytes(whole[:-9])
    with pytest.raises(DataError, match=r"no complete Parquet file; its file is 'b\.parquet'"):
        DuckdbEngine.over_file(folder)
    (folder / "b.parquet").unlink()
    part(folder / "year=2024" / "c.parquet", age=[1], job=["x"])
    with pytest.raises(DataError, match="named after different columns"):
        DuckdbEngine.over_file(folder)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "t.parquet")
    with pytest.raises(SchemaError, match="more than one column called 'a'"):
        DuckdbEngine.over_file(tmp_path / "t.parquet")


def records(folder: Path) -> list[dict[str, object]]:
    engine = DuckdbEngine.over_file(folder)
    found = engine.count(engine.columns)
    return [
        {name: found.raw[name][found.codes[name][row]] for name in engine.columns} for row in range(len(found.counts))
    ]


def test_partition_columns_have_their_own_values_in_any_order(tmp_path: Path) -> None:
    """DuckDB orders partitions by name and reads them from folders above, too; identifiers were published so."""
    for country, city in (("DE", "Ann"), ("FR", "Cy%20D"), ("FR", "__HIVE_DEFAULT_PARTITION__")):
        part(tmp_path / "run=3" / "p" / f"country={country}" / f"city={city}" / "p.parquet", dx=["flu"])
    assert sorted(map(str, records(tmp_path / "run=3" / "p"))) == sorted(
        str({"dx": "flu", "country": country, "city": city})
        for country, city in (("DE", "Ann"), ("FR", "Cy D"), ("FR", None))
    )


def test_partition_columns_keep_zeros_and_types(tmp_path: Path) -> None:
    for day, month in (("2024-01-02", "05"), ("2024-03-04", "11")):
        part(tmp_path / "d" / f"day={day}" / f"month={month}" / "p.parquet", age=[1])
    engine = DuckdbEngine.over_file(tmp_path / "d")
    assert (engine.kind("day"), engine.kind("month")) == (Kind.DATE, Kind.TEXT)
    odd = ["2024-01-02 03%3A04", "2024-W01", "1.10", "1.1", "+5", "99999999999999999999", "[a]", "a", "A*", "Ab"]
    for place, value in enumerate(odd):
        part(tmp_path / "o" / f"c={value}" / "p.parquet", ID=[place], id=[-place])
    found = {(row["c"], row["ID"], row["id"]) for row in records(tmp_path / "o")}
    assert found == {(value.replace("%3A", ":"), str(at), str(-at)) for at, value in enumerate(odd)}
    assert {row["month"] for row in records(tmp_path / "d")} == {"05", "11"}
    part(tmp_path / "e" / "Age=1" / "p.parquet", age=[1])
    with pytest.raises(SchemaError, match="has 'Age' both in its files and in the names of its folders"):
        DuckdbEngine.over_file(tmp_path / "e")


def test_a_path_is_no_pattern(tmp_path: Path) -> None:
    part(tmp_path / "A*.parquet", x=[1])
    part(tmp_path / "AB.parquet", x=[2])
    (tmp_path / "[c].csv").write_text("x\n3\n")
    (tmp_path / "c.csv").write_text("x\n4\n")
    assert records(tmp_path / "A*.parquet") == [{"x": "1"}]
    assert records(tmp_path / "[c].csv") == [{"x": "3"}]


def test_links_to_folders_are_refused(tmp_path: Path) -> None:
    part(tmp_path / "d" / "c=1" / "p.parquet", x=[1])
    (tmp_path / "d" / "c=2").symlink_to(tmp_path / "d" / "c=1")
    with pytest.raises(DataError, match="has links to other folders"):
        readable(tmp_path / "d")
