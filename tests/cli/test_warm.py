"""Compiling ahead, in processes of their own: what is compiled belongs to a process and to a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.cli import warm_tasks
from sfumato.cli.warm import _in_turn
from tests.cli.commands import refused, sfumato


def run(folder: Path, *words: str) -> dict[str, object]:
    """What the command says, where the cache is in that folder."""
    command = [sys.executable, "-m", "sfumato", "warm", *words, "--format", "json"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(told.stdout)


def test_what_several_processes_compiled_is_there_the_next_time(tmp_path: Path) -> None:
    """Of the things that can be warmed, these two have the fewest loops."""
    first = run(tmp_path, "aggregates", "masks", "--jobs", "2")
    assert first["folder"] == str(tmp_path)
    assert (first["algorithms"], first["tasks"]) == ([], ["aggregates", "masks"])
    assert first["loops"] == len(list(tmp_path.rglob("*.nbc"))) > 2
    compiled = {file.name.partition("-")[0] for file in tmp_path.rglob("*.nbc")}
    assert {"residue_rows.multiply", "residue_rows.subtract", "rank_swapping.partners"} <= compiled
    assert run(tmp_path, "masks", "aggregates", "--jobs", "1")["loops"] == 0


def test_an_algorithm_is_warmed_by_publishing_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once with every model that it serves, and once with every choice of a setting."""
    plans: list[dict[str, object]] = []
    monkeypatch.setattr("sfumato.cli.warm._can_publish", lambda plan, folder: plans.append(plan) or True)
    assert "1 algorithms in" in sfumato("warm", "mondrian", "--jobs", "1").stdout
    assert {plan["algorithm"]["name"] for plan in plans} == {"mondrian"}
    assert {"name": "mondrian", "cut": "median"} in [plan["algorithm"] for plan in plans]
    assert ["k_anonymity", "distinct_l_diversity"] in [[one["name"] for one in plan["models"]] for plan in plans]


def test_families_take_turns_and_none_is_forgotten() -> None:
    modules = {"a": "one.a", "b": "one.b", "c": "one.c", "x": "two.x", "y": "two.y", "z": "three.z"}
    assert _in_turn(modules) == ["a", "x", "z", "b", "y", "c"]


def test_it_clears_before_it_compiles_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr("sfumato.kernels.compiled.clear_cache", lambda: done.append("clear") or 7)
    monkeypatch.setattr("sfumato.cli.warm._publish_examples", lambda algorithm: done.append(algorithm.name()))
    assert "Removed 7 files. " in sfumato("warm", "mdav", "--clear").stdout
    assert done == ["clear", "mdav"]
    assert "Removed" not in sfumato("warm", "mdav").stdout
    assert done == ["clear", "mdav", "mdav"]


def test_without_a_folder_to_keep_them_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.kernels.compiled.cache_folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in refused(sfumato("warm", "anatomy"), 4)


@pytest.mark.parametrize(("wrong", "right"), [("mondrain", "mondrian"), ("learner", "learners")])
def test_an_unknown_name_is_refused_with_the_nearest(wrong: str, right: str) -> None:
    assert f"did you mean '{right}'?" in refused(sfumato("warm", wrong), 2)


def test_the_text_says_where_the_loops_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr("sfumato.kernels.compiled.cache_folder", lambda: tmp_path)
    monkeypatch.setattr("sfumato.cli.warm._publish_examples", lambda algorithm: done.append(algorithm.name()))
    for task in warm_tasks.TASKS:
        monkeypatch.setitem(warm_tasks.TASKS, task, lambda task=task: done.append(task))
    said = sfumato("warm", "--jobs", "1").stdout
    assert f"below {tmp_path}" in said
    assert " algorithms, masks, learners, knowledge, insertion, aggregates in " in said
    assert {"mondrian", "mdav", "k_member", "anatomy", *warm_tasks.TASKS} <= set(done)
