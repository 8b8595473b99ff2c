"""From TOML to sections, with every refusal in plain words: where, what is allowed, and the nearest right key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from sfumato.errors import PlanError, nearest
from sfumato.plan.sections import ColumnSection, Sections

_WORDS = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "finite_number": "a number",
    "too_short": "given with at least one entry",
    "string_too_short": "a text that is not empty",
}


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a plan file; what is not UTF-8 or not TOML is refused with its line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeError:
        raise PlanError(f"plan {path.name!r} is not UTF-8 text.") from None
    except OSError:
        raise PlanError(f"there is no readable plan {str(path)!r}; 'sfumato init FILE' writes one.") from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of numbers and lists beyond any measure
        raise PlanError(f"plan {path.name!r} is no valid TOML: {error}.") from None


def checked(given: Mapping[str, Any], described: str) -> Sections:
    """The sections of a plan; only the first fault is reported, the others would often follow from it."""
    try:
        return Sections.model_validate(dict(given))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        fault = next((item for item in faults if item["type"] == "extra_forbidden"), faults[0])
        sentence = _sentence(fault["type"], fault["loc"], fault.get("ctx", {}))
    raise PlanError(f"{described}: {sentence}")


def place(path: Sequence[str | int]) -> str:
    """Where in the file: `[columns.age] role`, `[[models]] number 2`.

    >>> place(("columns", "age", "role")), place(("models", 1, "name"))
    ('[columns.age] role', '[[models]] number 2, name')
    """
    if path and path[0] in ("models", "masks") and len(path) > 1:
        rest = "".join(f", {part}" for part in path[2:])
        return f"[[{path[0]}]] number {int(path[1]) + 1}{rest}"
    if path and path[0] == "columns":
        return " ".join([f"[{'.'.join(map(str, path[:2]))}]", *map(str, path[2:])])
    return " ".join([f"[{path[0] if path else ''}]", *map(str, path[1:])])


def _sentence(kind: str, path: tuple[str | int, ...], about: Mapping[str, Any]) -> str:
    if kind == "extra_forbidden":
        allowed = _keys_at(path[:-1])
        where = f"{place(path[:-1])} has no key" if len(path) > 1 else "there is no section"
        return f"{where} {str(path[-1])!r}; {nearest(str(path[-1]), allowed)}"
    if kind == "missing":
        name = str(path[-1])
        return f"{place(path[:-1])} needs {name!r}." if len(path) > 1 else f"the section [{name}] is missing."
    return f"{place(path)} must be {_allowed(kind, about)}."


def _allowed(kind: str, about: Mapping[str, Any]) -> str:
    if kind == "literal_error":
        return f"one of {about['expected']}"
    limits = {
        "greater_than_equal": ("a number of at least", "ge"),
        "less_than_equal": ("a number of at most", "le"),
        "string_too_long": ("a text no longer than", "max_length"),
    }
    if kind in limits:
        words, key = limits[kind]
        return f"{words} {about[key]:g}"
    return _WORDS.get(kind, "of another type")


def _keys_at(path: Sequence[str | int]) -> list[str]:
    """The keys that a section allows."""
    found: type[BaseModel] = Sections
    if path and path[0] == "columns":
        found = ColumnSection
    elif path:
        annotation = Sections.model_fields[str(path[0])].annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            found = annotation
    return list(found.model_fields)
