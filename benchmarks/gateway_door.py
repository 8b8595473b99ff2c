"""How many questions does the HTTP door of the gateway answer, how soon, and does it keep to its limits?"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Failed, task
from benchmarks.row import Bar, Row, at_least, at_most
from benchmarks.settings import Settings

CLIENTS, LIMIT = 20, 1.0
SECONDS, MANY_SECONDS = 10.0, 600.0
PATIENCE = 60.0
GROWTH = 1.05
"""Memory that is flat may still wander by so much."""


@dataclass(frozen=True)
class Door:
    """A server that listens."""

    port: int
    tokens: list[str]
    pid: int


def measure(settings: Settings) -> Iterator[Row]:
    """One client, twenty with bound parameters, twenty with literals, and a question without end."""
    records = settings.million
    with _opened(records) as door:

        def crowd(clients: int, seconds: float, way: str) -> dict[str, float]:
            asked = {"clients": clients, "seconds": seconds, "way": way, "records": records}
            told: dict[str, Any] = {"port": door.port, "tokens": door.tokens, "server": door.pid, **asked}
            return dict(task("benchmarks.gateway_load:crowd", **told).answer)

        alone = crowd(1, SECONDS, "bound parameters")
        yield _row("one client, half of the answers within", alone["p50"] * 1e3, "ms", at_most(3), _told(alone))
        for way, least in (("literal SQL", 400), ("bound parameters", 800)):
            long = settings.large and way == "bound parameters"
            found = crowd(CLIENTS, MANY_SECONDS if long else SECONDS, way)
            yield from _rows(f"{CLIENTS} clients, {way}", found, least)
        over = task(
            "benchmarks.gateway_load:late", port=door.port, token=door.tokens[0], allowed=LIMIT, repeat=5
        ).answer
        note = f"{over['refused']:.0f} of {over['asked']:.0f} stopped"
        yield _row(f"a limit of {LIMIT:g} s, exceeded by", over["over"] * 1e3, "ms", at_most(50), note)


def _rows(name: str, found: dict[str, float], least: float) -> Iterator[Row]:
    yield _row(name, found["rate"], "requests/s", at_least(least), _told(found))
    yield _row(f"{name}, 99 of 100 answers within", found["p99"] * 1e3, "ms", at_most(80))
    yield _row(f"{name}, refused", found["refused"], "", at_most(0))
    growth = found["after"] / found["before"]
    note = f"from {found['before'] / 1e6:.0f} to {found['after'] / 1e6:.0f} MB"
    yield _row(f"{name}, memory after against before", growth, "x", at_most(GROWTH), note)


def _told(found: dict[str, float]) -> str:
    return f"{found['asked']:.0f} asked; p50 {found['p50'] * 1e3:.2f} ms, p99 {found['p99'] * 1e3:.2f} ms"


def _row(name: str, figure: float, unit: str, bar: Bar, note: str = "") -> Row:
    return Row(question="gateway_door", name=name, figure=figure, unit=unit, bar=bar, note=note)


@contextmanager
def _opened(records: int) -> Iterator[Door]:
    """`sfumato gateway serve` in a folder of its own, until the block ends."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        made = task("benchmarks.customers:write_setup", folder=folder, records=records, users=CLIENTS, allowed=LIMIT)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        argv = [Path(sys.executable).with_name("sfumato"), "gateway", "serve", "--port", str(port)]
        server = subprocess.Popen([*map(str, argv), "--setup", str(Path(folder) / "gateway.toml")])
        try:
            _wait(server, port)
            yield Door(port, made.answer["tokens"], server.pid)
        finally:
            server.terminate()
            server.wait()


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise Failed("the door did not open")
