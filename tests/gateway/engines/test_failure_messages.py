from __future__ import annotations

import duckdb
import pytest

from sfumato.errors import BusyError, DataError, LimitError, StatementError
from sfumato.gateway.engines.failure_messages import EngineFailure, error_for, failure_kind, message_of

FAILING = {
    "SELECT CAST('CANARY' AS INTEGER)": "conversion",
    "SELECT CAST(9223372036854775807 AS BIGINT) + 1": "range",
    "SELECT CAST(300 AS TINYINT)": "conversion",
    "SELECT regexp_matches('x', '(CANARY')": "input",
    "SELECT strptime('CANARY', '%Y')": "input",
    "SELECT * FROM canary": "unknown",
    "SELECT canary FROM (SELECT 1 AS a)": "types",
    "SELECT canary(1)": "unknown",
    "SELEKT 1": "syntax",
    "SELECT * FROM read_csv('/etc/CANARY')": "forbidden",
}


@pytest.mark.parametrize("sql", FAILING)
def test_errors_of_the_engine_are_known_by_their_kind(sql: str) -> None:
    with duckdb.connect(config={"enable_external_access": "false"}) as con, pytest.raises(duckdb.Error) as caught:
        con.sql(sql).to_arrow_table()
    assert failure_kind(caught.value) == FAILING[sql]


@pytest.mark.parametrize("kind", sorted({*FAILING.values(), "time", "memory", "rows", "ended", "busy", "digits"}))
def test_every_fault_has_words(kind: str) -> None:
    assert message_of(kind) != message_of("engine")
    assert str(error_for(kind)) == message_of(kind)


def test_kinds_are_read_from_the_beginning_of_a_text_alone() -> None:
    assert failure_kind(OSError("INTERRUPT Error: Interrupted!")) == "time"
    assert failure_kind(RuntimeError("no Conversion Error: here")) == "engine"
    assert failure_kind(MemoryError()) == failure_kind(RuntimeError("std::bad_alloc")) == "memory"
    assert failure_kind(EngineFailure("rows")) == "rows"


def test_limits_statements_and_data_are_different_errors() -> None:
    assert type(error_for("time")) is type(error_for("memory", "people")) is LimitError
    assert type(error_for("busy")) is type(error_for("start")) is BusyError
    assert type(error_for("conversion")) is StatementError
    assert type(error_for("conversion", "people")) is DataError


def test_a_child_cannot_bring_words_of_its_own() -> None:
    assert "CANARY" not in str(error_for("CANARY"))
    assert "CANARY" not in str(error_for("CANARY", "people"))
