"""Transforms asked of real engines: values go in as texts, weaker forms come out as Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import duckdb
import numpy as np
import psycopg
from sqlglot import exp

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WIDE

VALUE = exp.column("value", quoted=True)


@dataclass
class Engine:
    """An engine that answers a SELECT with rows."""

    name: str
    run: Callable[[str], None]
    rows: Callable[[str], list[tuple[Any, ...]]]

    def type_of(self, name: str) -> ColumnType:
        return ColumnType.of_duckdb(name) if self.name == "duckdb" else ColumnType.of_postgres(name)

    def fill(self, type_name: str, texts: Sequence[str | None], collation: str = "") -> None:
        """A table `data` of these values, in this order; NULL for None."""
        self.run("DROP TABLE IF EXISTS data")
        self.run(f"CREATE TABLE data (place INTEGER, value {type_name} {collation})")
        rows = ", ".join(f"({place}, {literal(one)})" for place, one in enumerate(texts))
        if texts:
            self.run(
                f"INSERT INTO data SELECT place, CAST(value AS {type_name}) FROM (VALUES {rows}) AS t(place, value)"
            )

    def weaker(self, transform: Transform, column_type: ColumnType) -> list[Any]:
        """The weaker form of every value in the table: a pair, a text or None; and how it is written."""
        if transform.makes == "text":
            asked = exp.select(transform.text_sql(VALUE.copy(), column_type, self.name)).from_("data").order_by("place")
            return [row[0] for row in self.rows(asked.sql(self.name))]
        low, high = transform.range_sql(VALUE.copy(), column_type, self.name)
        inner = exp.select("place", low.as_("low"), high.as_("high")).from_("data").subquery("made")
        shown = transform.shown_sql(exp.column("low"), column_type, self.name) or exp.null()
        asked = exp.select("low", "high", shown.as_("shown")).from_(inner).order_by("place")
        return [None if row == (None, None, None) else row for row in self.rows(asked.sql(self.name))]


def literal(text: str | None) -> str:
    return "NULL" if text is None else exp.Literal.string(text).sql("postgres")


@contextmanager
def duckdb_engine() -> Iterator[Engine]:
    with duckdb.connect() as connection:
        yield Engine("duckdb", lambda text: connection.execute(text) and None, lambda text: _rows(connection.sql(text)))


def _rows(answer: duckdb.DuckDBPyRelation) -> list[tuple[Any, ...]]:
    """As Python values; moments with a zone by way of Arrow, for DuckDB itself would need a library of zones."""
    if any("TIME ZONE" in str(one) for one in answer.types):
        return [tuple(row.values()) for row in answer.to_arrow_table().to_pylist()]
    return answer.fetchall()


@contextmanager
def postgres_engine(conninfo: str) -> Iterator[Engine]:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        yield Engine(
            "postgres", lambda text: connection.execute(text) and None, lambda text: connection.execute(text).fetchall()
        )


def value_of(text: str | None, column_type: ColumnType) -> Any:
    """What a text means, in Python; None for what has no weaker form and is nothing in Python."""
    if text is None:
        return None
    if column_type.kind == "float":
        return float(np.float32(text)) if column_type.single else float(text)
    if column_type.kind in ("date", "timestamp"):
        return _moment(text, column_type)
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return int(text) if column_type.kind == "integer" else number if column_type.kind == "decimal" else text


def _moment(text: str, column_type: ColumnType) -> Any:
    try:
        if column_type.kind == "date":
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if column_type.zoned else moment


def expected(transform: Transform, text: str | None, column_type: ColumnType) -> Any:
    """What the plain meaning in Python says of a value."""
    value = value_of(text, column_type)
    weaker = None if value is None else transform.weaker(value, column_type)
    if weaker is None or transform.makes == "text":
        return weaker
    return (*weaker, transform.shown(weaker[0], column_type))


def told(answer: Any) -> str:
    """The answer to the last digit, so that what only looks different is different."""
    if isinstance(answer, tuple):
        return ", ".join(told(part) for part in answer)
    if isinstance(answer, Decimal):
        return f"{answer.normalize(WIDE):f}"
    return answer.astimezone(UTC).isoformat() if isinstance(answer, datetime) and answer.tzinfo else repr(answer)


def _as_held(answer: Any, column_type: ColumnType) -> Any:
    """A float of 32 bits comes with as few digits as tell it from others."""
    if not column_type.single or answer is None:
        return answer
    return tuple(float(np.float32(part)) if isinstance(part, float) else part for part in answer)


def mismatches(engine: Engine, transform: Transform, type_name: str, texts: Sequence[str | None]) -> list[str]:
    """Values of the table `data`, filled with these texts, whose answer is not what Python says."""
    column_type = engine.type_of(type_name)
    answers = [_as_held(answer, column_type) for answer in engine.weaker(transform, column_type)]
    wanted = [expected(transform, text, column_type) for text in texts]
    return [
        f"{transform} of {text!r} as {type_name} on {engine.name}: {told(answer)} instead of {told(want)}"
        for text, answer, want in zip(texts, answers, wanted, strict=True)
        if told(answer) != told(want)
    ]
