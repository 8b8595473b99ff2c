from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.audit.audit import Audit, release_schema
from sfumato.data.kinds import Kind
from sfumato.data.schema import Schema
from sfumato.datasets import census
from sfumato.datasets.hospital import ROWS
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.errors import SchemaError, UsageError
from sfumato.models import DistinctLDiversity, KAnonymity, TCloseness
from sfumato.taxonomies.tree import Tree
from tests.golden import book

PUBLISHED = book.read("patients_3anon")  # book, Table 2.4
QUASI = ["Job", "Sex", "Age"]


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_the_levels_of_the_published_patients(make: object) -> None:
    """Goldens: k = 3 (B4); distinct 2 (D6); entropy 1.7548 (D7); c above 3 (D8); equal distance 8/21."""
    audit = Audit.of_frame(make(PUBLISHED), quasi=QUASI, sensitive=["Disease"])  # type: ignore[operator]
    found = audit.diversity["Disease"]
    assert (audit.k, audit.groups, audit.records, audit.suppressed) == (3, 2, 7, 0)
    assert found.distinct == 2
    assert found.entropy == pytest.approx(1.7548, abs=5e-5)
    assert found.recursive == 3
    assert dict(found.closeness) == {"equal": pytest.approx(8 / 21)}
    assert audit.risk.prosecutor.highest == pytest.approx(1 / 3)
    assert audit.risk.marketer == pytest.approx(2 / 7)


def test_an_ordered_column_also_has_the_ordered_distance() -> None:
    """Li et al. (2007), Example 3: {3k, 4k, 5k} against 3k to 11k has distance 0.375."""
    pay = [1000 * thousands for thousands in range(3, 12)]
    audit = Audit.of_frame(pa.table({"g": ["a", "a", "a", *"bbbccc"], "pay": pay}), quasi=["g"], sensitive=["pay"])
    assert audit.diversity["pay"].closeness["ordered"] == pytest.approx(0.375)


def test_worst_groups_are_sizes_only() -> None:
    audit = Audit.of_frame(pa.table(ROWS), quasi=QUASI, sensitive=["Disease"])
    plain = audit.to_dict()
    assert plain["worst_groups"] == [{"records": 1, "groups": 3}, {"records": 2, "groups": 2}]
    told = str(plain)
    assert not any(value in told for values in ROWS.values() for value in values if not value.isdigit())


def test_no_finite_c_is_none() -> None:
    audit = Audit.of_frame(pa.table(ROWS), quasi=QUASI, sensitive=["Disease"])
    assert audit.diversity["Disease"].recursive is None


def test_judging_says_where_it_fails() -> None:
    audit = Audit.of_frame(pa.table(PUBLISHED), quasi=QUASI, sensitive=["Disease"])
    holds = [v.holds for v in audit.judge(KAnonymity(k=3) & DistinctLDiversity(l=3) & TCloseness(t=0.4))]
    assert holds == [True, False, True]


def test_sizes_alone_give_the_same_answers(tmp_path: Path) -> None:
    pq.write_table(census(5000), tmp_path / "c.parquet")
    source = DuckdbEngine.over_file(tmp_path / "c.parquet")
    schema = Schema.of(quasi=["age", "sex", "race", "education"], kinds={"age": "text"})
    whole = Audit.of_source(source, schema, nulls=True)
    small = Audit.of_source(source, schema, nulls=True, sizes_only=True)
    assert small.view is None
    assert small.to_dict() == whole.to_dict()
    assert small.judge(KAnonymity(k=3)) == whole.judge(KAnonymity(k=3))
    with pytest.raises(SchemaError):
        small.judge(DistinctLDiversity(l=2))


def test_a_large_file_without_secrets_is_never_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.audit.audit._LARGE", 10)
    pq.write_table(census(100), tmp_path / "c.parquet")
    assert Audit.of_file(tmp_path / "c.parquet", quasi=["age"]).view is None
    assert Audit.of_file(tmp_path / "c.parquet", quasi=["age"], sensitive=["income"]).view is not None


@pytest.mark.parametrize(("large", "ending"), [("_LARGE", "parquet"), ("_LARGE_TEXT", "csv")])
def test_what_a_large_file_is_depends_on_its_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: str, ending: str
) -> None:
    monkeypatch.setattr(f"sfumato.audit.audit.{large}", 10)
    pq.write_table(census(100), tmp_path / "c.parquet")
    census(100).to_pandas().to_csv(tmp_path / "c.csv", index=False)
    for one in ("parquet", "csv"):
        assert (Audit.of_file(tmp_path / f"c.{one}", quasi=["age"]).view is None) == (one == ending)


def released_beside_original(folder: Path, ending: str) -> tuple[Path, Path]:
    """Ten records: four and two alike, two generalized fully but with another value shown, and two suppressed."""
    gone = "*" if ending == "csv" else None
    rows = {"a": [*"xxxxyy", "*", "*", gone, gone], "note": [*"12345678", gone, gone]}
    before = {"a": [str(number) for number in range(10)], "who": [*"ppqrststtt"], "note": ["1"] * 10}
    for name, columns in (("r", rows), ("o", before)):
        if ending == "csv":
            lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        else:
            pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder / f"r.{ending}", folder / f"o.{ending}"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("large", [False, True])
