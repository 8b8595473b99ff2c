from __future__ import annotations

import inspect
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from sfumato.data.kinds import Kind
from sfumato.datasets.hospital import AGES, ROWS
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError, DisclosureWarning, SchemaError, UsageError
from sfumato.taxonomies import Masking, Tree

MODEL = sfumato.KAnonymity(k=3) & sfumato.DistinctLDiversity(l=2)
ROLES = {"quasi": ["Job", "Sex", "Age"], "sensitive": ["Disease"]}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_is_published_in_one_call_as_by_a_table(kind: Callable[[Any], Any]) -> None:
    frame = kind(ROWS)
    table = sfumato.Table.from_frame(frame, sfumato.Schema.of(**ROLES))
    published = sfumato.anonymize(frame, MODEL, **ROLES).frame()
    assert type(published) is type(frame)
    assert published.equals(sfumato.anonymize(table, MODEL).frame())


def test_a_file_is_published_in_one_call(tmp_path: Path) -> None:
    pd.DataFrame(ROWS).to_csv(tmp_path / "in.txt", index=False, sep=";")
    options = ReadOptions(separator=";")
    release = sfumato.anonymize(tmp_path / "in.txt", MODEL, **ROLES, options=options, algorithm="mondrian", seed=3)
    assert release.original.schema == sfumato.Schema.of(**ROLES)
    assert release.frame()["Disease"].to_pylist() == ROWS["Disease"]
    assert sfumato.anonymize(str(tmp_path / "in.txt"), MODEL, **ROLES, options=options).holds


def test_every_role_of_a_schema_can_be_given() -> None:
    roles = inspect.signature(sfumato.Schema.of).parameters
    given = inspect.signature(sfumato.anonymize).parameters
    assert set(roles) <= set(given)
    frame = pd.DataFrame(ROWS).assign(key=[f"p{n}" for n in (3, 1, 2, 2, 6, 5, 4)], waives=["no"] * 7, note=["n"] * 7)
    taxonomies = {"Age": AGES}
    more: dict[str, Any] = {"plain": ["note"], "taxonomies": taxonomies, "pseudonyms": ["key"]}
    with pytest.warns(DisclosureWarning, match="pseudonyms of 'key' link the records of a person"):
        release = sfumato.anonymize(frame, MODEL, **ROLES, person="key", waiver="waives", **more)
    schema = release.original.schema
    assert (schema.person, schema.waiver, schema.role("note")) == ("key", "waives", sfumato.Role.PLAIN)
    assert schema.column("Age").taxonomy == taxonomies["Age"]
    assert release.original.persons == 6


def test_what_models_do_not_cover_is_a_warning_and_in_the_report() -> None:
    """A lawyer has HIV, one writer the flu and the other one HIV: these pairs of plain values occur once."""
    frame = pd.DataFrame(ROWS)
    with pytest.warns(DisclosureWarning) as said:
        release = sfumato.anonymize(frame, sfumato.KAnonymity(k=3), quasi=["Sex", "Age"], plain=["Disease"])
    told = [str(one.message) for one in said]
    assert told == release.provenance["warnings"]
    assert {Path(one.filename).name for one in said} == {"test_direct_calls.py"}
    assert told[0].startswith("3 of 7 published records (42.9%) are unique")
    assert told[1].startswith("no column is sensitive, and 'Disease' is named as data about health.")
    assert told[2].startswith("'Job' has no role and is published unchanged.")
    with pytest.warns(DisclosureWarning, match="3 of 7 published records") as said:
        assert sfumato.check(release.frame(), quasi=["Sex", "Age"]).k == 3
    assert len(said) == 1


def test_no_role_or_roles_beside_a_table_are_refused() -> None:
    with pytest.raises(SchemaError, match=r'quasi=\["age", "zip"\]'):
        sfumato.anonymize(pd.DataFrame(ROWS), MODEL)  # type: ignore[call-overload]
    table = sfumato.Table.from_frame(pd.DataFrame(ROWS), sfumato.Schema.of(**ROLES))
    with pytest.raises(UsageError, match="a table has its roles in its schema; 'quasi', 'sensitive' can be given"):
        sfumato.anonymize(table, MODEL, **ROLES)
    with pytest.raises(UsageError, match="a int is no frame"):
        sfumato.anonymize(5, MODEL, **ROLES)


