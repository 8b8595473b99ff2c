from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from sfumato.cli.mask import parsed_mask
from sfumato.datasets import employees
from sfumato.errors import ParameterError, UsageError
from tests.cli.commands import CANARIES, canary_csv, refused, sfumato


@pytest.fixture
def data(tmp_path: Path) -> Path:
    employees().to_pandas().to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def masked(data: Path, *words: object) -> pd.DataFrame:
    out = data.parent / "masked.csv"
    result = sfumato("mask", data, "--out", out, "--force", *words)
    assert result.exit_code == 0, result.output
    return pd.read_csv(out)


def test_noise_on_one_column(data) -> None:
    before, made = pd.read_csv(data), masked(data, "--with", "noise", "--set", "share=0.1", "--column", "pay")
    assert list(made.columns) == list(before.columns)
    pd.testing.assert_frame_equal(made.drop(columns="pay"), before.drop(columns="pay"))
    assert (made["pay"].isna() == before["pay"].isna()).all()
    assert 0 < (made["pay"] - before["pay"]).std() < 0.3 * before["pay"].std()


def test_chance_is_new_unless_seeded(data) -> None:
    words = ("--with", "pram", "--column", "job,town", "--set", "retention=0.3", "--set", "strata=country")
    one, two = masked(data, *words, "--seed", "1"), masked(data, *words, "--seed", "1")
    pd.testing.assert_frame_equal(one, two)
    assert not masked(data, *words).equals(masked(data, *words))


def test_everything_else_is_written_as_it_was_read(tmp_path: Path) -> None:
    text = "id;n;note\n007;12;1.50\n008;?;2.00\n009;18;\n"
    (tmp_path / "in.csv").write_text(text, encoding="utf-8")
    words = ("--with", "rounding", "--column", "n", "--missing", "?", "--out", tmp_path / "out.csv")
    told = sfumato("mask", tmp_path / "in.csv", *words, "--format", "json")
    assert (tmp_path / "out.csv").read_text() == "id;n;note\n007;10;1.50\n008;?;2.00\n009;20;\n"
    found = json.loads(told.stdout)
    assert (found["records"], found["columns"], found["mask"]) == (3, ["n"], {"name": "rounding"})


def test_parquet_and_given_columns(data) -> None:
    employees().to_pandas().to_parquet(data.with_suffix(".parquet"))
    out = data.parent / "out.parquet"
    words = ("--with", "shuffling", "--set", "given=age+years", "--column", "pay", "--out", out)
    result = sfumato("mask", data.with_suffix(".parquet"), *words)
    assert "Masked pay of 60 records by shuffling" in result.stdout
    assert "sfumato compare" in result.stdout
    assert sorted(pd.read_parquet(out)["pay"].dropna()) == sorted(pd.read_csv(data)["pay"].dropna())


def test_masks_as_written() -> None:
    assert str(parsed_mask("noise", ["share = 0.5"])) == "noise(share=0.5)"
    assert parsed_mask("record_swapping", ["keep=a+b"]).reads == ("a", "b")
    with pytest.raises(ParameterError, match="did you mean 'share'"):
        parsed_mask("noise", ["shar=1"])
    with pytest.raises(UsageError, match="name=value"):
        parsed_mask("noise", ["share"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--with", "nois", "--column", "age"), 2, "did you mean 'noise'"),
        (("--with", "noise", "--column", "agee"), 2, "did you mean 'age'"),
        (("--with", "noise", "--column", "age", "--set", "share=0"), 2, "'share' of Noise must be"),
        (("--with", "noise", "--column", "age", "--seed", "-1"), 2, "'seed' must be"),
        (("--with", "shuffling", "--column", "age", "--set", "given=ag"), 2, "no column 'ag'"),
        (("--with", "noise", "--column", "ill"), 4, "not numbers"),
        (("--with", "pram", "--column", "one"), 4, "at most one distinct value"),
    ],
)
def test_what_cannot_be_masked_is_refused(tmp_path: Path, words, code, said) -> None:
    path = canary_csv(tmp_path / "people.csv", one=[CANARIES[3]] * 12)
    assert said in refused(sfumato("mask", path, *words, "--out", tmp_path / "out.csv"), code)
    assert not (tmp_path / "out.csv").exists()


def test_the_data_is_never_overwritten(data) -> None:
    before = data.read_bytes()
    words = ("--with", "rounding", "--column", "age", "--out", data)
    assert "would overwrite" in refused(sfumato("mask", data, *words), 2)
    assert data.read_bytes() == before
