"""The law of the gateway: what is answered is what a database would answer that holds nothing but what may be seen.

Every attack is asked for every purpose, of the database with canaries and of its twin, whose hidden values are others,
and whose rows lie in another order. Both must be answered alike, row by row, or refused alike, and no canary may turn
up anywhere: in rows, in errors and those behind them, in the log, in what is printed. Then it is sent around the
compiler, to where the masked relations are.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from sfumato.errors import SfumatoError
from sfumato.gateway.engines.duckdb.embedded import EmbeddedSource
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.engines.postgres.deployment.policy_deployment import deployment_of
from sfumato.gateway.engines.postgres.source import PostgresSource, owner_types
from sfumato.gateway.engines.source import Source
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from tests.gateway.canaries import (
    CHOSEN,
    KEYS,
    NOW,
    POLICY,
    PURPOSES,
    ROWS,
    TYPES,
    canaries,
    choice,
    database,
    found_in,
    shown,
    views,
)
from tests.gateway.corpus import ATTACKS, TRICKS, Attack

ANALYST = Person("ana", frozenset({"analyst"}), {})
READ = Policy.of(POLICY)
WANTED = {purpose: canaries(READ, purpose) for purpose in PURPOSES}
ALL = {value: where for wanted in WANTED.values() for value, where in wanted.items()}
PATIENT = Limits(seconds=600, rows=5000, memory="256MB")
SOON = Limits(seconds=0.4, rows=5000, memory="256MB")
"""For the one trick that has to run out of time, which no other does however busy the machine is."""
SOONER = Limits(seconds=0.1, rows=5000, memory="256MB")


@dataclass(frozen=True)
class Law:
    """The database and its twins behind gateways, the log of the first, and a way around its compiler."""

    engine: str
    true: Gateway
    twins: dict[str, Gateway]
    log: Path
    around: Source


@dataclass(frozen=True)
class Told:
    """What came of a statement: rows or a refusal, and every text in which something could be told."""

    outcome: Any
    texts: str


def told(ask: Any) -> Told:
    try:
        table = ask()
    except SfumatoError as refusal:
        return Told((type(refusal), str(refusal)), "\n".join(_texts(refusal)))
    rows = [tuple(str(cell) for cell in row.values()) for row in table.to_pylist()]
    return Told(rows, "\n".join(" | ".join(row) for row in [*rows, tuple(table.column_names)]))


def _texts(error: BaseException | None) -> Iterator[str]:
    """An error, and all that hang on it, whether they would be printed or not."""
    if error is not None:
        yield f"{error} {error!r} {error.args}"
        yield from traceback.format_exception_only(error)
        yield from (str(value) for name, value in vars(error).items() if name not in ("__cause__", "__context__"))
        yield from _texts(error.__cause__)
        yield from _texts(error.__context__)


def asked(gateway: Gateway, attack: Attack, purpose: str) -> Told:
    def ask() -> pa.Table:
        answer = gateway.query(attack.text, person=ANALYST, purpose=purpose, parameters=attack.parameters)
        return answer.table.append_column("all", pa.array([str(row) for row in answer.flat.to_pylist()], pa.string()))

    return told(ask)


def in_duckdb(rows: dict[str, list[dict[str, Any]]], step: int) -> EmbeddedSource:
    """The first row first, or the last one where the step is -1."""
    private = PrivateDuckDb(keys=KEYS, choices=CHOSEN)
    for table, found in rows.items():
        columns = ", ".join(f"{name} {kind}" for name, kind in TYPES[table].items())
        private.change(table, f"CREATE TABLE {table} ({columns})")
        private.change(table, rows=pa.Table.from_pylist(found[::step]))
        chosen = [
            {"id": row["id"], **{f"{name}.choice": choice(table, place) for name in CHOSEN[table]}}
            for place, row in enumerate(found)
        ]
        private.set_choices(table, pa.Table.from_pylist(chosen))
    return EmbeddedSource(private, children=1, limits=SOON)


def in_postgres(conninfo: str, prefix: str, rows: dict[str, list[dict[str, Any]]], step: int) -> PostgresSource:
    with psycopg.connect(conninfo) as connection:
        for table in rows:
            columns = ", ".join(f"{name} {kind}" for name, kind in TYPES[table].items())
            connection.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY (id))".encode())
    kinds = {table: owner_types(conninfo, table) for table in rows}
    deployment_of(READ, kinds, day=NOW.date(), prefix=prefix).deploy(conninfo)
    with psycopg.connect(conninfo) as connection:
        for table, found in rows.items():
            names = [*TYPES[table], *(f"{name}.choice" for name in CHOSEN[table])]
            listed, places = ", ".join(f'"{name}"' for name in names), ", ".join("%s" for _ in names)
            for place, row in list(enumerate(found))[::step]:
                values = [*row.values(), *[choice(table, place)] * len(CHOSEN[table])]
                connection.execute(f"INSERT INTO {table} ({listed}) VALUES ({places})".encode(), values)
    return PostgresSource(READ, conninfo, owner=conninfo, prefix=prefix)


def _sources(engine: str, stack: ExitStack, request: pytest.FixtureRequest) -> dict[str | None, Source]:
    every = [None, *PURPOSES]
    if engine == "duckdb":
        return {purpose: in_duckdb(database(READ, purpose), 1 if purpose is None else -1) for purpose in every}
    server = request.getfixturevalue("postgres_server")
    made: dict[str | None, Source] = {}
    for purpose in every:
        conninfo = stack.enter_context(server.database())
        prefix = "gate" if purpose is None else f"twin_{purpose.lower()}"
        made[purpose] = in_postgres(conninfo, prefix, database(READ, purpose), 1 if purpose is None else -1)
        if purpose is None:
            made["around"] = PostgresSource(READ, conninfo, owner=conninfo, prefix=prefix)
    return made


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def law(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Law]:
    log = tmp_path_factory.mktemp("law") / "audit.jsonl"
    with ExitStack() as stack:
        made = _sources(request.param, stack, request)
        around = made.pop("around", made[None])
        stack.callback(around.close)
        gates = {
            purpose: Gateway(READ, one, log=None if purpose else AuditLog(log), limits=PATIENT, clock=lambda: NOW)
            for purpose, one in made.items()
        }
        for gate in gates.values():
            stack.callback(gate.close)
        for purpose in PURPOSES:
            for text in ("SELECT * FROM customer", "SELECT id FROM customer", "SELECT * FROM orders"):
                gates[None].query(text, person=ANALYST, purpose=purpose)
        yield Law(request.param, gates[None], {purpose: gates[purpose] for purpose in PURPOSES}, log, around)


@pytest.mark.parametrize("trick", TRICKS)
def test_no_answer_depends_on_what_is_hidden_and_no_canary_sings(
    law: Law, trick: str, capfd, recwarn, caplog, monkeypatch
) -> None:
    for gate in (law.true, *law.twins.values()):
        monkeypatch.setattr(gate, "_limits", SOON if trick == "time" else PATIENT)
    before, attacks = law.log.stat().st_size, [attack for attack in ATTACKS if attack.trick == trick]
    for attack, purpose in product(attacks, PURPOSES):
        true, twin = (asked(gate, attack, purpose) for gate in (law.true, law.twins[purpose]))
        assert true.outcome == twin.outcome, (attack, purpose)
        assert found_in(true.texts, WANTED[purpose]) == [], (attack, purpose)
    with law.log.open() as log:
        log.seek(before)
        noted = log.read()
    assert noted.count("\n") == len(attacks) * len(PURPOSES)
    printed = "".join([noted, *capfd.readouterr(), caplog.text, *(str(warning.message) for warning in recwarn)])
    assert found_in(printed, ALL) == []


@pytest.mark.parametrize("trick", TRICKS)
def test_around_the_compiler_there_is_nothing_to_see(law: Law, trick: str, capfd, caplog) -> None:
    for attack, purpose in product([attack for attack in ATTACKS if attack.trick == trick], PURPOSES):
        seen = told(partial(law.around.ask, purpose, attack.text, attack.parameters, SOONER))
        guessed = {value: where for value, where in WANTED[purpose].items() if value not in attack.text}
        assert found_in(seen.texts, guessed) == [], (attack, purpose)
    assert found_in("".join([*capfd.readouterr(), caplog.text]), ALL) == []


def test_the_server_has_written_down_nothing_that_is_hidden_for_all(law: Law, request: pytest.FixtureRequest) -> None:
    if law.engine != "postgres":
        pytest.skip("DuckDB writes nothing down")
    with psycopg.connect(request.getfixturevalue("postgres_server").admin) as connection:
        folder = connection.execute("SHOW data_directory").fetchone()
    written = Path(folder[0], "log").read_text(errors="replace")
    guesses = "\n".join(attack.text for attack in ATTACKS)
    always = set.intersection(*(set(wanted) for wanted in WANTED.values()))
    wanted = {value: ALL[value] for value in always if value not in guesses}
    assert len(wanted) > 5
    assert "ERROR" in written
    assert found_in(written, wanted) == []


def test_the_corpus_is_large_and_every_trick_is_tried() -> None:
    assert len({attack.text for attack in ATTACKS}) >= 200
    assert all(len(texts) >= 8 for texts in TRICKS.values())


@pytest.mark.parametrize("purpose", PURPOSES)
def test_the_twin_looks_the_same_and_is_another(purpose: str) -> None:
    true, twin = database(READ), database(READ, purpose)
    seen_columns, changed = views(READ, purpose), 0
    for table, rows in ROWS.items():
        for place, row in enumerate(rows):
            for column in row:
                one, other = true[table][place][column], twin[table][place][column]
                seen = shown(seen_columns, purpose, table, place, column)
                changed += one != other
                assert seen is not Access.FULL or one == other
                found = seen_columns[table].get(column)
                transform = None if found is None else found.transform
                if seen is Access.CONDITIONAL and transform is not None and not transform.hides:
                    assert one != other
                    assert transform.weaker(one, found.type) == transform.weaker(other, found.type)
    assert changed >= len(WANTED[purpose]) > 10