@pytest.mark.parametrize("as_file", [False, True])
def test_check_measures_as_an_audit_does_and_judges(tmp_path: Path, as_file: bool) -> None:
    """Three men and four women. One man has HIV and one woman the flu: as a plain column it singles them out."""
    data: Any = pd.DataFrame(ROWS)[["Sex", "Disease"]]
    if as_file:
        data.to_csv(tmp_path / "in.csv", index=False)
        data = tmp_path / "in.csv"
    audit = sfumato.check(data, sfumato.KAnonymity(k=4), quasi="Sex", sensitive=["Disease"])
    assert (audit.k, audit.holds, [one.level for one in audit.verdicts]) == (3, False, [3.0])
    with pytest.warns(DisclosureWarning, match="2 of 7 published records"):
        assert sfumato.check(data, sfumato.KAnonymity(k=3), quasi=["Sex"]).holds
    assert sfumato.check(data, quasi=["Sex"], sensitive=["Disease"]).verdicts == ()


def test_check_warns_of_keys_that_repeat() -> None:
    frame = pd.DataFrame({"patient_id": ["b", "a", "b", "c"], "sex": ["m", "f", "m", "f"]})
    with pytest.warns(DisclosureWarning) as said:
        assert sfumato.check(frame, quasi=["sex"]).k == 2
    assert str(said[-1].message).startswith("4 records have 3 different values of 'patient_id'")
    assert sfumato.check(frame, quasi=["sex"], person="patient_id").persons == 3


INDEXES = {
    "names": ["ann", "bob", "cid", "dee", "eve", "fay", "gus"],
    "patient numbers": pd.Index([1203, 1188, 1190, 1201, 1207, 1199, 1200], name="patient"),
    "a counter with a name": pd.RangeIndex(7, name="patient"),
    "former places": [3, 1, 0, 2, 6, 5, 4],
    "two levels": pd.MultiIndex.from_product([[1], list("abcdefg")]),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES.keys())
def test_an_index_that_may_identify_persons_is_warned_about(index: Any) -> None:
    """Row order and index are kept on purpose, so whoever publishes the frame must know it."""
    frame = pd.DataFrame(ROWS).set_axis(index)
    with pytest.warns(DisclosureWarning, match="the frame has an index of its own") as heard:
        release = sfumato.anonymize(frame, MODEL, **ROLES)
    assert release.frame().index.equals(frame.index)
    (said,) = [str(one.message) for one in heard]
    assert "release.frame().reset_index(drop=True)" in said
    assert not [value for value in ("ann", "gus", "1203") if value in said]


@pytest.mark.parametrize("index", [pd.RangeIndex(7), pd.RangeIndex(100, 107), pd.Index(range(7), dtype="int64")])
def test_an_index_that_only_numbers_the_records_is_none_to_warn_about(index: pd.Index) -> None:
    release = sfumato.anonymize(pd.DataFrame(ROWS).set_axis(index), MODEL, **ROLES)
    assert not [said for said in release.provenance["warnings"] if "index" in said]


def test_records_in_buckets_get_a_new_index() -> None:
    frame = pd.DataFrame(ROWS).set_axis(INDEXES["names"])
    release = sfumato.anonymize(frame, sfumato.DistinctLDiversity(l=2), **ROLES, algorithm="anatomy", suppression=0.2)
    assert set(release.frame().index) <= set(range(7))


BORN = [f"{1950 + place // 4}-0{1 + place % 9}-1{place % 10}" for place in random.Random(3).sample(range(40), 40)]


def as_parquet(columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), "in.parquet")
    return Path("in.parquet")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, as_parquet])
