"""Writes plan files: TOML with comments. `Plan.write` and `drafting` call it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sfumato.runtime.atomic_files import write_text

Comments = Mapping[tuple[str, ...], str]
"""The comment above each section: ("columns", "age") is `[columns.age]`, () is the top of the file."""


def write_plan(tables: Mapping[str, Any], path: Path) -> Path:
    """Write the sections of a plan; an existing plan file keeps its comments and the order of its keys."""
    document = _existing(path)
    if document is None:
        return write_text(plan_text(tables), path)
    _update(document, tables)
    return write_text(tomlkit.dumps(document), path)


def plan_text(tables: Mapping[str, Any], comments: Comments | None = None) -> str:
    """The text of a plan file: the sections in the given order, each below its comment.

    >>> print(plan_text({"run": {"seed": 7}}, {("run",): "makes the run repeatable"}), end="")
    # makes the run repeatable
    [run]
    seed = 7
    """
    texts = dict(comments or {})
    parts = [_comment(texts[()])] if () in texts else []
    for where, header, table in _sections(tables):
        lines = [f"{_key(name)} = {_value(value).as_string()}" for name, value in table.items()]
        parts.append("\n".join([*filter(None, [_comment(texts.get(where, ""))]), header, *lines]))
    return "\n\n".join(parts) + "\n"


def _sections(tables: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str, Mapping[str, Any]]]:
    """The key of each section in `Comments`, its header line and its values."""
    for name, table in tables.items():
        if name == "columns":
            for column, inner in table.items():
                yield (name, column), f"[{name}.{_key(column)}]", inner
        elif isinstance(table, Mapping):
            yield (name,), f"[{name}]", table
        else:
            for number, inner in enumerate(table):
                yield (name, str(number)), f"[[{name}]]", inner


def _comment(text: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())


def _key(name: str) -> str:
    return tomlkit.key(name).as_string()


def _value(value: Any) -> Any:
    """A value written on one line: dictionaries as inline tables, lists in brackets."""
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for name, inner in value.items():
            table.append(name, _value(inner))
        return table
    if isinstance(value, Sequence) and not isinstance(value, str):
        array = tomlkit.array()
        array.extend([_value(inner) for inner in value])
        return array
    return tomlkit.item(value)


def _existing(path: Path) -> tomlkit.TOMLDocument | None:
    """The plan file that exists at a path; None if there is none or it is not valid TOML."""
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, TOMLKitError):
        return None


def _update(document: MutableMapping[str, Any], tables: Mapping[str, Any]) -> None:
    """Change a document to the given values key by key, so that comments of unchanged keys stay."""
    for name in [name for name in document if name not in tables]:
        del document[name]
    for name, value in tables.items():
        if name in document and isinstance(value, Mapping) and isinstance(document[name], MutableMapping):
            _update(document[name], value)
        elif name not in document or document[name] != value:
            document[name] = value
