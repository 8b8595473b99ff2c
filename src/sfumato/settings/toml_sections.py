"""TOML files in sections: read into declared tables; every error names its place in the file and the nearest valid key.

The plan and the files of the gateway are read with it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.errors import UsageError, nearest

Text = Annotated[str, Field(min_length=1)]
Steps = Sequence[str | int]

_EXPECTED = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "finite_number": "a number",
    "date_type": "a date",
    "is_instance_of": "a day or a moment",
    "date_from_datetime_inexact": "a date without a time",
    "too_short": "given with at least one entry",
    "string_too_short": "a text that is not empty",
    "string_pattern_mismatch": "a name of small letters, digits and _",
}


class Section(BaseModel):
    """One table of a file: no unknown key, no silent conversion, no change after reading."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Whole = TypeVar("Whole", bound=Section)


def read_toml(path: Path, *, called: str, error: type[UsageError], hint: str = "") -> dict[str, Any]:
    """The tables of a file; refuses a file that is not UTF-8 or not TOML, with the line of the error."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeError:
        raise error(f"{called} {path.name!r} is not UTF-8 text.") from None
    except OSError:
        raise error(f"there is no readable {called} {str(path)!r}{hint}.") from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # RecursionError: deeply nested lists
        hinted = f"{problem}.{_toml_hint(text, str(problem))}"
        raise error(f"{called} {path.name!r} is not valid TOML: {hinted}") from None


def _toml_hint(text: str, problem: str) -> str:
    """What is probably wrong with the line that an error of TOML names; empty if nothing is recognized."""
    number = re.search(r"at line (\d+)", problem)
    lines = text.splitlines()
    line = lines[int(number[1]) - 1].strip() if number and int(number[1]) <= len(lines) else ""
    if line.startswith("[") and not re.fullmatch(r"\[+[A-Za-z0-9_.-]*\]*|.*[\"'].*", line):
        return ' Write a name with spaces or other signs in quotes: [columns."Full Name"].'
    value = line.partition("=")[2].strip()
    if value.startswith('"') and "\\" in value:
        return " Write a path of Windows in single quotes: 'C:\\data\\file.csv'."
    if re.match(r"[^\W\d]|[\\/~]", value):
        return ' Write texts in quotes: role = "quasi".'
    return ""


def validate_sections(
    whole: type[Whole], given: Mapping[str, Any], *, described: str, error: type[UsageError]
) -> Whole:
    """Validate all sections of a file; only the first error is reported, because others often follow from it."""
    try:
        return whole.model_validate(dict(given))
    except ValidationError as found:
        problems = found.errors(include_url=False, include_input=False)
        problem = next((item for item in problems if item["type"] == "extra_forbidden"), problems[0])
        sentence = _sentence(whole, problem["type"], problem["loc"], problem.get("ctx", {}))
        if _is_branch(whole, problem["loc"]):
            path = problem["loc"][:-1]
            alternatives = [_allowed(one["type"], one.get("ctx", {})) for one in problems if one["loc"][:-1] == path]
            sentence = f"{place(whole, path)} must be {', or '.join(dict.fromkeys(alternatives))}."
    raise error(f"{described}: {sentence}")


def place(whole: type[BaseModel], path: Steps) -> str:
    """The place of a key in the file, for messages: `[columns.age] role`, `[[models]] number 2, name`."""
    table, number, rest = _resolve(whole, path)[:3]
    if number is None:
        return " ".join([f"[{'.'.join(table)}]", *rest])
    return f"[[{'.'.join(table)}]] number {number + 1}" + "".join(f", {part}" for part in rest)


def _resolve(whole: type[BaseModel], path: Steps) -> tuple[list[str], int | None, list[str], type[BaseModel] | None]:
    """Resolve a path: the table, its number in a list, the keys below it, and the section class if it ends there."""
    section: type[BaseModel] | None = whole
    table: list[str] = []
    number: int | None = None
    steps = list(path)
    while steps and section is not None:
        field = section.model_fields.get(str(steps[0]))
        inner = None if field is None else _section_in(field.annotation)
        if inner is None:
            return table, number, [str(part) for part in steps], None
        table.append(str(steps.pop(0)))
        section, container = inner
        if container is list and steps and isinstance(steps[0], int):
            number = steps.pop(0)  # type: ignore[assignment]
        elif container is not None and steps:
            table.append(str(steps.pop(0)))
    return table, number, [str(part) for part in steps], section


def _section_in(annotation: Any) -> tuple[type[BaseModel], type | None] | None:
    """The section class of a field, and whether the field holds a list or a table of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, None
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return next((found for one in inner if (found := _section_in(one)) is not None), None)
    if origin in (list, tuple, dict):
        found = _section_in(inner[-1] if origin is dict else inner[0])
        return None if found is None else (found[0], dict if origin is dict else list)
    return None