def test_suppressed_records_are_recognized_beside_their_originals(
    tmp_path: Path, ending: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("sfumato.audit.audit._LARGE", 10)
        monkeypatch.setattr("sfumato.audit.audit._LARGE_TEXT", 10)
    release, original = released_beside_original(tmp_path, ending)
    for beside in (None, original):
        audit = Audit.of_file(release, quasi=["a"], original=beside)
        assert (audit.records, audit.suppressed, audit.k) == (8, 2, 2)
        assert sorted(zip(*audit.sizes, strict=True)) == [(2, 2), (4, 1)]


@pytest.mark.parametrize("large", [False, True])
def test_persons_of_the_original_are_counted_in_files_of_any_size(
    tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The four records of x are about three persons, those of y and of * about two."""
    if large:
        monkeypatch.setattr("sfumato.audit.audit._LARGE_TEXT", 10)
    release, original = released_beside_original(tmp_path, "csv")
    audit = Audit.of_file(release, quasi=["a"], original=original, person="who")
    assert (audit.unit, audit.suppressed) == ("persons", 2)
    assert sorted(zip(*audit.sizes, strict=True)) == [(2, 2), (3, 1)]


def test_missing_markers_are_one_value(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("a,s\n?,x\nNA,y\n,x\n1,x\n")
    assert Audit.of_file(tmp_path / "m.csv", quasi=["a"], missing=["?", "NA"]).groups == 2
    assert Audit.of_file(tmp_path / "m.csv", quasi=["a"]).groups == 4


def test_a_population_tames_the_journalist(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a\nx\ny\ny\n")
    (tmp_path / "p.csv").write_text("a\n" + "x\n" * 5 + "y\n" * 10 + "z\n")
    risk = Audit.of_file(tmp_path / "r.csv", quasi=["a"], population=tmp_path / "p.csv").risk
    assert (risk.prosecutor.highest, risk.journalist.highest) == (1.0, 0.2)
    assert risk.population_known


def test_without_quasi_columns_there_is_nothing_to_ask(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a\nx\n")
    with pytest.raises(UsageError, match="quasi"):
        Audit.of_file(tmp_path / "r.csv", quasi=[])
    with pytest.raises(SchemaError, match="did you mean 'a'"):
        Audit.of_file(tmp_path / "r.csv", quasi=["aa"])


def test_a_release_is_read_back_as_a_stranger_reads_it() -> None:
    tree = Tree(branches={"*": ["x", "y"]})
    schema = Schema.of(
        quasi=["q"], sensitive=["s"], identifiers=["i"], taxonomies={"q": tree, "s": tree}, missing=["?"]
    )
    seen = release_schema(schema, {"s": Kind.TEXT})
    assert seen.column("q").taxonomy is None
    assert seen.column("q").kind is Kind.TEXT
    assert seen.column("s").taxonomy is tree
    assert (seen.identifiers, seen.missing) == ((), ("?",))


@pytest.mark.parametrize(
    ("original", "how", "said"),
    [
        ("age,sex", {}, r"original file 'o\.csv' has no column 'ill'"),
        ("age,ill", {}, r"original file 'o\.csv' has no column 'sex'"),
        (
            "age,sex,ill",
            {"person": "who"},
            r"neither the release nor original file 'o\.csv' has .* 'who'",
        ),
    ],
)
def test_an_original_without_a_column_that_is_judged_is_refused(original, how, said, tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["31", "32"], "sex": ["f", "f"], "ill": ["secretly", "cold"]})
    frame.to_csv(tmp_path / "r.csv", index=False)
    frame[original.split(",")].to_csv(tmp_path / "o.csv", index=False)
    with pytest.raises(SchemaError, match=said) as caught:
        Audit.of_file(tmp_path / "r.csv", quasi=["age", "sex"], sensitive=["ill"], original=tmp_path / "o.csv", **how)
    assert "secretly" not in str(caught.value)


def test_a_column_that_only_the_original_has_is_missing_in_the_release(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["31", "32"], "sex": ["f", "f"]})
    frame[["sex"]].to_csv(tmp_path / "r.csv", index=False)
    frame.to_csv(tmp_path / "o.csv", index=False)
    with pytest.raises(SchemaError, match=r"the data has no column 'age'; nor any other column"):
        Audit.of_file(tmp_path / "r.csv", quasi=["age"], original=tmp_path / "o.csv")


def test_the_highest_confidence_is_measured_and_warned_about() -> None:
    """Two groups of ten: nine of the first have flu, and half of the second."""
    ills = ["flu"] * 9 + ["cold"] + ["flu", "cold"] * 5
    frame = pa.table({"age": ["30"] * 10 + ["40"] * 10, "ill": ills})
    audit = Audit.of_frame(frame, quasi=["age"], sensitive=["ill"])
    assert audit.diversity["ill"].confidence == 0.9
    assert audit.warnings == ()
    sure = pa.table({"age": ["30"] * 20, "ill": ["flu"] * 19 + ["cold"]})
    (said,) = Audit.of_frame(sure, quasi=["age"], sensitive=["ill"]).warnings
    assert "up to 95% sure of a value of 'ill'" in said
    assert "flu" not in said


def test_buckets_are_counted_as_such_although_a_known_column_stays_with_the_sensitive_one(tmp_path):
    """One bucket of four: an attacker who knows the sex looks at two of its diseases, but the bucket is one."""
    path = tmp_path / "sliced.csv"
    path.write_text("age,sex,ill,bucket\n1,m,flu,1\n2,m,gout,1\n3,f,cold,1\n4,f,cold,1\n")
    audit = Audit.of_file(
        path, quasi=["age", "sex"], sensitive=["ill"], bucket="bucket", blocks=[["age"], ["sex", "ill"]]
    )
    assert (audit.groups, audit.smallest) == (1, 4)
    assert audit.diversity["ill"].distinct == 1
