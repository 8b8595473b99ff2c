"""Parts of texts, as SQL. Every text is cast to one first, which takes the padding of fixed-length texts away."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.gateway.transforms.sql.building import as_text, as_written, call, chosen, glued, number, text


def beginning(value: exp.Expr, length: int) -> exp.Expr:
    """The first characters."""
    return call("SUBSTRING", as_text(value), number(1), number(length))


def beginning_filled(value: exp.Expr, length: int, fill: str) -> exp.Expr:
    """The first characters, and something else for each of the others."""
    others = call("REPEAT", text(fill), call("LENGTH", as_text(value)) - number(length))
    return glued(beginning(value, length), others)


def masked(value: exp.Expr, count: int, side: str, character: str) -> exp.Expr:
    """Something else for so many characters on a side; for all of them where there are no more."""
    whole = call("LENGTH", as_text(value))
    hidden = text(character * count)
    kept = call("SUBSTRING", as_text(value), number(1 if side == "right" else count + 1), whole - number(count))
    parts = (kept, hidden) if side == "right" else (hidden, kept)
    return chosen(
        [(whole > number(count), glued(*parts)), (whole <= number(count), call("REPEAT", text(character), whole))]
    )


def without(value: exp.Expr, pattern: str, instead: str, engine: str) -> exp.Expr:
    """The text without what the pattern finds first.

    PostgreSQL looks by the rules of the column's collation, and some have none; the answer has the usual one.
    """
    if engine != "postgres":
        return call("REGEXP_REPLACE", as_text(value), text(pattern), text(instead))
    found = call("REGEXP_REPLACE", as_written(value), text(_in_any_encoding(pattern)), text(instead))
    return exp.paren(exp.Collate(this=found, expression=exp.to_identifier("default", quoted=True)))


def _in_any_encoding(pattern: str) -> str:
    r"""The pattern in ASCII, because the encoding of a database may not have its other characters.

    PostgreSQL finds a character by its number in the encoding of the database: that of Unicode, of WIN1252, or, where
    the database has no encoding, the bytes of UTF-8 one after the other. Such characters stand outside of brackets.

    >>> print(_in_any_encoding("[-/]|–"))
    [-/]|(?:\u2013|\u0096|\u00e2\u0080\u0093)
    """
    return re.sub(r"[^\x00-\x7f]", lambda found: f"(?:{'|'.join(_numbers(found[0]))})", pattern)


def _numbers(character: str) -> list[str]:
    found = [[ord(character)], list(character.encode("cp1252", "ignore")), list(character.encode("utf-8"))]
    return list(dict.fromkeys("".join(f"\\u{number:04x}" for number in one) for one in found if one))


def named(value: exp.Expr, members: Mapping[str, Sequence[str]]) -> exp.Expr:
    """The name of the set that a text is a member of; NULL if it is none."""
    return chosen(
        [(as_written(value).isin(*(text(one) for one in among)), text(name)) for name, among in members.items()]
    )
