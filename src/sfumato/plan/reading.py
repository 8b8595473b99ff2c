"""From TOML to the sections of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import PlanError
from sfumato.plan.sections import Sections
from sfumato.settings import toml_sections as sections
from sfumato.settings.toml_sections import Steps


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a plan file; what is not UTF-8 or not TOML is refused with its line."""
    return sections.read_toml(path, called="plan", error=PlanError, hint="; 'sfumato init FILE' writes one")


def checked(given: Mapping[str, Any], described: str) -> Sections:
    """The sections of a plan; only the first fault is reported, the others would often follow from it."""
    return sections.validate_sections(Sections, given, described=described, error=PlanError)


def place(path: Steps) -> str:
    """Where in the file: `[columns.age] role`, `[[models]] number 2`.

    >>> place(("columns", "age", "role")), place(("models", 1, "name"))
    ('[columns.age] role', '[[models]] number 2, name')
    """
    return sections.place(Sections, path)
