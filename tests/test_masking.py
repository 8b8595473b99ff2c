from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sfumato.errors import PlanError, SchemaError
from sfumato.masking import Dialect, mask_file
from sfumato.masks import Coding, Noise, RankSwapping
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
    records = mask_file(folder / "in.csv", steps, folder / "masked.csv", seed=1, dialect=Dialect(missing=("?",)))
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


def test_a_plan_masks_before_it_decides(folder: Path) -> None:
    outcome = Plan.of(PLAN, folder).run()
    written, before = (pd.read_csv(folder / name, dtype=str) for name in ("out.csv", "in.csv"))
    known = before["pay"] != "?"
    assert (written["pay"][known] != before["pay"][known]).all()
    assert written["pay"][~known].tolist() == ["?"]
    assert written.groupby("age").size().min() >= 3
    assert outcome.release.provenance["masks"] == [{"name": "noise", "share": 0.2, "columns": ["pay"]}]
    assert "went through noise" in (folder / "out.html").read_text(encoding="utf-8")
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
