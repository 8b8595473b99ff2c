"""What `sfumato doctor` says is compared with the extras of the project, and where packages are missing or too old."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sfumato.cli import doctor
from sfumato.cli.doctor import JOBS, REQUIRED
from tests.cli.commands import sfumato

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def packages(lines: list[str]) -> set[str]:
    """The names in a list of requirements."""
    return {re.match(r"[\w-]+", line)[0] for line in lines}  # type: ignore[index]


def test_what_is_required_is_what_the_project_requires() -> None:
    assert set(REQUIRED.packages) == packages(PROJECT["dependencies"])


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_package_of_an_extra_is_for_a_job(extra: str) -> None:
    used = {name for job in JOBS if extra in job.extras for name in job.packages}
    assert packages(EXTRAS[extra]) <= used


@pytest.mark.parametrize("job", JOBS[1:], ids=lambda job: job.name)
def test_the_extras_of_a_job_install_its_packages_and_none_is_superfluous(job: doctor.Job) -> None:
    assert set(job.packages) <= {name for extra in job.extras for name in packages(EXTRAS[extra])}
    assert all(packages(EXTRAS[extra]) & set(job.packages) for extra in job.extras)


def test_the_page_explains_every_extra_and_the_readme_too() -> None:
    root = Path(__file__).parents[2]
    for page in (root / "README.md", root / "docs" / "install.md"):
        text = page.read_text(encoding="utf-8")
        assert [extra for extra in EXTRAS if f"| `{extra}` |" not in text] == []


def test_everything_is_there() -> None:
    told = sfumato("doctor", "--format", "json")
    found = json.loads(told.stdout)
    assert told.exit_code == 0
    assert found["broken"] == []
    assert [job["job"] for job in found["jobs"]] == [job.name for job in JOBS]
    assert all(job["ok"] for job in found["jobs"])
    machine = found["machine"]
    assert machine["processors"] >= 1
    assert machine["temporary"]["free"] > 0
    assert 0 <= machine["compiled_loops"]["kept"] <= machine["compiled_loops"]["all"] > 100


def installed(monkeypatch: pytest.MonkeyPatch, **versions: str | None) -> None:
    """As if these packages had these versions, or were not installed."""
    real = doctor.version

    def version(name: str) -> str:
        found = versions.get(name.replace("-", "_"), real(name))
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(doctor, "version", version)


def test_what_is_missing_or_too_old_is_said_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL needs psycopg 3.2 and scikit-learn at least 1.5: 1.10 is later, 1.4.9 is earlier."""
    installed(monkeypatch, psycopg=None, scikit_learn="1.4.9", sqlglot="30.10")
    told = sfumato("doctor")
    assert told.exit_code == 0
    lines = [" ".join(line.split()) for line in told.stdout.splitlines()]
    assert 'missing read and write tables of PostgreSQL pip install "sfumato[postgres]"' in lines
    assert 'missing gateway for PostgreSQL pip install "sfumato[gateway,postgres]"' in lines
    assert any("scikit-learn 1.4.9 is older than 1.5" in line for line in lines)
    assert "ok gateway for DuckDB databases and files" in lines


def test_what_is_required_and_missing_or_unusable_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, tomlkit=None)
    told = sfumato("doctor", "--format", "json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["broken"] == ["tomlkit is missing"]

    def load(name: str) -> None:
        raise {"numpy": ModuleNotFoundError, "pyarrow": ImportError}.get(name, ModuleNotFoundError)(name)

    monkeypatch.setattr(doctor, "import_module", load)
    assert doctor._failing_modules() == ["pyarrow cannot be imported (ImportError)"]


def test_a_machine_without_room_says_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_compiled_loops", lambda: {"folder": None, "kept": 0, "all": 9})
    monkeypatch.setattr(doctor, "_temporary", lambda: {"folder": "/full", "free": None})
    told = sfumato("doctor")
    assert told.exit_code == 1
    assert "set NUMBA_CACHE_DIR" in told.stdout
    assert "set TMPDIR" in told.stdout
