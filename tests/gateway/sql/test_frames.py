from __future__ import annotations

import pytest

from sfumato.errors import StatementError
from tests.gateway.shops import Shop

REACHES, BEFORE, NUMBER = "starts and ends at", "must not end before", "ORDER BY one number"


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ("ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW", REACHES),
        ("ROWS BETWEEN -1 PRECEDING AND CURRENT ROW", REACHES),
        ("ROWS BETWEEN id PRECEDING AND CURRENT ROW", REACHES),
        ("ROWS BETWEEN 9999999999999999999 PRECEDING AND CURRENT ROW", REACHES),
        ("ROWS BETWEEN CURRENT ROW AND 1 PRECEDING", BEFORE),
        ("ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW", BEFORE),
        ("ROWS BETWEEN UNBOUNDED FOLLOWING AND UNBOUNDED FOLLOWING", BEFORE),
        ("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED PRECEDING", BEFORE),
        ("ROWS 1 FOLLOWING", BEFORE),
        ("rows between current row and 1 preceding", BEFORE),
        ("GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW", "in ROWS or RANGE"),
        ("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES", "does not understand EXCLUDE"),
    ],
)
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_a_frame_that_is_none_is_refused(engine: str, frame: str, said: str) -> None:
    with pytest.raises(StatementError, match=said):
        Shop(0).compiled(f"SELECT sum(id) OVER (ORDER BY id {frame}) FROM person", engine)


@pytest.mark.parametrize(
    "order", ["", "ORDER BY id, exact(age)", "ORDER BY exact(name)", "ORDER BY DATE '2026-01-01' + id", "ORDER BY NULL"]
)
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_a_range_of_values_needs_one_number_to_sort_by(engine: str, order: str) -> None:
    with pytest.raises(StatementError, match=NUMBER):
        Shop(0).compiled(
            f"SELECT count(*) OVER ({order} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM person", engine
        )


@pytest.mark.parametrize(
    "frame",
    [
        "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
        "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
        "ROWS UNBOUNDED PRECEDING",
        "RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
        "RANGE CURRENT ROW",
        "rows between 2 preceding and 1 preceding",
        "rows unbounded preceding",
        "Range Between 1 Preceding And unbounded following",
    ],
)
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_all_others_are_taken(engine: str, frame: str) -> None:
    assert Shop(0).compiled(f"SELECT count(*) OVER (ORDER BY id {frame}) AS n FROM person", engine).sql
