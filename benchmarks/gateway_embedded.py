"""What is measured of decisions and of the gateway on DuckDB; runs in measuring processes only."""

from __future__ import annotations

import tempfile
import time
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import customers
from benchmarks.measure import alternated, timed

PURPOSES, BRANCHES = 200, 4
ASKED = {
    "average": ("SELECT count(*) AS n, avg(income) AS a FROM customer", "SELECT count(*), avg(income) FROM customer"),
    "groups": (
        "SELECT id % 10 AS g, sum(income) AS s, avg(age) AS a FROM customer GROUP BY id % 10",
        "SELECT id % 10, sum(income), avg(age) FROM customer GROUP BY 1",
    ),
    "scan": (
        "SELECT count(*) AS n FROM customer WHERE address LIKE '%Fay%'",
        "SELECT count(*) FROM customer WHERE address LIKE '%Fay%'",
    ),
}
POINT = "SELECT name, income FROM customer WHERE id = ?"
EVERYTHING = "SELECT id, name, age, address, income FROM customer"
FEW = 200


def decide(*, repeat: int) -> dict[str, Any]:
    """Seconds of one decision in a tree of 200 purposes: what is seen of a value, and whether somebody may ask."""
    from sfumato.gateway.people.authority import Authority
    from sfumato.gateway.people.people import Person
    from sfumato.gateway.people.system_attributes import system_attributes
    from sfumato.gateway.policy.intended_purposes import IntendedPurposes
    from sfumato.gateway.policy.purposes import PurposeTree
    from sfumato.gateway.policy.sections import PolicySections
    from sfumato.gateway.views.access_rules import AccessRule, access

    names = [f"purpose {number}" for number in range(PURPOSES)]
    below = {name: names[BRANCHES * at + 1 : BRANCHES * at + 1 + BRANCHES] for at, name in enumerate(names)}
    purposes = {name: some for name, some in below.items() if some}
    tree = PurposeTree.of_children(purposes)
    codes = IntendedPurposes.of(names[:3], names[20:30], names[40:50]).codes(tree)
    rules = [(AccessRule.of("the only rule", codes, tree.code([name])),) for name in names]
    authority = Authority.of(
        PolicySections.model_validate(
            {
                "name": "decisions",
                "purposes": purposes,
                "tables": {"customer": {"key": "id"}},
                "roles": {"clerk": {}, "seller": {"parent": "clerk"}},
                "conditional_roles": {"senior": {"role": "seller", "when": "experience > 10 and 9 <= hour <= 17"}},
                "permissions": [{"role": "senior", "table": "customer", "purpose": names[1]}],
            }
        )
    )
    person, now = Person("sam", frozenset({"seller"}), {"experience": 12}), datetime(2026, 3, 2, 10, tzinfo=UTC)
    system, day, deepest = system_attributes(now), now.date(), [name for name in names if names[1] in tree.up([name])]
    return {
        "seen": _each(lambda: [access(rules_of_value, {}) for rules_of_value in rules], len(rules), repeat),
        "granted": _each(
            lambda: [authority.grants(person, "customer", name, system, day=day) for name in deepest],
            len(deepest),
            repeat,
        ),
    }


def embed(*, records: int, repeat: int, mixed: bool = False) -> dict[str, Any]:
    """Everything about snapshots, in one process, what is compared in turn; `mixed` rows lie in no order of keys."""
    from sfumato.gateway.engines.duckdb.embedded import EmbeddedSource
    from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
    from sfumato.gateway.engines.limits import Limits
    from sfumato.gateway.gateway import Gateway

    private = PrivateDuckDb(keys={"customer": "id"}, choices={"customer": customers.CHOSEN})
    customers.fill(private._con, records, mixed=mixed)
    private.touch("customer")
    private.set_choices("customer", customers.choices(records))
    limits = Limits(seconds=60, rows=10 * records)
    gate = Gateway(customers.policy(), EmbeddedSource(private, limits=limits), limits=limits)
    try:
        return _asked(gate, private, records, repeat)
    finally:
        gate.close()


