"""How long does publishing from table to table of PostgreSQL take, against copying the table out and in again?"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks import postgres_server
from benchmarks.command import SFUMATO
from benchmarks.files import QUASI, SENSITIVE, Files, level_file
from benchmarks.measure import Measured, command, interleaved, task
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings

COPY, PUBLISH = "COPY out and in", "publish"
COLUMNS = (*QUASI, SENSITIVE, "hours-per-week")


def measure(settings: Settings) -> Iterator[Row]:
    """A million records of ten columns; ten million, once, when asked for."""
    if not postgres_server.there():
        yield Row(question="databases", name="PostgreSQL", figure=None, unit="", note="there is no server wheel")
        return
    yield from _at(settings, settings.million, settings.repeat)
    if settings.large:
        yield from _at(settings, 10 * settings.million, 1)


def _at(settings: Settings, records: int, repeat: int) -> Iterator[Row]:
    source, folder = Files(settings.cache).text(records), settings.cache / "databases"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with postgres_server.running() as connection:
        task("benchmarks.databases:fill", connection=connection, source=source, folder=folder)
        plan = folder / "plan.toml"
        plan.write_text(plan_text(connection), encoding="utf-8")
        runs = {
            PUBLISH: lambda: command([SFUMATO, "publish", plan]),
            COPY: lambda: task("benchmarks.databases:copy", connection=connection, folder=folder),
        }
        if repeat > 1:
            runs[PUBLISH]()  # compiled code is on disk from here on
        found = interleaved(runs, repeat)
    name = f"PostgreSQL table to table, {records:,} x {len(COLUMNS)}"
    # Starting a program takes a second of the smaller one, so the ratio says more of the larger one.
    yield from _rows(name, found[PUBLISH], found[COPY], large=records > settings.million)


def _rows(name: str, found: Measured, floor: Measured, *, large: bool) -> Iterator[Row]:
    yield Row(
        question="databases",
        name=name,
        figure=found.wall,
        unit="s",
        ratio=found.wall / floor.wall,
        against=f"{COPY}, {floor.wall:.1f} s",
        bar=at_most(3, "ratio") if large else None,
        note=f"CPU of the command {found.cpu:.1f} s",
    )
    yield Row(question="databases", name=name, figure=found.megabytes, unit="MB", bar=at_most(1_000))


def plan_text(connection: str) -> str:
    """From the table `people` to the table `release`: k=10 by Mondrian with median cuts, and a certificate."""
    columns = "".join(
        f'[columns.{name}]\nrole = "quasi"\ntaxonomy = {{ file = "{level_file(name)}" }}\n' for name in QUASI
    )
    database = "postgresql:" + connection.replace("password=''", "")
    return (
        f'[data]\ndatabase = "{database}"\ntable = "people"\n{columns}[columns.{SENSITIVE}]\nrole = "sensitive"\n'
        '[[models]]\nname = "k_anonymity"\nk = 10\n[algorithm]\nname = "mondrian"\ncut = "median"\n'
        f'[output]\ndatabase = "{database}"\ntable = "release"\ncertificate = "certificate.json"\n'
    )


def fill(connection: str, source: str, folder: str) -> None:
    """Put ten columns of a text file into the table `people`."""
    import duckdb

    rows, names = Path(folder) / "rows.csv", ", ".join(f'"{name}"' for name in COLUMNS)
    duckdb.sql(f"COPY (SELECT {names} FROM read_csv('{source}', all_varchar = true)) TO '{rows}' (FORMAT csv)")
    types = ", ".join(f'"{name}" {"integer" if name in ("age", "hours-per-week") else "text"}' for name in COLUMNS)
    _execute(connection, f"CREATE TABLE people ({types})")
    _copy_in(connection, "people", rows, "FORMAT csv, HEADER")
    rows.unlink()


def copy(connection: str, folder: str) -> None:
    """The least that any publishing must do, by PostgreSQL's own client: every record out, and into a new table."""
    rows = Path(folder) / "copy.csv"
    _execute(connection, "DROP TABLE IF EXISTS copied", "CREATE TABLE copied (LIKE people)")
    for statement in (f"\\copy people TO '{rows}' (FORMAT csv)", f"\\copy copied FROM '{rows}' (FORMAT csv)"):
        subprocess.run([postgres_server.client(), "-q", "-d", connection, "-c", statement], check=True)
    rows.unlink()


def _execute(connection: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(connection) as connected:
        for statement in statements:
            connected.execute(statement.encode())


def _copy_in(connection: str, table: str, rows: Path, options: str) -> None:
    import psycopg

    statement = f"COPY {table} FROM STDIN ({options})".encode()
    with (
        psycopg.connect(connection) as connected,
        rows.open("rb") as stream,
        connected.cursor().copy(statement) as into,
    ):
        while block := stream.read(1 << 20):
            into.write(block)
