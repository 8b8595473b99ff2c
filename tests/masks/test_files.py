from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sfumato.errors import DataError, PlanError, SchemaError
from sfumato.masks import Coding, CorrelatedNoise, Noise, RankSwapping, Rounding
from sfumato.masks.files import mask_file
from sfumato.plan import Plan

PLAN = {
    "data": {"path": "in.csv", "missing": ["?"]},
    "columns": {"age": {"role": "quasi", "type": "number"}, "pay": {"role": "sensitive"}},
    "masks": [{"name": "noise", "columns": ["pay"], "share": 0.2}],
    "models": [{"name": "k_anonymity", "k": 3}],
    "output": {"path": "out.csv", "report": "out.html", "certificate": "out.json"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ["age,pay,other", *(f"{20 + n},{'?' if n == 3 else 1000 + 37 * n},0{n}" for n in range(12))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_masks_are_applied_one_after_the_other(folder: Path) -> None:
    steps = [(Noise(share=0.1), ["pay"]), (Coding(top=1200.0), ["pay"])]
    records = mask_file(folder / "in.csv", steps, folder / "masked.csv", seed=1, missing=("?",))
    before, after = (pd.read_csv(folder / name, dtype=str) for name in ("in.csv", "masked.csv"))
    assert records == 12
    assert after[["age", "other"]].equals(before[["age", "other"]])
    assert after["pay"][3] == "?"
    paid = after["pay"].drop(3).astype(float)
    assert paid.max() == 1200
    assert (paid.to_numpy() != before["pay"].drop(3).astype(float).to_numpy()).all()


def test_a_column_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(SchemaError, match="allowed: age, other, pay"):
        mask_file(folder / "in.csv", [(RankSwapping(), ["paid"])], folder / "masked.csv")
    assert not (folder / "masked.csv").exists()


def test_numbers_that_overflow_are_refused_not_published_as_they_were(tmp_path: Path) -> None:
    """The largest number there is makes every covariance infinite."""
    (tmp_path / "in.csv").write_text("pay,age\n100,20\n107,21\n1.7976931348623157e308,23\n128,24\n", encoding="utf-8")
    (tmp_path / "tiny.csv").write_text("pay\n1\n2\n4\n", encoding="utf-8")
    for mask in (CorrelatedNoise(), Noise()):
        with pytest.raises(DataError, match="'pay'"):
            mask_file(tmp_path / "in.csv", [(mask, ["pay", "age"])], tmp_path / "out.csv")
    with pytest.raises(DataError, match="not finite"), np.errstate(all="ignore"):
        mask_file(tmp_path / "tiny.csv", [(Rounding(base=1e-320), ["pay"])], tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_two_steps_with_one_seed_draw_differently(folder: Path) -> None:
    (folder / "twins.csv").write_text("a,b\n" + "".join(f"{n},{n}\n" for n in range(0, 9000, 1000)), encoding="utf-8")
    mask_file(folder / "twins.csv", [(Noise(), ["a"]), (Noise(), ["b"])], folder / "out.csv", seed=1)
    written = pd.read_csv(folder / "out.csv")
    assert (written["a"] != written["b"]).all()


@pytest.mark.parametrize("role", ["waiver", "identifier"])
def test_what_people_decided_is_not_masked(folder: Path, role: str) -> None:
    plan = {
        **PLAN,
        "columns": {**PLAN["columns"], "other": {"role": role}},
        "masks": [{"name": "pram", "columns": ["other"]}],
    }
    with pytest.raises(PlanError, match=f"role {role}"):
        Plan.of(plan, folder).run()


def test_a_plan_masks_before_it_decides(folder: Path) -> None:
    outcome = Plan.of(PLAN, folder).run()
    written, before = (pd.read_csv(folder / name, dtype=str) for name in ("out.csv", "in.csv"))
    known = before["pay"] != "?"
    assert (written["pay"][known] != before["pay"][known]).mean() > 0.5  # a rounded draw may be nothing
    assert written["pay"][~known].tolist() == ["?"]
    assert written.groupby("age").size().min() >= 3
    assert outcome.release.provenance["masks"] == [{"name": "noise", "share": 0.2, "columns": ["pay"]}]
    assert "masked by noise before the algorithm ran" in (folder / "out.html").read_text(encoding="utf-8")
    assert '"name": "noise"' in (folder / "out.json").read_text(encoding="utf-8")


def test_chance_is_not_repeated(folder: Path) -> None:
    told = []
    for _ in range(2):
        Plan.of(PLAN, folder).run()
        told.append((folder / "out.csv").read_text(encoding="utf-8"))
    assert told[0] != told[1]


def test_quasi_columns_can_be_masked_too(folder: Path) -> None:
    coded = {"name": "coding", "columns": ["age"], "top": 25.0}
    Plan.of({**PLAN, "masks": [coded], "algorithm": {"name": "mdav"}}, folder).run()
    written = pd.read_csv(folder / "out.csv")
    assert written["age"].max() <= 25
    assert written.groupby("age").size().min() >= 3


@pytest.mark.parametrize(
    ("mask", "told"),
    [
        ({"name": "nois", "columns": ["pay"]}, "did you mean 'noise'"),
        ({"name": "noise", "columns": ["pay"], "shared": 1}, "no setting 'shared'"),
        ({"name": "noise"}, "columns"),
        ({"name": "noise", "columns": []}, "columns"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(folder: Path, mask: dict, told: str) -> None:
    with pytest.raises(PlanError, match=r"\[\[masks\]\] number 1") as caught:
        Plan.of({**PLAN, "masks": [mask]}, folder).run()
    assert told in str(caught.value)
    assert not (folder / "out.csv").exists()


def test_numbers_in_another_notation_are_masked_and_written_in_the_standard_one(tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("name;pay\nAnn;1.250,50\nBob;?\nCid;900,00\nDan;1.000,00\n")
    mask_file(tmp_path / "pay.csv", [(Rounding(base=100), ["pay"])], tmp_path / "out.csv", missing=["?"])
    assert (tmp_path / "out.csv").read_text() == "name;pay\nAnn;1300\nBob;?\nCid;900\nDan;1000\n"


def test_masked_numbers_have_the_decimals_of_their_column(tmp_path: Path) -> None:
    rows = "".join(f"{20 + place},{1000.5 + place},{place / 7}\n" for place in range(50))
    (tmp_path / "pay.csv").write_text(f"age,pay,share\n{rows}")
    steps = [(Noise(share=0.5), ["age", "share"]), (CorrelatedNoise(share=0.5), ["pay"])]
    mask_file(tmp_path / "pay.csv", steps, tmp_path / "out.csv", seed=1)
    before, after = pd.read_csv(tmp_path / "pay.csv"), pd.read_csv(tmp_path / "out.csv")
    assert after["age"].dtype == np.int64
    assert ((after["pay"] * 10) % 1 == 0).all()
    assert (after["pay"] != before["pay"]).mean() > 0.9
    assert len(str(after["share"][3])) > 10  # results of computation are not rounded
    assert abs(after["age"].mean() - before["age"].mean()) < 5


def test_a_plan_masks_numbers_in_their_notation(tmp_path: Path) -> None:
    """Without its notation, `1.234` is a number between one and two."""
    rows = "".join(f"{20 + place // 5};1.{200 + 10 * place}\n" for place in range(20))
    (tmp_path / "in.csv").write_text(f"age;pay\n{rows}", encoding="utf-8")
    masks = [{"name": "rounding", "columns": ["pay"], "base": 100}, {"name": "coding", "columns": ["pay"], "top": 1300}]
    columns = {"age": {"role": "quasi"}, "pay": {"role": "sensitive", "format": "1.234,5"}}
    data = {"path": "in.csv", "separator": ";"}
    Plan.of({**PLAN, "data": data, "columns": columns, "masks": masks}, tmp_path).run()
    assert set(pd.read_csv(tmp_path / "out.csv", sep=";")["pay"]) == {1200, 1300}