@pytest.mark.parametrize("written", [BORN, [f"{one[8:]}.{one[5:7]}.{one[:4]}" for one in BORN]])
def test_dates_that_are_stored_as_texts_are_published_as_ranges(
    make: Callable[[Any], Any], written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = make({"born": written, "code": ["007", "07"] * 20})
    release = sfumato.anonymize(data, sfumato.KAnonymity(k=5), quasi=["born", "code"])
    assert release.original.domain("born").kind is Kind.DATE
    assert release.original.domain("code").texts == ("007", "07")
    published = release.frame()
    for label in map(
        str, published["born"].to_pylist() if hasattr(published["born"], "to_pylist") else published["born"]
    ):
        found = re.fullmatch(r"\[(\d{4}-\d\d-\d\d), (\d{4}-\d\d-\d\d)\]", label)
        assert found is not None
        assert "1950-01-10" <= found[1] < found[2] <= "1959-12-31"


def test_dates_that_stay_texts_are_warned_about() -> None:
    frame = pd.DataFrame({"born": [*BORN, "unknown"], "seen": "x"})
    with pytest.warns(DisclosureWarning) as heard:
        sfumato.anonymize(frame, sfumato.KAnonymity(k=5), quasi=["born"], plain=["seen"])
    (said,) = [str(one.message) for one in heard if "'born' looks like dates" in str(one.message)]
    assert "some of its values cannot be read as dates, so its values are published as sets of texts" in said
    assert "`missing`" in said
    assert "unknown" not in said
    for more in ({"missing": ["unknown"]}, {"kinds": {"born": "text"}}):
        found = sfumato.anonymize(frame, sfumato.KAnonymity(k=5), quasi=["born"], plain=["seen"], **more)
        assert not [one for one in found.provenance["warnings"] if "looks like" in one]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sensitiv": ["Disease"]}, r"anonymize has no argument 'sensitiv'; did you mean 'sensitive'\?"),
        ({"options": ReadOptions(separator=";")}, r"the data are a frame; leave out options=\.\.\."),
        ({"kinds": {"Age": "nummer"}}, r"the kind of column 'Age' cannot be 'nummer'; did you mean 'number'\?"),
        ({"taxonomies": {"Age": {"widht": 5}}}, r"unknown key 'widht'; did you mean 'width'\?"),
        ({"taxonomies": {"Age": 5}}, r"the taxonomy of column 'Age' .* Intervals\(width=5\).*; got int\."),
        ({"taxonomies": {"Age": Tree}}, r"the taxonomy of column 'Age' .*; got a class: write Tree\("),
        ({"plain": [1.5]}, r'a column is named by a text, such as "age"; got float\.'),
        ({"plain": 1.5}, r'a list of their names, such as \["age"\]; got float\.'),
    ],
)
def test_arguments_that_do_not_fit(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        sfumato.anonymize(pd.DataFrame(ROWS), MODEL, **{**ROLES, **given})


def test_a_model_to_check_by_is_a_model() -> None:
    with pytest.raises(UsageError, match=r"got a class: write KAnonymity\(k=\.\.\.\)"):
        sfumato.check(pd.DataFrame(ROWS), sfumato.KAnonymity, quasi=["Sex"])  # type: ignore[arg-type]


def test_a_taxonomy_as_in_a_plan() -> None:
    release = sfumato.anonymize(pd.DataFrame(ROWS), MODEL, **ROLES, taxonomies={"Age": {"mask": "right"}})
    assert release.original.schema.column("Age").taxonomy == Masking(side="right")


@pytest.mark.parametrize("series", [pd.Series([1, 2], name="Age"), pl.Series("Age", [1, 2])])
def test_a_single_column_is_no_frame(series: Any) -> None:
    with pytest.raises(UsageError, match=r"^a Series is one column; give a frame of all columns"):
        sfumato.anonymize(series, MODEL, quasi=["Age"])


def test_numbered_columns_of_a_frame_are_named_by_their_numbers() -> None:
    frame = pd.DataFrame(ROWS)
    named = sfumato.anonymize(frame, MODEL, **ROLES).frame()
    numbers = {name: place for place, name in enumerate(frame.columns)}
    roles = {role: [numbers[name] for name in names] for role, names in ROLES.items()}
    numbered = sfumato.anonymize(frame.rename(columns=numbers), MODEL, **roles).frame()
    assert numbered.columns.tolist() == [numbers[name] for name in named.columns]
    assert numbered.to_numpy().tolist() == named.to_numpy().tolist()


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS).assign(Job="Bäcker")
    frame.to_csv(tmp_path / "in.csv", index=False, encoding="cp1252")
    with pytest.raises(DataError, match=r"or options=ReadOptions\(encoding=\.\.\.\) in Python, e\.g\. to cp1252"):
        sfumato.anonymize(tmp_path / "in.csv", MODEL, **ROLES)
    with pytest.raises(UsageError, match=r'given as ReadOptions\(encoding="cp1252"\), .*; got dict\.'):
        sfumato.anonymize(tmp_path / "in.csv", MODEL, **ROLES, options={"encoding": "cp1252"})  # type: ignore[call-overload]
    release = sfumato.anonymize(tmp_path / "in.csv", MODEL, **ROLES, options=sfumato.ReadOptions(encoding="cp1252"))
    assert set(release.frame()["Job"].to_pylist()) == {"Bäcker"}
