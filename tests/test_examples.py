"""Every example runs as it is, once, and says what it is there to say."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SENTENCES = {
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
"""The exit code of every example, and something that it prints."""


def groups_hide_people_that_noise_does_not(output: str) -> None:
    found = {
        name: float(share) for name, share in re.findall(r"^(\w+): .* ([\d.]+)% of the people found", output, re.M)
    }
    lost = {name: float(share) for name, share in re.findall(r"^(\w+): ([\d.]+) % of the variation", output, re.M)}
    assert max(found["mdav"], found["partition_improver"]) <= 20 < found["noise"]
    assert lost["partition_improver"] < lost["mdav"]


def several_attackers_are_each_kept_apart(output: str) -> None:
    """The example asks for k = 20 against the neighbour and k = 5 against the employer."""
    sizes = {name: int(size) for name, size in re.findall(r"the (\w+) cannot tell (\d+) people", output)}
    assert sizes["neighbour"] >= 20
    assert sizes["employer"] >= 5


def whole_columns_lose_more_than_groups(output: str) -> None:
    losses = re.findall(r"(full-domain|mondrian): .* NCP ([\d.]+)", output)
    loss = {name: float(value) for name, value in losses}
    assert loss["mondrian"] < loss["full-domain"]


def a_target_keeps_records_predictable(output: str) -> None:
    """Masking for the target errs less than masking that knows of none, and less than leaving the columns out."""
    wrong = {name: float(share) for name, share in re.findall(r"^(\w+): ([\d.]+)% wrong", output, re.MULTILINE)}
    assert wrong["top_down_refinement"] < wrong["mondrian"]
    masked, without = (float(re.search(rf"{name} +([\d.]+) %", output)[1]) for name in (r"\(AE, CE\)", r"\(UE\)"))
    assert masked < without


def who_knows_less_is_shown_more(output: str) -> None:
    """Protecting against two known attributes tells records apart better than protecting against all of them."""
    found = re.findall(
        r"^(\w+), against who knows ([\w ]+): \d+ labels, discernibility ratio ([\d.]+)", output, re.MULTILINE
    )
    ratio = {(need, knows): float(value) for need, knows, value in found}
    for need in ("prediction", "counting"):
        assert ratio[need, "two attributes"] < ratio[need, "everything"]


CLAIMS: dict[str, Callable[[str], None]] = {
    "means_of_groups.py": groups_hide_people_that_noise_does_not,
    "several_quasi_identifiers.py": several_attackers_are_each_kept_apart,
    "full_domain.py": whole_columns_lose_more_than_groups,
    "classifier.py": a_target_keeps_records_predictable,
    "blood_transfusion.py": who_knows_less_is_shown_more,
}
"""What follows from the figures that an example prints."""


@pytest.mark.parametrize("script", sorted(SENTENCES))
def test_it_runs_and_leaves_nothing_behind(script: str, tmp_path: Path) -> None:
    code, sentence = SENTENCES[script]
    command = [sys.executable, "-W", "error", str(EXAMPLES / script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert sentence in done.stdout
    assert list(tmp_path.iterdir()) == []
    if script in CLAIMS:
        CLAIMS[script](done.stdout)


def test_every_example_is_run_and_listed() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == set(SENTENCES)
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"({script})" in index for script in scripts)
