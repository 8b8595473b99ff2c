"""Every example runs as it is, and says what it is there to say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
TOLD = {
    "publish_a_frame.py": (0, "same index: True - names gone: True"),
    "check_somebody_elses_file.py": (1, "distinct_l_diversity(l=2): fails for 3 records"),
    "full_domain.py": (0, "levels: {'sex':"),
    "several_quasi_identifiers.py": (0, "the employer cannot tell"),
    "blood_transfusion.py": (0, "prediction, against who knows two attributes"),
    "background_knowledge.py": (0, "injector: the diagnosis of 0.0% of the patients is certain"),
    "means_of_groups.py": (0, "partition_improver: "),
    "gateway_on_postgres.py": (0, "certainly more than 25,000: ['Ron']"),
    "classifier.py": (0, "the masking was decided on training records alone"),
}


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(EXAMPLES / script)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("script", sorted(TOLD))
def test_it_runs_and_leaves_nothing_behind(script: str, tmp_path: Path) -> None:
    code, sentence = TOLD[script]
    told = run(script, tmp_path)
    assert (told.returncode, told.stderr) == (code, "")
    assert sentence in told.stdout
    assert list(tmp_path.iterdir()) == []


def test_groups_hide_people_that_noise_does_not(tmp_path: Path) -> None:
    told = run("means_of_groups.py", tmp_path).stdout
    found = {name: float(share) for name, share in re.findall(r"^(\w+): .* ([\d.]+)% of the people found", told, re.M)}
    lost = {name: float(share) for name, share in re.findall(r"^(\w+): ([\d.]+) % of the variation", told, re.M)}
    assert max(found["mdav"], found["partition_improver"]) <= 20 < found["noise"]
    assert lost["partition_improver"] < lost["mdav"]


def test_several_attackers_are_each_kept_apart(tmp_path: Path) -> None:
    """The example asks for k = 20 against the neighbour and k = 5 against the employer."""
    found = re.findall(r"the (\w+) cannot tell (\d+) people", run("several_quasi_identifiers.py", tmp_path).stdout)
    sizes = {name: int(size) for name, size in found}
    assert sizes["neighbour"] >= 20
    assert sizes["employer"] >= 5


def test_whole_columns_lose_more_than_groups(tmp_path: Path) -> None:
    losses = re.findall(r"(full-domain|mondrian): .* NCP ([\d.]+)", run("full_domain.py", tmp_path).stdout)
    loss = {name: float(value) for name, value in losses}
    assert loss["mondrian"] < loss["full-domain"]


def test_a_target_keeps_records_predictable(tmp_path: Path) -> None:
    """Masking for the target errs less than masking that knows of none, and less than leaving the columns out."""
    told = run("classifier.py", tmp_path).stdout
    wrong = {name: float(share) for name, share in re.findall(r"^(\w+): ([\d.]+)% wrong", told, re.MULTILINE)}
    assert wrong["top_down_refinement"] < wrong["mondrian"]
    masked, without = (float(re.search(rf"{name} +([\d.]+) %", told)[1]) for name in (r"\(AE, CE\)", r"\(UE\)"))
    assert masked < without


def test_who_knows_less_is_told_more(tmp_path: Path) -> None:
    """Protecting against two known attributes tells records apart better than protecting against all of them."""
    told = run("blood_transfusion.py", tmp_path).stdout
    found = re.findall(
        r"^(\w+), against who knows ([\w ]+): \d+ labels, discernibility ratio ([\d.]+)", told, re.MULTILINE
    )
    ratio = {(need, knows): float(value) for need, knows, value in found}
    for need in ("prediction", "counting"):
        assert ratio[need, "two attributes"] < ratio[need, "everything"]


def test_every_example_is_run_and_listed() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == set(TOLD)
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"({script})" in index for script in scripts)
