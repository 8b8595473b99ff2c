from __future__ import annotations

import pytest
import sqlglot

from sfumato.errors import StatementError
from sfumato.gateway.sql.dialects import dialect, is_comma, tokenizer

ENGINES = ["duckdb", "postgres"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_comma_is_told_from_a_join_without_a_condition(engine: str) -> None:
    tree = sqlglot.parse_one("SELECT 1 FROM a, b JOIN c CROSS JOIN d, (SELECT 1) AS e", dialect=dialect(engine))
    assert [is_comma(join) for join in tree.args["joins"]] == [True, False, False, True]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_missing_is_sorted_last(engine: str) -> None:
    tree = sqlglot.parse_one("SELECT 1 ORDER BY a, b DESC, c NULLS FIRST", dialect=dialect(engine))
    assert [bool(key.args.get("nulls_first")) for key in tree.args["order"].expressions] == [False, False, True]


@pytest.mark.parametrize("engine", ENGINES)
def test_words_are_told_as_the_parser_tells_them(engine: str) -> None:
    text = "SELECT 1_000, \"a b\", 'c''d', $1, 1e3 FROM t -- no more"
    own, parsers = tokenizer(engine).tokenize(text), dialect(engine).tokenize(text)
    assert [(one.token_type, one.text) for one in own] == [(one.token_type, one.text) for one in parsers]


def test_there_is_no_other_engine() -> None:
    with pytest.raises(StatementError, match="no engine 'mysql'"):
        dialect("mysql")
