"""Files of SPSS, Stata and SAS: labels, missing values and types."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from sfumato.engines.formats.survey_files import column_labels, survey_table, write_survey
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError

FRAME = pd.DataFrame(
    {
        "age": [30.0, 40.0, -9.0],
        "sex": [1.0, 2.0, None],
        "income": [1000.5, 99.0, 3.0],
        "name": ["Ann", "", "Zoë"],
        "born": [date(1980, 1, 2), None, date(1990, 3, 4)],
        "seen": [datetime(2020, 1, 1, 5, 6), None, datetime(2021, 1, 1)],
    }
)
LABELS = {"sex": {1: "male", 2: "female"}, "income": {99: "no answer"}}


@pytest.fixture
def spss(tmp_path: Path) -> Path:
    pyreadstat.write_sav(FRAME, tmp_path / "t.sav", variable_value_labels=LABELS, missing_ranges={"age": [-9]})
    return tmp_path / "t.sav"


def read(path: Path, **options: Any) -> dict[str, list[Any]]:
    return survey_table(path, f"file {path.name!r}", ReadOptions(**options)).to_pydict()


def test_records_of_spss(spss: Path) -> None:
    assert read(spss) == {
        "age": [30, 40, None],  # the file declares -9 as missing
        "sex": ["male", "female", None],
        "income": [1000.5, 99.0, 3.0],  # a label for one value does not make it a column of texts
        "name": ["Ann", None, "Zoë"],
        "born": [date(1980, 1, 2), None, date(1990, 3, 4)],
        "seen": [datetime(2020, 1, 1, 5, 6), None, datetime(2021, 1, 1)],
    }
    assert read(spss, value_labels="codes")["sex"] == [1, 2, None]


def test_records_of_stata(tmp_path: Path) -> None:
    frame = FRAME[["age", "sex", "name"]]
    pyreadstat.write_dta(frame, tmp_path / "t.dta", variable_value_labels={"sex": LABELS["sex"]})
    found = read(tmp_path / "t.dta")
    assert found == {"age": [30, 40, -9], "sex": ["male", "female", None], "name": ["Ann", None, "Zoë"]}


def test_records_of_sas(tmp_path: Path) -> None:
    pyreadstat.write_xport(FRAME[["age", "name"]], tmp_path / "t.xpt", file_format_version=8)
    assert read(tmp_path / "t.xpt")["age"] == [30, 40, -9]


@pytest.mark.parametrize("name", ["t.sav", "t.dta", "t.sas7bdat", "t.por", "t.xpt"])
def test_files_that_are_none(tmp_path: Path, spss: Path, name: str) -> None:
    (tmp_path / f"text_{name}").write_text("name,age\ncanary,3\n")
    (tmp_path / f"cut_{name}").write_bytes(spss.read_bytes()[:300])
    for path in (tmp_path / f"text_{name}", tmp_path / f"cut_{name}"):
        with pytest.raises(DataError, match=r"is damaged, or of another format or encoding|is incomplete") as caught:
            read(path)
        assert "canary" not in str(caught.value)


def test_an_empty_label_is_none(tmp_path: Path) -> None:
    pyreadstat.write_sav(FRAME[["sex"]], tmp_path / "t.sav", variable_value_labels={"sex": {1: "male", 2: ""}})
    assert read(tmp_path / "t.sav")["sex"] == [1, 2, None]


def test_a_transport_file_that_is_cut_is_refused(tmp_path: Path) -> None:
    pyreadstat.write_xport(FRAME[["age"]], tmp_path / "t.xpt", file_format_version=8)
    whole = (tmp_path / "t.xpt").read_bytes()
    (tmp_path / "t.xpt").write_bytes(whole[:-100])
    with pytest.raises(DataError, match="is incomplete"):
        read(tmp_path / "t.xpt")


@pytest.mark.parametrize(("name", "most"), [("out.sav", 256), ("out.zsav", 256), ("out.dta", 80)])
def test_labels_of_columns_are_kept(tmp_path: Path, name: str, most: int) -> None:
    pyreadstat.write_sav(FRAME[["age", "sex"]], tmp_path / "t.sav", column_labels=["Age in years", None])
    table = survey_table(tmp_path / "t.sav", "file", ReadOptions())
    assert column_labels(table.schema) == {"age": "Age in years"}
    write_survey(table, tmp_path / name, {"age": "Age in years", "sex": "x" * 300})
    read_back = pyreadstat.read_dta if name.endswith("dta") else pyreadstat.read_sav
    assert read_back(tmp_path / name)[1].column_names_to_labels == {"age": "Age in years", "sex": "x" * most}
