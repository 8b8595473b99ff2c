from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from sfumato.errors import PlanError, PolicyError
from sfumato.settings.toml_sections import Section, Text, place, read_toml, validate_sections


class Leaf(Section):
    width: Annotated[int, Field(ge=1)]
    seen: bool | Literal["by day"] | None = None


class Branch(Section):
    name: Text
    leaves: list[Leaf] = []
    main: Leaf | None = None


class Tree(Section):
    branches: dict[str, Branch] = {}
    twigs: tuple[Leaf, ...] = ()
    height: float
    trunk: Leaf | None = None
    seen: bool | Literal["at night"] | None = None
    ends: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ((), "[]"),
        (("height",), "[] height"),
        (("branches", "low", "name"), "[branches.low] name"),
        (("branches", "low"), "[branches.low]"),
        (("branches", "low", "main", "width"), "[branches.low.main] width"),
        (("branches", "low", "leaves", 1, "width"), "[[branches.low.leaves]] number 2, width"),
        (("twigs", 0, "width"), "[[twigs]] number 1, width"),
    ],
)
def test_places(path, said) -> None:
    assert place(Tree, path) == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "'height' is missing; write height = ... above the first section."),
        ({"height": 1.0, "twgs": []}, "there is no section 'twgs'; did you mean 'twigs'?"),
        ({"height": 1.0, "branches": {"a": {"nmae": "x"}}}, "[branches.a] has no key 'nmae'; did you mean 'name'?"),
        ({"height": 1.0, "branches": {"a": {}}}, "[branches.a] needs 'name'"),
        ({"height": 1.0, "trunk": {}}, "[trunk] needs 'width'."),
        ({"height": 1.0, "trunk": {"wdth": 2}}, "[trunk] has no key 'wdth'; did you mean 'width'?"),
        ({"height": 1.0, "branches": {"a": {"name": ""}}}, "[branches.a] name must be a text that is not empty"),
        ({"height": 1.0, "twigs": ({"width": 0},)}, "[[twigs]] number 1, width must be a number of at least 1"),
        ({"height": "tall"}, "must be a number"),
        ({"height": 1.0, "seen": "often"}, "[] seen must be true or false, or 'at night'."),
        (
            {"height": 1.0, "branches": {"a": {"name": "x", "main": {"width": 1, "seen": "often"}}}},
            "[branches.a.main] seen must be true or false, or 'by day'.",
        ),
        ({"height": 1.0, "ends": [1.0]}, "[] ends must be a list of 2."),
        ({"height": 1.0, "ends": [1.0, 2.0, 3.0]}, "[] ends must be a list no longer than 2."),
    ],
)
def test_refusals_say_where_and_what(given, said) -> None:
    with pytest.raises(PolicyError, match=r"^policy: ") as refusal:
        validate_sections(Tree, given, described="policy", error=PolicyError)
    assert said in str(refusal.value)


@pytest.mark.parametrize("content", [b"a = 1\na = 2\n", b"a = ", b"\xff\xfe"])
def test_what_is_no_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.toml").write_bytes(content)
    with pytest.raises(PlanError, match=r"plan 'p\.toml'"):
        read_toml(tmp_path / "p.toml", called="plan", error=PlanError)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"no readable policy .*; write one"):
        read_toml(tmp_path / "p.toml", called="policy", error=PolicyError, hint="; write one")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("role = quasi", ' Write texts in quotes: role = "quasi".'),
        ("path = /data/x.csv", ' Write texts in quotes: role = "quasi".'),
        ("[columns.Full Name]", ' Write a name with spaces or other signs in quotes: [columns."Full Name"].'),
        ("[columns.Größe]", ' Write a name with spaces or other signs in quotes: [columns."Full Name"].'),
        (r'path = "C:\Users\x.csv"', r" Write a path of Windows in single quotes: 'C:\data\file.csv'."),
        ("k = 5 5", ""),
        ("[", ""),
    ],
)
def test_invalid_toml_gets_a_hint(tmp_path: Path, line: str, hint: str) -> None:
    (tmp_path / "p.toml").write_text(f"first = 1\n{line}\n", encoding="utf-8")
    with pytest.raises(PlanError) as caught:
        read_toml(tmp_path / "p.toml", called="plan", error=PlanError)
    assert str(caught.value).endswith(f").{hint}")
    assert "at line 2" in str(caught.value)
