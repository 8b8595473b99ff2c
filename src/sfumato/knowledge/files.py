"""Knowledge as a TOML file: written for people to edit, and checked on reading; an error names its place in the file.

`Knowledge.read`, `write`, `of`, `to_dict` and `text` call this module.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import lru_cache, partial
from math import isfinite
from pathlib import Path
from typing import Any

import tomlkit

from sfumato.data.domain import written
from sfumato.errors import KnowledgeError
from sfumato.knowledge.item import Item, demand_distinct_names
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.rule import Rule
from sfumato.knowledge.sections import KnowledgeSections, NeverSection, place, read_sections

KINDS = {"never": "never", "likely": "likely", "share": "shares"}
"""Sections of the file, and the field of `Knowledge` that holds their rules."""

_EXACT = 2**53
"""Floats below this number represent every whole number, so a whole support is written as an integer."""
_TOP = """\
What somebody knows about a sensitive column. Change, remove and add rules freely: a rule needs 'when' and 'value', a
likely one and a share also 'share'; support, expectation and conviction only say what was measured."""
_SAID = {
    "named": "A name here stands for any of its values wherever a rule uses it for this column.",
    "never": "Nobody of whom everything in 'when' is true has the value; {} means everybody. A text is a value, an\n"
    'interval such as "[20, 25)", or a name from above; several are written as a list.',
    "likely": "Of those of whom everything in 'when' is true, a share has the value, more than by chance.",
    "share": "Of those of whom everything in 'when' is true, this share has the value.",
}


def read_knowledge(path: Path) -> Knowledge:
    """Read the rules of a file; an error names its place in the file."""
    described = f"the rules in {path.name!r}"
    try:
        # This encoding also accepts files with a byte order mark, which some editors add.
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeError:
        raise KnowledgeError(f"{described} are not UTF-8 text.") from None
    except OSError:
        raise KnowledgeError(
            f"there is no readable file of rules {str(path)!r}; 'sfumato knowledge mine FILE' makes one."
        ) from None
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # RecursionError: deeply nested lists
        raise KnowledgeError(f"{described} are no valid TOML: {error}.") from None
    return knowledge_of(given, described)


def knowledge_of(given: Mapping[str, Any], described: str) -> Knowledge:
    """Knowledge from plain tables with the keys of a file; error messages begin with `described`."""
    sections = read_sections(given, described)
    names = {
        (column, name): tuple(_plain(value, described, ("named", column, name)) for value in values)
        for column, inner in sections.named.items()
        for name, values in inner.items()
    }
    read = {kind: _rules(sections, key, names, described) for key, kind in KINDS.items()}
    # Names are checked now, not at the next writing, so that the error is reported for the file that has it.
    made = Knowledge(sections.sensitive, **read)
    try:
        _names(made)
    except KnowledgeError as error:
        raise KnowledgeError(f"{described}: {error}") from None
    return made


def tables_of(knowledge: Knowledge) -> dict[str, Any]:
    """Knowledge as plain tables with the keys of a file; keys with nothing to say are left out."""
    tables: dict[str, Any] = {"sensitive": knowledge.sensitive}
    named = _names(knowledge)
    if named:
        tables["named"] = named
    for key, kind in KINDS.items():
        rules = [_table(rule, key) for rule in getattr(knowledge, kind)]
        if rules:
            tables[key] = rules
    return tables


def knowledge_text(knowledge: Knowledge) -> str:
    """The rules as TOML, each kind under a comment that explains it.

    >>> print(knowledge_text(Knowledge("ill", (Rule((Item("sex", "M"),), "PMS"),))).split("#")[-1])
     interval such as "[20, 25)", or a name from above; several are written as a list.
    <BLANKLINE>
    [[never]]
    when = { sex = "M" }
    value = "PMS"
    <BLANKLINE>
    """
    tables = tables_of(knowledge)
    parts = [f"{_comment(_TOP)}\nsensitive = {_text(knowledge.sensitive)}"]
    if "named" in tables:
        parts.append(_comment(_SAID["named"]))
    for column, names in tables.get("named", {}).items():
        lines = [f"{_key(name)} = [{', '.join(map(_text, values))}]" for name, values in names.items()]
        parts.append("\n".join([f"[named.{_key(column)}]", *lines]))
    for key in KINDS:
        if key in tables:
            parts.append(_comment(_SAID[key]))
            parts += ["\n".join([f"[[{key}]]", *_lines(table)]) for table in tables[key]]
    return "\n\n".join(parts) + "\n"


def _rules(
    sections: KnowledgeSections, key: str, names: Mapping[tuple[str, str], tuple[str, ...]], described: str
) -> tuple[Rule, ...]:
    return tuple(
        _rule(section, names, described, (key, number)) for number, section in enumerate(getattr(sections, key))
    )


def _rule(
    section: NeverSection, names: Mapping[tuple[str, str], tuple[str, ...]], described: str, path: tuple[str | int, ...]
) -> Rule:
    when = tuple(
        _item(column, given, names, partial(_plain, described=described, path=(*path, "when", column)))
        for column, given in section.when.items()
    )
    value = _plain(section.value, described, (*path, "value"))
    return Rule(when, value, section.share, section.support, section.expectation, section.conviction)


def _item(
    column: str, given: Any, names: Mapping[tuple[str, str], tuple[str, ...]], plain: Callable[[Any], str]
) -> Item:
    # A list of one text means the text itself, so that both forms give equal items.
    if not isinstance(given, list) or len(given) == 1:
        text = plain(given[0] if isinstance(given, list) else given)
        return Item(column, text, names.get((column, text), ()))
    # An empty list covers no value; `plain` raises the error that names its place.
    texts = [plain(value) for value in given] or [plain(given)]
    values = [value for text in texts for value in names.get((column, text), (text,))]
    return Item(column, " or ".join(texts), tuple(dict.fromkeys(values)))


def _plain(value: Any, described: str, path: tuple[str | int, ...]) -> str:
    """A value as text in the form that data uses: texts unchanged, 30.0 as 30, a date as 2024-01-31."""
    if isinstance(value, str):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value):
        return str(value) if isinstance(value, int) else written(value)
    kinds = "text in quotes, a number or a date" + (", or a list of these" if "when" in path else "")
    raise KnowledgeError(f"{described}: {place(path)} must be {kinds}.")


def _names(knowledge: Knowledge) -> dict[str, dict[str, list[str]]]:
    """The names that stand for several values, by column; refuses one name for two sets, which a file cannot hold."""
    items: dict[str, dict[Item, None]] = {}
    for kind in KINDS.values():
        for rule in getattr(knowledge, kind):
            for item in rule.when:
                items.setdefault(item.column, {})[item] = None
    for column, used in items.items():
        demand_distinct_names(column, tuple(used))
    found = {column: {item.text: list(item.values) for item in used if item.values} for column, used in items.items()}
    return {column: names for column, names in found.items() if names}


def _table(rule: Rule, key: str) -> dict[str, Any]:
    table: dict[str, Any] = {"when": {item.column: item.text for item in rule.when}, "value": rule.value}
    if key != "never" or rule.share:
        table["share"] = float(rule.share)
    if rule.support is not None:
        whole = float(rule.support).is_integer() and rule.support < _EXACT
        table["support"] = int(rule.support) if whole else float(rule.support)
    for name in ("expectation", "conviction"):
        if getattr(rule, name) is not None:
            table[name] = float(getattr(rule, name))
    return table


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one rule; numbers as their shortest exact decimals."""
    when = ", ".join(f"{_key(column)} = {_text(text)}" for column, text in table["when"].items())
    yield f"when = {{ {when} }}" if when else "when = {}"
    yield f"value = {_text(table['value'])}"
    yield from (f"{name} = {table[name]!r}" for name in table if name not in ("when", "value"))


def _comment(text: str) -> str:
    return "\n".join(f"# {line}" for line in text.splitlines())


@lru_cache(maxsize=4096)
def _text(text: str) -> str:
    return tomlkit.string(text).as_string()


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    return tomlkit.key(name).as_string()
