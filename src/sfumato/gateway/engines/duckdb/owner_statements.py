"""Which rows a statement of the owner's changes, as far as that can be told."""

from __future__ import annotations

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from sfumato.gateway.engines.duckdb.quoting import quoted

_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


def returning_keys(statement: str, table: str, key: str) -> str | None:
    """The statement, made to return the keys of the rows that it changes; None where they would not be all.

    A key that is updated was another one before, and a row that an INSERT replaces may have had another key; neither
    would be returned. The text is not written anew, only added to.

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
    if len(list(read.find_all(*_WRITES))) != 1 or not _is_plain(read, key) or not _is_about(read, table):
        return None
    return f"{text}\nRETURNING {quoted(key)}"


def _read(text: str) -> exp.Expression | None:
    try:
        read = sqlglot.parse_one(text, dialect="duckdb", error_level=ErrorLevel.RAISE)
    except (SqlglotError, RecursionError):
        return None
    return read if isinstance(read, exp.Expression) else None


def _is_plain(read: exp.Expression, key: str) -> bool:
    if any(read.args.get(part) for part in ("returning", "conflict", "alternative", "overwrite")):
        return False
    set_to = read.expressions if isinstance(read, exp.Update) else []
    names = [one.this.name.lower() for one in set_to if isinstance(one, exp.EQ) and isinstance(one.this, exp.Column)]
    return len(names) == len(set_to) and key.lower() not in names


def _is_about(read: exp.Expression, table: str) -> bool:
    target = read.this.this if isinstance(read.this, exp.Schema) else read.this
    if not isinstance(target, exp.Table):
        return False
    named = ".".join(part.name for part in target.parts).lower()
    return named in (table.lower(), f"main.{table}".lower())
