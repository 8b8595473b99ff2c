"""Every type of both engines has a kind, and the kinds mean what the engines do."""

from __future__ import annotations

import pytest

from sfumato.gateway.transforms.column_types import ColumnType
from tests.gateway.transforms.asking import Engine

KINDS = {
    "duckdb": {
        "integer": [
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "HUGEINT",
            "UTINYINT",
            "USMALLINT",
            "UINTEGER",
            "UBIGINT",
            "UHUGEINT",
        ],
        "decimal": ["DECIMAL(18,3)", "DECIMAL(38, 0)", "NUMERIC(4,1)"],
        "float": ["FLOAT", "DOUBLE"],
        "date": ["DATE"],
        "timestamp": [
            *("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"),
        ],
        "text": ["VARCHAR", "ENUM('x', 'y, (z)', 'it''s')"],
        "boolean": ["BOOLEAN"],
        "other": [
            *(
                "BIGNUM",
                "BIT",
                "BLOB",
                "INTERVAL",
                "TIME",
                "TIME WITH TIME ZONE",
                "UUID",
                "JSON",
                "INTEGER[]",
                "VARCHAR[3]",
            ),
            *("STRUCT(a INTEGER, b VARCHAR)", "MAP(INTEGER, DATE)", "UNION(a INTEGER, b VARCHAR)", '"NULL"', "VARIANT"),
            *("DECIMAL(18,3)[]", "STRUCT(a DATE)[]", "ENUMERATED", "GEOMETRY", "TIME_NS", ""),
        ],
    },
    "postgres": {
        "integer": ["smallint", "integer", "bigint"],
        "decimal": ["numeric", "numeric(10,2)", "numeric(10,0)", "numeric(3,-2)", "numeric(2,5)"],
        "float": ["real", "double precision"],
        "date": ["date"],
        "timestamp": ["timestamp without time zone", "timestamp(3) with time zone", "timestamp with time zone"],
        "text": ["text", "character varying", "character varying(20)", "character(5)", "bpchar"],
        "boolean": ["boolean"],
        "other": [
            *(
                "integer[]",
                "text[]",
                "uuid",
                "bytea",
                "json",
                "jsonb",
                "inet",
                "money",
                "time without time zone",
                "interval",
            ),
            *(
                "time(3) with time zone",
                "bit varying(5)",
                '"char"',
                "name",
                "oid",
                "xml",
                "tsvector",
                "int4range",
                "point",
            ),
            *(
                "mood",
                'shop."Mood"',
                '"weird (type) [x]"',
                "numeric(10,2)[]",
                "enum",
                "regclass",
                "interval day to second",
            ),
        ],
    },
}


@pytest.mark.parametrize(("engine", "kind"), [(engine, kind) for engine, kinds in KINDS.items() for kind in kinds])
def test_kinds(engine: str, kind: str) -> None:
    made = ColumnType.of_duckdb if engine == "duckdb" else ColumnType.of_postgres
    names = [name for name in KINDS[engine][kind] if name != "enum"]
    assert {name: made(name).kind for name in names} == dict.fromkeys(names, kind)
    assert [made(f" {name.upper()} ").kind for name in names] == [kind] * len(names)
    assert [made(name).name for name in names] == names


def test_every_type_that_duckdb_has_is_read(on_duckdb: Engine) -> None:
    names = [row[0] for row in on_duckdb.rows("SELECT DISTINCT logical_type FROM duckdb_types()")]
    aliases = [row[0] for row in on_duckdb.rows("SELECT DISTINCT type_name FROM duckdb_types()")]
    kinds = {name: ColumnType.of_duckdb(name).kind for name in [*names, *aliases]}
    assert len(kinds) > 60
    for alias, name in on_duckdb.rows("SELECT type_name, logical_type FROM duckdb_types() WHERE type_name != 'JSON'"):
        assert kinds[alias] == kinds[name], alias


