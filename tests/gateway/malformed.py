"""Statements and policies that somebody spoiled: cut, doubled and swapped parts of good ones, and noise."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from typing import Any

from tests.gateway import kabir
from tests.gateway.questions import Questions

_WORDS = re.compile(r"\s+|\w+|'[^']*'|\"[^\"]*\"|.", re.DOTALL)
_STRANGE = [
    "'", '"', "$$", "--", "/*", "*/", ";", "(", ")", "((", "::", "\x00", "\\", "%", "?", "$1", "$0", "$99999999999",
    ":x", "@x",
    "é", "ＳＥＬＥＣＴ", "ｉd", "іd", "\u202e", "\ud7ff", "\U0001f600", "\u0000", "1e999", "-",
    "99999999999999999999999999",
    "0x1G",
    "NULL", "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "OVER", "CASE", "END", "JOIN", "ON", "USING", "AS",
    "IN", "BETWEEN",
    "UNION", "EXCEPT", "WITH", "RECURSIVE", "LATERAL", "VALUES", "EXISTS", "ALL", "ANY", "FILTER", "WITHIN",
    "INTERVAL '1' DAY",
    "CAST(", "COLUMNS(*)", "[1]", "{}", "x -> 1", "lo(", "exact()", "FOR PURPOSE", "person", "visit", "\"income.lo\"",
    "LIMIT", "*",
    "TRY_CAST(1 AS INT)", "ARRAY[1]", "(VALUES (1))", "E'\\n'", "U&'\\0041'", "b'1'", "x'0'", "DATE 'x'", "IS", "NOT",
    "DISTINCT ON",
    "COLLATE", "ESCAPE", "SIMILAR TO", "~", "~~", "||", "<=>", "<->", "#>>", ".", "..", "t.", ".x",
    "FETCH FIRST 1 ROW ONLY",
]  # fmt: skip


def statement(chance: random.Random) -> str:
    """A statement with something wrong about it, most of the time."""
    if chance.random() < 0.05:
        return "".join(
            chr(chance.choice([32, 39, 40, chance.randrange(1, 0xD7FF)])) for _ in range(chance.randrange(60))
        )
    text = Questions(chance.randrange(1 << 30), monotone=chance.random() < 0.4).next()
    words = _WORDS.findall(text)
    for _ in range(chance.choice([1, 1, 2, 4])):
        words = chance.choice(_SPOILED)(words, chance)
    return "".join(words)


def _cut(words: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(words) + 1)
    return words[:start] + words[start + chance.choice([1, 1, 3, 10, 1000]) :]


def _doubled(words: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(words) + 1)
    part = words[start : start + chance.choice([1, 3, 10])]
    return words[:start] + part * chance.choice([2, 2, 3, 80]) + words[start:]


def _swapped(words: list[str], chance: random.Random) -> list[str]:
    found = list(words)
    if found:
        one, other = chance.randrange(len(found)), chance.randrange(len(found))
        found[one], found[other] = found[other], found[one]
    return found


def _strewn(words: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(words) + 1)
    return [*words[:start], f" {chance.choice(_STRANGE)} ", *words[start + chance.choice([0, 1]) :]]


def _mistaken(words: list[str], chance: random.Random) -> list[str]:
    """Another word of the same sort, so that the grammar is kept and the sense is not."""
    found = list(words)
    named = [place for place, word in enumerate(words) if any(word.lower() in sort for sort in _SORTS)]
    for place in chance.sample(named, k=min(len(named), chance.choice([1, 2, 4]))):
        sort = next(sort for sort in _SORTS if found[place].lower() in sort)
        found[place] = chance.choice(sort)
    return found


def _nested(words: list[str], chance: random.Random) -> list[str]:
    times = chance.choice([5, 30, 200])
    opening, closing = chance.choice(
        [("(", ")"), ("NOT ", ""), ("SELECT * FROM (", ") x"), ("-", ""), ("CASE WHEN ", " END")]
    )
    return [opening * times, *words, closing * times]


def _glued(words: list[str], chance: random.Random) -> list[str]:
    return [word for word in words if not word.isspace() or chance.random() < 0.7]


_SORTS = [
    ["person", "visit", "persons", "information_schema", "pg_class", "duckdb_tables", "customer", "w", "range"],
    ["p", "v", "q", "t", "n", "s", "c0", "c"],
    ["id", "age", "income", "name", "town", "visit", "person", "cost", "ward", "rowid", "ctid", "idd", "oid", "*"],
    ["sum", "min", "max", "avg", "count", "stddev", "list", "array_agg", "string_agg", "median", "mode", "bool_or"],
    ["abs", "round", "floor", "ceil", "length", "upper", "exact", "lo", "hi", "coalesce", "nullif", "random", "now",
     "version", "getenv", "current_user", "pg_sleep", "repeat", "md5", "row_number", "rank", "lag", "unnest",
     "generate_series", "substring"],
    ["and", "or", "xor", "union", "except", "intersect", "||"],
    ["=", "<", ">", "~", "+", "-", "*", "/", "%", "^", "&", "|"],
    ["left", "right", "full", "inner", "cross", "natural", "semi", "anti", "positional", "asof", "lateral"],
    ["distinct", "all", "partition", "order", "group", "having", "where", "limit", "offset", "qualify", "window"],
    ["integer", "bigint", "varchar", "double", "json", "uuid", "interval", "blob", "regclass", "text[]"],
]  # fmt: skip

_SPOILED: list[Callable[[list[str], random.Random], list[str]]] = [
    _cut, _doubled, _swapped, _strewn, _mistaken, _mistaken, _mistaken, _nested, _glued,
]  # fmt: skip


def policy(chance: random.Random) -> dict[Any, Any]:
    """A policy with something wrong about it, most of the time."""
    given: dict[Any, Any] = copy.deepcopy(kabir.policy(chance.choice(["mask_cell", "drop_row"])))
    given["rules"] = [
        {"name": "young", "table": "customer", "where": chance.choice(_CONDITIONS), "prohibited": ["Admin"]}
    ]
    given["tables"]["customer"]["retention"] = [{"column": "since", "days": 30, "purpose": "Marketing"}]
    for _ in range(chance.choice([1, 1, 2, 4])):
        _spoil(given, chance)
    return given


def _spoil(given: dict[Any, Any], chance: random.Random) -> None:
    """Change one place somewhere in a policy."""
    places = list(_places(given))
    holder, key = chance.choice(places)
    kind = chance.random()
    if kind < 0.25:
        del holder[key]
    elif kind < 0.6:
        holder[key] = copy.deepcopy(chance.choice(_ODD))
    elif kind < 0.8:
        other, its = chance.choice(places)
        holder[key] = copy.deepcopy(other[its])
    elif isinstance(holder, dict):
        holder[chance.choice(["", "x" * 300, f"{key}s", "\x00", "allowed", "transform", 7])] = holder[key]
    else:
        holder.append(copy.deepcopy(holder[key]))


def _places(thing: Any) -> list[tuple[Any, Any]]:
    inner = list(thing.items()) if isinstance(thing, dict) else list(enumerate(thing))
    found = [(thing, key) for key, _ in inner]
    for _, value in inner:
        if isinstance(value, dict | list):
            found += _places(value)
    return found


_CONDITIONS = [
    "age < 18", "age < 18 and not (income > 5 or name = 'x')", "age <", "((((age", "name in ('a', 'b')",
    "1 <= age <= 3",
    "age < 1e400", "name = 'it''s'", "\x00", "not " * 500 + "age = 1", "(" * 300 + "age = 1" + ")" * 300, "agé = 1",
    "age == 18",
    "__import__('os')", "age < 99999999999999999999999999999999", "nothing = 1", "age = name", "name < 5", "",
]  # fmt: skip
_ODD: list[Any] = [
    None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**40, "", " ", "General", "Admin", "x", "é\u202e", "\x00",
    "x" * 5000, [], {},
    [None], ["General"], ["General", "General"], ["Nobody"], [["General"]], {"x": 1}, {"": []},
    {"General": ["General"]},
    {"transform": "bucket", "width": -1}, {"transform": "bucket", "width": "10"}, {"transform": "nope"},
    {"transform": "round_to"},
    [{"transform": "bucket", "width": 1e400}], [{"transform": "hide_identifiers", "columns": ["name"]}],
    [{"transform": "hide_identifiers", "columns": []}], [{"transform": "first_letter", "x": 1}],
    {"A": ["B"], "B": ["A"]},
    {"General": ["A", "A"]}, {"A": [], "B": []}, "mask_cell", "age < 18", "(((", b"x", object, 7 + 2j,
]  # fmt: skip
