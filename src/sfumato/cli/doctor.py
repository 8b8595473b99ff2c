"""`sfumato doctor`: what is installed for which job, and what the machine offers.

It reads the metadata of the installed packages and imports only what every job needs, so that it also works where
something is missing.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.options import FormatOption

BROKEN = 1
_SPARE = 1_000_000_000
"""Bytes of a temporary folder below which a warning says that large sources may not fit."""


@dataclass(frozen=True)
class Job:
    """What somebody can do with the library, the packages that it needs, and the extras that install them."""

    name: str
    packages: tuple[str, ...]
    extras: tuple[str, ...] = ()


REQUIRED = Job(
    "publish, check and attack files and frames; SQLite and DuckDB databases",
    (
        "duckdb", "jinja2", "narwhals", "numba", "numpy", "pyarrow", "pydantic", "rich", "scipy", "tomlkit", "typer",
    ),
)  # fmt: skip

JOBS = (
    REQUIRED,
    Job("read Excel and OpenDocument workbooks", ("python-calamine",), ("formats",)),
    Job("read files of SPSS, Stata and SAS", ("pyreadstat",), ("formats",)),
    Job("write files of SPSS and Stata", ("pyreadstat", "polars"), ("formats",)),
    Job("read Delta tables", ("deltalake",), ("formats",)),
    Job("read and write tables of PostgreSQL", ("psycopg",), ("postgres",)),
    Job("clusterers and gradient boosting in evaluations", ("scikit-learn",), ("learn",)),
    Job("gateway for DuckDB databases and files", ("sqlglot",), ("gateway",)),
    Job("gateway for PostgreSQL", ("psycopg", "sqlglot"), ("gateway", "postgres")),
    Job("gateway over HTTP", ("fastapi", "httptools", "sqlglot", "uvicorn", "uvloop"), ("gateway", "serve")),
    Job("gateway answers with noise (differential privacy)", ("opendp", "sqlglot"), ("gateway", "private")),
)
"""What the library is for. `tests/cli/test_doctor.py` compares the packages with the extras of the project."""

_MODULES = ("duckdb", "numba", "numpy", "pyarrow", "pydantic", "scipy")
"""Required modules with compiled parts, which may be installed and fail to load."""


def doctor(form: FormatOption = Format.TEXT) -> None:
    """Show what is installed for which job, and what the machine offers; exit with 1 if a required part is broken."""
    with answering():
        jobs = [_examined(job) for job in JOBS]
        machine = _machine()
        broken = [*_failing_modules(), *(["temporary folder"] if machine["temporary"]["free"] is None else [])]
        if not jobs[0]["ok"]:
            broken += jobs[0]["problems"]
        plain = {"broken": broken, "jobs": jobs, "machine": machine, "versions": _versions()}
        answer(form, plain, lambda: _text(plain))
        if broken:
            raise typer.Exit(BROKEN)


def _examined(job: Job) -> dict[str, Any]:
    """Whether everything for a job is installed; if not, what is missing or too old, and what installs it."""
    least = _least_versions()
    problems = [problem for name in job.packages if (problem := _problem(name, least.get(name, "")))]
    wanted = f"sfumato[{','.join(job.extras)}]" if job.extras else "sfumato"
    install = {"install": f'pip install "{wanted}"'} if problems else {}
    return {"job": job.name, "extras": list(job.extras), "ok": not problems, "problems": problems, **install}


def _problem(package: str, least: str) -> str:
    """What is wrong with a package; empty if it is there, or not needed on this platform."""
    if package == "uvloop" and sys.platform == "win32":
        return ""
    try:
        found = version(package)
    except PackageNotFoundError:
        return f"{package} is missing"
    return f"{package} {found} is older than {least}" if _numbers(found) < _numbers(least) else ""


def _least_versions() -> dict[str, str]:
    """The lower bound of every package that the library may need, from its own metadata."""
    found = (re.match(r"([\w-]+)(?:\[.*?\])?[^;]*?>=([\d.]+)", line) for line in requires("sfumato") or ())
    return {match[1].lower(): match[2] for match in found if match}


def _numbers(text: str) -> tuple[int, ...]:
    """A version as numbers, which can be compared."""
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3])


def _failing_modules() -> list[str]:
    """Required modules that are installed and cannot be imported."""
    failing = []
    for name in _MODULES:
        try:
            import_module(name)
        except ModuleNotFoundError:
            continue  # said by its job
        except Exception as error:
            failing.append(f"{name} cannot be imported ({type(error).__name__})")
    return failing


def _versions() -> dict[str, str]:
    """The versions of Python and of all packages of all jobs that are installed."""
    found = {"python": platform.python_version()}
    for package in ("sfumato", *sorted({name for job in JOBS for name in job.packages})):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _machine() -> dict[str, Any]:
    """Processors, memory, the temporary folder and the cache of compiled loops."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": _processors(),
        "memory": _memory(),
        "temporary": _temporary(),
        "compiled_loops": _compiled_loops(),
    }


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> int | None:
    """The bytes of memory; None if the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _temporary() -> dict[str, Any]:
    """The folder for temporary files and its free bytes; None if no file can be written there."""
    try:
        folder = tempfile.gettempdir()
        with tempfile.TemporaryFile(dir=folder):
            return {"folder": folder, "free": shutil.disk_usage(folder).free}
    except OSError:
        return {"folder": os.environ.get("TMPDIR", ""), "free": None}


def _compiled_loops() -> dict[str, Any]:
    """Where compiled loops are kept, how many are kept and how many there are; empty where numba cannot be loaded."""
    try:
        from sfumato.kernels.compiled import cache_folder, cached_loops
    except Exception:  # `_failing_modules` says why
        return {"folder": None, "kept": 0, "all": 0}
    folder: Path | None = cache_folder()
    kept, total = cached_loops()
    return {"folder": None if folder is None else str(folder), "kept": kept, "all": total}


def _text(plain: Mapping[str, Any]) -> str:
    from sfumato.cli.drawing import titled

    jobs = []
    for job in plain["jobs"]:
        others = [problem for problem in job["problems"] if not problem.endswith(" is missing")]
        said = "; ".join([*others, *filter(None, [job.get("install")])])
        jobs.append(["ok" if job["ok"] else "missing", job["job"], said])
    parts = [
        titled("Jobs", jobs),
        titled("Machine", _machine_rows(plain["machine"])),
        "Versions: " + ", ".join(f"{name} {found}" for name, found in plain["versions"].items()),
    ]
    if plain["broken"]:
        parts.append(titled("Broken", [[one] for one in plain["broken"]]))
    return "\n\n".join(parts)


def _machine_rows(machine: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    temporary, loops = machine["temporary"], machine["compiled_loops"]
    free = temporary["free"]
    space = "no file can be written; set TMPDIR" if free is None else f"{free / 1e9:.1f} GB free"
    if free is not None and free < _SPARE:
        space += "; large sources may not fit, set TMPDIR to another folder"
    kept = f"{loops['kept']} of {loops['all']} loops kept in {loops['folder']}"
    if loops["folder"] is None:
        kept = "no writable folder, so every run compiles again; set NUMBA_CACHE_DIR to a writable folder"
    elif loops["kept"] < loops["all"]:
        kept += "; 'sfumato warm' compiles the others before they are needed"
    memory = machine["memory"]
    return [
        ["system", machine["system"]],
        ["processors", str(machine["processors"])],
        ["memory", "unknown" if memory is None else f"{memory / 1e9:.1f} GB"],
        ["temporary folder", f"{temporary['folder']}, {space}"],
        ["compiled loops", kept],
    ]
