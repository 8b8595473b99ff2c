from __future__ import annotations

import pytest

from sfumato.errors import StatementError
from sfumato.gateway.sql.literals import MAX_DIGITS
from sfumato.gateway.sql.reading import parse_query
from tests.gateway.shops import Shop

ENGINES = ["duckdb", "postgres"]
DIGITS, PLAIN, DOUBLE = "in decimal digits", "in plain quotes", "for a DOUBLE"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("0xFF", DIGITS),
        ("0XFF", DIGITS),
        ("0b101", DIGITS),
        ("0o17", DIGITS),
        ("1_000", DIGITS),
        ("1_000.5", DIGITS),
        ("12abc", DIGITS),
        ("1x", DIGITS),
        ("12e", DIGITS),
        ("1.5.3", DIGITS),
        ("1..2", DIGITS),
        ('1"x"', DIGITS),
        ("5x'ff'", DIGITS),
        ("9" * (MAX_DIGITS + 1), f"at most {MAX_DIGITS} digits"),
        ("9" * 6000, f"at most {MAX_DIGITS} digits"),
        ("0." + "9" * (MAX_DIGITS + 1), f"at most {MAX_DIGITS} digits"),
        ("1e400", DOUBLE),
        ("1e-400", DOUBLE),
        (".5e400", DOUBLE),
        ("1e99999", DOUBLE),
        ("x'FF'", PLAIN),
        ("b'101'", PLAIN),
        (r"E'\n'", PLAIN),
        (r"U&'\0041'", PLAIN),
        ("N'a'", PLAIN),
        ("r'a'", PLAIN),
        ("$$a$$", PLAIN),
        ("$x$a$x$", PLAIN),
    ],
)
def test_what_engines_read_differently_is_refused(engine: str, written: str, said: str) -> None:
    with pytest.raises(StatementError, match=said):
        Shop(0).compiled(f"SELECT {written}", engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("clause", ["ORDER BY {}", "GROUP BY {}", "LIMIT {}", "OFFSET {}", "WHERE id > {}"])
def test_it_is_refused_wherever_it_stands(engine: str, clause: str) -> None:
    for number in ("0x10", "1_0", "9" * 6000):
        with pytest.raises(StatementError, match=r"in decimal digits|at most 38 digits|whole number"):
            Shop(0).compiled(f"SELECT id FROM person {clause.format(number)}", engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "written",
    [
        "0",
        "007",
        "9" * MAX_DIGITS,
        "0" * 50 + "7",
        ".5",
        "5.",
        "1.50",
        "1e3",
        "1.e3",
        "1.5E-3",
        "1e300",
        "0e999",
        "'x'",
    ],
)
def test_what_they_read_alike_is_taken(engine: str, written: str) -> None:
    assert Shop(0).compiled(f"SELECT {written} AS x, -{written if written[0] != chr(39) else 1} AS y", engine).sql


@pytest.mark.parametrize("engine", ENGINES)
def test_letters_before_a_text_are_a_word_where_they_mean_something(engine: str) -> None:
    assert Shop(0).compiled("SELECT DATE'2026-01-01' AS d, id FROM person WHERE town LIKE'R%' AND town IN('x')", engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_digit_of_a_number_is_kept(engine: str) -> None:
    assert parse_query("SELECT a FROM t WHERE b = 7316 AND c = 73.16e5", engine).normalized.count("7") == 0