def _is_branch(whole: type[BaseModel], path: Steps) -> bool:
    """Whether a path ends in one alternative of a union; pydantic reports one error for each alternative."""
    section = _resolve(whole, path[:-2])[3] if len(path) > 1 else None
    field = None if section is None else section.model_fields.get(str(path[-2]))
    options = (
        () if field is None or get_origin(field.annotation) not in (Union, UnionType) else get_args(field.annotation)
    )
    return len([one for one in options if one is not type(None)]) > 1


def _sentence(whole: type[BaseModel], kind: str, path: tuple[str | int, ...], context: Mapping[str, Any]) -> str:
    if kind == "extra_forbidden":
        section = _resolve(whole, path[:-1])[3]
        where = f"{place(whole, path[:-1])} has no key" if len(path) > 1 else "there is no section"
        return f"{where} {str(path[-1])!r}; {nearest(str(path[-1]), section.model_fields if section else ())}"
    if kind == "missing":
        name = str(path[-1])
        if len(path) > 1:
            return f"{place(whole, path[:-1])} needs {name!r}."
        field = whole.model_fields.get(name)
        if field is None or _section_in(field.annotation) is not None or get_origin(field.annotation) is dict:
            inner = None if field is None else _section_in(field.annotation)
            return f"the section {f'[[{name}]]' if inner is not None and inner[1] is list else f'[{name}]'} is missing."
        return f"{name!r} is missing; write {name} = ... above the first section."
    return _about_brackets(whole, kind, path) or f"{place(whole, path)} must be {_allowed(kind, context)}."


def _about_brackets(whole: type[BaseModel], kind: str, path: Steps) -> str:
    """The sentence for a single section instead of a list of them, or the other way round; empty for anything else."""
    field = whole.model_fields.get(str(path[-1])) if len(path) == 1 else None
    inner = None if field is None else _section_in(field.annotation)
    if inner is not None and kind == "list_type":
        return f"{place(whole, path)} is one of several sections; write [[{path[0]}]] with two brackets on each side."
    if inner is not None and inner[1] is None and kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{place(whole, path)} is a single section; write [{path[0]}] with one bracket on each side."
    return ""


def _allowed(kind: str, context: Mapping[str, Any]) -> str:
    if kind == "literal_error":
        return f"{'one of ' if ' or ' in context['expected'] else ''}{context['expected']}"
    limits = {
        "greater_than": ("a number above", "gt"),
        "greater_than_equal": ("a number of at least", "ge"),
        "less_than_equal": ("a number of at most", "le"),
        "string_too_long": ("a text no longer than", "max_length"),
        "too_long": ("a list no longer than", "max_length"),
    }
    if kind == "too_short" and context["min_length"] > 1:
        return f"a list of {context['min_length']}"
    if kind in limits:
        words, key = limits[kind]
        return f"{words} {context[key]:g}"
    return _EXPECTED.get(kind, "of another type")
