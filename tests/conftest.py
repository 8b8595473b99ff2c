"""What all tests share: how examples are drawn, and where the reference data lies.

There are no deadlines, because kernels compile on first use. Where CI is set the same examples are drawn every time, so
that a change is judged by what it changed; everywhere else every run draws new ones.
"""

import os
from functools import cache
from pathlib import Path

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

from tests.examples import TIMES, USUAL
from tests.postgres import postgres, postgres_server, shared_postgres

__all__ = ["data_folder", "postgres", "postgres_server", "shared_postgres"]

settings.register_profile(
    "sfumato",
    max_examples=USUAL * TIMES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sfumato")

typer.testing._get_command = cache(typer.main.get_command)  # made of 40 functions, and otherwise anew for every command


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of reference data; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the reference data is not here; set SFUMATO_DATA")
    return folder
