"""How long does the whole command take, CSV in and CSV out, against a bare copy of the file by DuckDB?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.files import QUASI, SENSITIVE, Files, level_file
from benchmarks.measure import Measured, command, interleaved, task
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings

SFUMATO = Path(sys.executable).with_name("sfumato")
COPY = "bare DuckDB copy"
CERTIFIED, REPORTED = "certificate", "certificate and report"


def measure(settings: Settings) -> Iterator[Row]:
    """A million records with and without the report; ten million when asked for."""
    files = Files(settings.cache)
    _publish(settings, files.text(1_000), CERTIFIED)  # compiled code is on disk from here on
    source = files.text(settings.million)
    found = interleaved(
        {
            CERTIFIED: lambda: _publish(settings, source, CERTIFIED),
            REPORTED: lambda: _publish(settings, source, REPORTED),
            COPY: lambda: task("benchmarks.command:copy", source=source, target=settings.cache / "copy.csv"),
        },
        settings.repeat,
    )
    floor = found[COPY]
    size = f"{settings.million:,} records"
    for extra in (CERTIFIED, REPORTED):
        yield from _rows(f"publish {size}, with {extra}", found[extra], floor)
    note = f"CPU {floor.cpu:.1f} s, {floor.megabytes:.0f} MB"
    yield Row(question="command", name=f"{COPY} of {size}", figure=floor.wall, unit="s", note=note)
    if settings.large:
        yield from _ten_times(settings, files.text(10 * settings.million), found[CERTIFIED])


def _rows(name: str, found: Measured, floor: Measured) -> Iterator[Row]:
    note, ratio = f"CPU {found.cpu:.1f} s", found.wall / floor.wall
    yield Row(
        question="command",
        name=name,
        figure=found.wall,
        unit="s",
        ratio=ratio,
        against=COPY,
        bar=at_most(2.6),
        note=note,
    )
    yield Row(question="command", name=name, figure=found.megabytes, unit="MB", bar=at_most(600))


def _ten_times(settings: Settings, source: Path, once: Measured) -> Iterator[Row]:
    found, name = _publish(settings, source, CERTIFIED), f"publish {10 * settings.million:,} records"
    yield Row(
        question="command",
        name=name,
        figure=found.wall,
        unit="s",
        ratio=found.wall / once.wall,
        against="a tenth of the records",
        bar=at_most(12, "ratio"),
        note=f"once; CPU {found.cpu:.1f} s",
    )
    yield Row(question="command", name=name, figure=found.megabytes, unit="MB", bar=at_most(3_000))


def _publish(settings: Settings, source: Path, extra: str) -> Measured:
    plan = settings.cache / "plan.toml"
    plan.write_text(plan_text(source, extra), encoding="utf-8")
    return command([SFUMATO, "publish", plan])


def plan_text(source: Path, extra: str) -> str:
    """The plan: eight quasi columns with their level files, k=10 by Mondrian with median cuts."""
    columns = "".join(
        f'[columns.{name}]\nrole = "quasi"\ntaxonomy = {{ file = "{level_file(name)}" }}\n' for name in QUASI
    )
    report = 'report = "report.html"\n' if extra == REPORTED else ""
    return (
        f'[data]\npath = "{source}"\n{columns}[columns.{SENSITIVE}]\nrole = "sensitive"\n'
        '[[models]]\nname = "k_anonymity"\nk = 10\n[algorithm]\nname = "mondrian"\ncut = "median"\n'
        f'[output]\npath = "release.csv"\ncertificate = "certificate.json"\n{report}'
    )


def copy(source: str, target: str) -> None:
    """The least that any publishing must do: read every record and write it again."""
    import duckdb

    duckdb.sql(f"COPY (FROM read_csv('{source}', all_varchar = true)) TO '{target}' (FORMAT csv)")
