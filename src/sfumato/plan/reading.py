"""Reads plan files: from TOML to validate_plan sections. `Plan` calls it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import PlanError
from sfumato.plan.sections import Sections
from sfumato.settings import toml_sections as sections
from sfumato.settings.toml_sections import Steps


def read_toml(path: Path) -> dict[str, Any]:
    """The sections of a plan file as dictionaries; a file that is not UTF-8 or not TOML is refused with the line."""
    return sections.read_toml(path, called="plan", error=PlanError, hint="; 'sfumato init FILE' writes one")


def validate_plan(given: Mapping[str, Any], described: str) -> Sections:
    """The validated sections; only the first error is reported, because others often follow from it."""
    return sections.validate_sections(Sections, given, described=described, error=PlanError)


def place(path: Steps) -> str:
    """The place of a setting in the file, for messages: `[columns.age] role`, `[[models]] number 2`.

    >>> place(("columns", "age", "role")), place(("models", 1, "name"))
    ('[columns.age] role', '[[models]] number 2, name')
    """
    return sections.place(Sections, path)
