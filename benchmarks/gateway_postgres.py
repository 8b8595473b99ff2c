"""What is measured of the gateway on PostgreSQL; runs in measuring processes only."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks import customers
from benchmarks.measure import alternated
from benchmarks.postgres_server import running

AVERAGE = "SELECT count(*) AS n, avg(income) AS a FROM customer"
POINT = "SELECT name, income FROM customer WHERE id = "
TABLE = "CREATE TABLE customer (id integer PRIMARY KEY, name text, age integer, address text, income integer)"
VIEW = """
CREATE VIEW by_hand WITH (security_barrier) AS SELECT id,
CASE WHEN "income.choice" IN (1, 5, 6, 7) THEN income
     WHEN "income.choice" IN (2, 4, 8) THEN income / 10000 * 10000 END AS income_lo,
CASE WHEN "income.choice" IN (1, 5, 6, 7) THEN income
     WHEN "income.choice" IN (2, 4, 8) THEN income / 10000 * 10000 + 9999 END AS income_hi
FROM customer
"""
BY_HAND = "SELECT count(*), avg(income_lo), avg(income_hi) FROM by_hand"
FEW = 300


def ask(*, records: int, repeat: int) -> dict[str, Any]:
    """Seconds of an average and of a lookup, through the gateway, raw, and by a view that was written by hand."""
    with running() as owner:
        return _asked(owner, records, repeat)


def _asked(owner: str, records: int, repeat: int) -> dict[str, Any]:
    import psycopg

    from sfumato.gateway.engines.limits import Limits
    from sfumato.gateway.engines.postgres.source import PostgresSource
    from sfumato.gateway.gateway import Gateway

    policy = customers.policy()
    with psycopg.connect(owner, autocommit=True) as raw:
        sizes = _filled(raw, owner, policy, records)
        limits = Limits(seconds=60)
        gate = Gateway(policy, PostgresSource(policy, owner, owner=owner), limits=limits)
        try:
            return sizes | _timed(gate, raw, records, repeat)
        finally:
            gate.close()


def _filled(raw: Any, owner: str, policy: Any, records: int) -> dict[str, Any]:
    """The table as its owner has it, then with what people chose, each as if it had been written so."""
    from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
    from sfumato.gateway.engines.postgres.source import owner_types

    raw.execute(TABLE)
    _copied(raw, records, chosen=False)
    before = _size(raw)
    types = {"customer": owner_types(owner, "customer")}
    deployment_of(policy, types, day=datetime.now(UTC).date()).deploy(owner)
    raw.execute("TRUNCATE customer")
    raw.execute("ALTER TABLE customer DISABLE TRIGGER USER")  # the history of a first load takes a minute
    _copied(raw, records, chosen=True)
    raw.execute("ALTER TABLE customer ENABLE TRIGGER USER")
    raw.execute(VIEW)
    return {"without": before, "with": _size(raw)}


def _copied(raw: Any, records: int, *, chosen: bool) -> None:
    import duckdb

    con = duckdb.connect()
    customers.fill(con, records)
    con.register("chosen", customers.choices(records))
    joined = "SELECT c.*, k.* EXCLUDE (id) FROM customer AS c JOIN chosen AS k USING (id)"
    rows = con.sql(f"{joined if chosen else 'FROM customer'} ORDER BY id")
    places = ", ".join(f'"{name}"' for name in rows.columns)
    with tempfile.TemporaryDirectory() as folder, raw.cursor() as cursor:
        path = Path(folder) / "customers.csv"
        rows.write_csv(str(path), header=False)
        with cursor.copy(f"COPY customer ({places}) FROM STDIN WITH (FORMAT csv)") as copy, path.open("rb") as file:
            while part := file.read(1 << 20):
                copy.write(part)
    raw.execute("VACUUM ANALYZE customer")


def _size(raw: Any) -> int:
    return int(raw.execute("SELECT pg_total_relation_size('customer')").fetchone()[0])


def _timed(gate: Any, raw: Any, records: int, repeat: int) -> dict[str, Any]:
    who, keys = customers.marketer(), [place * (records // FEW) for place in range(FEW)]
    ours, theirs = cycle(keys), cycle(keys)

    def asked(text: str, *parameters: Any) -> Any:
        return gate.query(text, person=who, purpose=customers.PURPOSE, parameters=parameters).flat

    wide = alternated(
        {
            "average": lambda: asked(AVERAGE),
            "average, raw": lambda: raw.execute(AVERAGE).fetchall(),
            "average, by hand": lambda: raw.execute(BY_HAND).fetchall(),
        },
        max(7, repeat),
    )
    narrow = alternated(
        {
            "point": lambda: asked(f"{POINT}?", next(ours)),
            "point, raw": lambda: raw.execute(f"{POINT}%s", [next(theirs)], prepare=True).fetchall(),
        },
        FEW,
    )
    return {name: lap.wall for name, lap in {**wide, **narrow}.items()}
