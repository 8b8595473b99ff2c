"""Parts of texts, as SQL. Every value is cast to TEXT first, which removes the padding of fixed-length texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.gateway.transforms.sql.building import (
    as_collated_text,
    as_text,
    call,
    case_when,
    concatenated,
    number,
    text,
)


def first_characters(value: exp.Expr, length: int) -> exp.Expr:
    """The first characters."""
    return call("SUBSTRING", as_text(value), number(1), number(length))


def first_characters_filled(value: exp.Expr, length: int, fill: str) -> exp.Expr:
    """The first characters, and a fill character for each of the others."""
    others = call("REPEAT", text(fill), call("LENGTH", as_text(value)) - number(length))
    return concatenated(first_characters(value, length), others)


def mask_characters(value: exp.Expr, count: int, side: str, character: str) -> exp.Expr:
    """The text with `count` characters masked from one side, or all of them if there are no more."""
    whole = call("LENGTH", as_text(value))
    hidden = text(character * count)
    kept = call("SUBSTRING", as_text(value), number(1 if side == "right" else count + 1), whole - number(count))
    parts = (kept, hidden) if side == "right" else (hidden, kept)
    return case_when(
        [
            (whole > number(count), concatenated(*parts)),
            (whole <= number(count), call("REPEAT", text(character), whole)),
        ]
    )


def replace_match(value: exp.Expr, pattern: str, instead: str, engine: str) -> exp.Expr:
    """The text with the first match of the pattern replaced.

    PostgreSQL matches by the collation of the column, and some collations do not support patterns; so the match uses
    "C", and the result has the default collation again.
    """
    if engine != "postgres":
        return call("REGEXP_REPLACE", as_text(value), text(pattern), text(instead))
    found = call("REGEXP_REPLACE", as_collated_text(value), text(_in_any_encoding(pattern)), text(instead))
    return exp.paren(exp.Collate(this=found, expression=exp.to_identifier("default", quoted=True)))


def _in_any_encoding(pattern: str) -> str:
    r"""The pattern in ASCII, because the encoding of a database may not have its other characters.

    PostgreSQL matches a character by its code in the encoding of the database: that of Unicode, of WIN1252, or, if the
    database has no encoding, the bytes of UTF-8 one after the other. So such a character must not occur in brackets.

    >>> print(_in_any_encoding("[-/]|–"))
    [-/]|(?:\u2013|\u0096|\u00e2\u0080\u0093)
    """
    return re.sub(r"[^\x00-\x7f]", lambda found: f"(?:{'|'.join(_numbers(found[0]))})", pattern)


def _numbers(character: str) -> list[str]:
    """The codes of a character in Unicode, WIN1252 and UTF-8, as escapes."""
    found = [[ord(character)], list(character.encode("cp1252", "ignore")), list(character.encode("utf-8"))]
    return list(dict.fromkeys("".join(f"\\u{number:04x}" for number in one) for one in found if one))


def name_of_set(value: exp.Expr, members: Mapping[str, Sequence[str]]) -> exp.Expr:
    """The name of the set that contains a text; NULL if none does."""
    return case_when(
        [
            (as_collated_text(value).isin(*(text(one) for one in members)), text(name))
            for name, members in members.items()
        ]
    )