def test_what_duckdb_says_of_a_table_is_read(on_duckdb: Engine) -> None:
    on_duckdb.run("CREATE OR REPLACE TABLE typed (a DECIMAL, b CHAR(3), c TIMESTAMPTZ, d INT[], e FLOAT4, f ENUM('x'))")
    found = on_duckdb.rows("SELECT data_type FROM duckdb_columns() WHERE table_name = 'typed' ORDER BY column_index")
    types = [ColumnType.of_duckdb(row[0]) for row in found]
    assert [one.kind for one in types] == ["decimal", "text", "timestamp", "other", "float", "text"]
    assert (types[0].scale, types[0].bounds, types[2].zoned, types[4].single) == (
        3,
        (1 - 10**18, 10**18 - 1),
        True,
        True,
    )


def test_every_type_that_postgres_has_is_read(on_postgres: Engine) -> None:
    rows = on_postgres.rows("SELECT format_type(oid, NULL), format_type(oid, -1) FROM pg_type")
    kinds = {name: ColumnType.of_postgres(name).kind for row in rows for name in row}
    known = {name for kind, names in KINDS["postgres"].items() if kind != "other" for name in names}
    assert len(kinds) > 300
    common = {name: kind for name, kind in kinds.items() if name in known}
    assert len(common) >= 12
    assert "other" not in common.values()
    assert all(kind == "other" for name, kind in kinds.items() if name.endswith("[]"))


def test_what_postgres_says_of_a_table_is_read(on_postgres: Engine) -> None:
    on_postgres.run("DROP TABLE IF EXISTS typed")
    on_postgres.run("CREATE TABLE typed (a numeric, b numeric(7,2), c numeric(7), d char(3), e timestamp(3), f serial)")
    found = on_postgres.rows(
        "SELECT format_type(atttypid, atttypmod) FROM pg_attribute"
        " WHERE attrelid = 'typed'::regclass AND attnum > 0 ORDER BY attnum"
    )
    types = [ColumnType.of_postgres(row[0]) for row in found]
    assert [one.scale for one in types[:3]] == [None, 2, 0]
    assert [one.kind for one in types[3:]] == ["text", "timestamp", "integer"]
    assert (types[3].padded, types[4].second_digits, types[4].zoned) == (True, 3, False)
    assert types[5].bounds == (-(2**31), 2**31 - 1)


def test_bounds_are_those_of_the_engine(on_duckdb: Engine) -> None:
    for name in KINDS["duckdb"]["integer"]:
        least, most = ColumnType.of_duckdb(name).bounds or (0, 0)
        assert on_duckdb.rows(f"SELECT CAST('{least}' AS {name}), CAST('{most}' AS {name})") == [(least, most)]
        assert on_duckdb.rows(f"SELECT TRY_CAST('{least - 1}' AS {name}), TRY_CAST('{most + 1}' AS {name})") == [
            (None, None)
        ]


def test_there_are_bounds_only_where_there_is_a_last_digit() -> None:
    assert ColumnType.of_postgres("numeric(3,-2)").bounds == (-999, 999)
    assert ColumnType.of_postgres("numeric").bounds is None
    assert ColumnType.of_duckdb("DOUBLE").bounds is None
    assert ColumnType("integer").bounds == (-(2**63), 2**63 - 1)


def test_seconds_have_as_many_digits_as_the_name_says() -> None:
    digits = {"TIMESTAMP_S": 0, "TIMESTAMP_MS": 3, "TIMESTAMP": 6, "TIMESTAMP_NS": 9}
    assert {name: ColumnType.of_duckdb(name).second_digits for name in digits} == digits
    assert ColumnType.of_postgres("timestamp(0) with time zone").second_digits == 0
    assert ColumnType("timestamp").second_digits == 6


def test_words_for_messages() -> None:
    assert ColumnType.of_duckdb("VARCHAR").words == "text (VARCHAR)"
    assert ColumnType("text").words == "text"
