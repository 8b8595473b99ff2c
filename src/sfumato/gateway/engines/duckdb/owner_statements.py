"""Finds out which rows a statement of the owner changes, as far as its text tells.

`PrivateDuckDb.change` uses it to record the keys of changed rows.
"""

from __future__ import annotations

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from sfumato.gateway.engines.duckdb.quoting import quoted

_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


def returning_keys(statement: str, table: str, key: str) -> str | None:
    """The statement with a RETURNING clause for the keys of the rows it changes; None if some would be missing.

    An UPDATE of the key hides the old key, and an INSERT that replaces a row may replace one with another key. The
    clause is appended; the text itself is not rewritten.

    >>> print(returning_keys("DELETE FROM people WHERE age > 90;", "people", "id"))
    DELETE FROM people WHERE age > 90
    RETURNING "id"
    >>> returning_keys("UPDATE people SET id = 7", "people", "id") is None
    True
    """
    text = statement.strip().removesuffix(";")
    read = None if ";" in text else _read(text)
    if read is None or not isinstance(read, exp.Insert | exp.Update | exp.Delete):
        return None
    # A write inside WITH would change rows that RETURNING does not list.
    if len(list(read.find_all(*_WRITES))) != 1 or not _is_plain(read, key) or not _is_about(read, table):
        return None
    return f"{text}\nRETURNING {quoted(key)}"


def _read(text: str) -> exp.Expression | None:
    """The parsed statement; None if it cannot be parsed."""
    try:
        read = sqlglot.parse_one(text, dialect="duckdb", error_level=ErrorLevel.RAISE)
    except (SqlglotError, RecursionError):
        return None
    return read if isinstance(read, exp.Expression) else None


def _is_plain(read: exp.Expression, key: str) -> bool:
    """Whether a statement has no clause that replaces rows and does not update the key."""
    if any(read.args.get(part) for part in ("returning", "conflict", "alternative", "overwrite")):
        return False
    set_to = read.expressions if isinstance(read, exp.Update) else []
    names = [one.this.name.lower() for one in set_to if isinstance(one, exp.EQ) and isinstance(one.this, exp.Column)]
    return len(names) == len(set_to) and key.lower() not in names


def _is_about(read: exp.Expression, table: str) -> bool:
    """Whether a statement changes this table."""
    target = read.this.this if isinstance(read.this, exp.Schema) else read.this
    if not isinstance(target, exp.Table):
        return False
    named = ".".join(part.name for part in target.parts).lower()
    return named in (table.lower(), f"main.{table}".lower())