def _asked(gate: Any, private: Any, records: int, repeat: int) -> dict[str, Any]:
    who = customers.marketer()

    def ask(text: str, *parameters: Any) -> Any:
        return gate.query(text, person=who, purpose=customers.PURPOSE, parameters=parameters)

    ask("SELECT 1 AS one FROM customer LIMIT 1")
    builds = [_built(private, ask) for _ in range(repeat)]
    raw = private._con.cursor()
    steps: dict[str, Any] = {"everything": lambda: ask(EVERYTHING).flat}
    steps["everything, raw"] = lambda: raw.sql(EVERYTHING).to_arrow_table()
    for name, (ours, theirs) in ASKED.items():
        steps[name] = lambda ours=ours: ask(ours).flat
        steps[f"{name}, raw"] = lambda theirs=theirs: raw.sql(theirs).to_arrow_table()
    laps = alternated(steps, max(7, repeat))
    keys = [place * (records // FEW) for place in range(FEW)]
    ours, theirs = cycle(keys), cycle(keys)
    points = alternated(
        {
            "point": lambda: ask(POINT, next(ours)).flat,
            "point, raw": lambda: raw.execute(POINT, [next(theirs)]).fetchall(),
        },
        FEW,
    )
    found = {name: lap.wall for name, lap in {**laps, **points}.items()}
    return {**found, "build": median(builds), **_refreshed(private, ask, keys)}


def _built(private: Any, ask: Any) -> float:
    """Seconds until a question is answered after nobody knows what has changed."""
    private.touch("customer")
    with timed() as lap:
        ask("SELECT count(*) AS n FROM customer")
    return lap.wall


def _refreshed(private: Any, ask: Any, keys: list[int]) -> dict[str, Any]:
    """Seconds from one choice that was changed to an answer, and how many answers were of the choice before."""
    import pyarrow as pa

    seconds, changing, stale = [], [], 0
    for place, key in enumerate(keys[:50]):
        exact = place % 2 == 0
        changed = pa.table(
            {"id": pa.array([key], pa.int32()), "income.choice": pa.array([1 if exact else 2], pa.int16())}
        )
        with timed() as lap:
            private.set_choices("customer", changed)
        changing.append(lap.wall)
        with timed() as lap:
            flat = ask("SELECT income FROM customer WHERE id = ?", key).flat.to_pylist()[0]
        seconds.append(lap.wall)
        stale += (flat["income.lo"] == flat["income.hi"]) != exact
    return {"refresh": median(seconds), "choose": median(changing), "stale": stale, "asked": len(seconds)}


def stored(*, records: int) -> dict[str, Any]:
    """Bytes of a database file without what people chose, with it, and with its history."""
    import duckdb

    from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb

    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.duckdb"
        with PrivateDuckDb(whole, keys={"customer": "id"}, choices={"customer": customers.CHOSEN}) as private:
            customers.fill(private._con, records)
            private.set_choices("customer", customers.choices(records))
        sizes = []
        for schemas, history in (
            (["main"], False),
            (["main", "sfumato_choices"], False),
            (["main", "sfumato_choices"], True),
        ):
            path = Path(folder) / f"{len(sizes)}.duckdb"
            with duckdb.connect(str(path)) as con:
                con.execute(f"ATTACH '{whole}' AS whole (READ_ONLY)")
                found = con.execute(
                    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'whole'"
                ).fetchall()
                for schema, table in found:
                    if schema in schemas and (history or "history" not in table):
                        con.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
                        con.execute(f'CREATE TABLE {schema}."{table}" AS FROM whole.{schema}."{table}"')
                con.execute("CHECKPOINT")
            sizes.append(path.stat().st_size)
    return {"without": sizes[0], "with": sizes[1], "history": sizes[2]}


def _each(step: Any, number: int, repeat: int) -> float:
    """Seconds of one of so many decisions."""
    laps = []
    for _ in range(20 * repeat):
        begun = time.perf_counter()
        step()
        laps.append((time.perf_counter() - begun) / number)
    return median(laps)
