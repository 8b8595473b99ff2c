"""`sfumato warm [ALGORITHM ...]`: compile the loops of algorithms before their first use."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.options import FormatOption

if TYPE_CHECKING:
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.settings.params import Setting

_RECORDS = 24
_COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi", "taxonomy": {"intervals": [0, 4, 8, 16, 32]}},
    "job": {"role": "quasi", "taxonomy": {"flat": True}},
    "ill": {"role": "sensitive"},
    "pay": {"role": "target"},
}
"""Columns of all kinds that loops are compiled for: numbers, categories, a sensitive column and a target."""

_NUMBER_COLUMNS = {name: column for name, column in _COLUMNS.items() if name != "job"}
"""The same with one quasi column of numbers, for algorithms that support nothing else."""


def warm(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ALGORITHM]...", help="Algorithms from 'sfumato list algorithms'; by default all."),
    ] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled loops of sfumato first.")] = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Compile the loops of algorithms in advance, for example in a container image, so that first runs are fast."""
    with answering():
        from numba.core.event import install_recorder

        from sfumato.errors import OutputError
        from sfumato.kernels.compiled import cache_folder, clear_cache
        from sfumato.runtime.progress import advance
        from sfumato.settings import catalogue

        folder = cache_folder()
        if folder is None:
            raise OutputError(
                "there is no writable folder for compiled loops: neither the folder of sfumato nor the cache of the "
                "user is writable. Set the environment variable NUMBA_CACHE_DIR to a writable folder, here and "
                "wherever sfumato runs."
            )
        chosen = names or list(catalogue.names("algorithms"))
        algorithms: list[TableAlgorithm] = [catalogue.find("algorithms", name)() for name in chosen]  # type: ignore[misc]
        start, removed = time.perf_counter(), clear_cache() if clear else 0
        with progress_bar(), install_recorder("numba:compile") as recorded:
            for done, algorithm in enumerate(algorithms):
                advance(f"warming {algorithm.name()}", done, len(algorithms))
                _publish_examples(algorithm)
        loops = sum(found.is_start and _is_own_loop(found.data["dispatcher"]) for _, found in recorded.buffer)
        seconds = round(time.perf_counter() - start, 1)
        plain = {"folder": str(folder), "algorithms": chosen, "removed": removed, "loops": loops, "seconds": seconds}
        answer(form, plain, lambda: _warm_text(plain))


def _publish_examples(algorithm: TableAlgorithm) -> None:
    """Run small plans that the algorithm serves, which compiles the loops that any publication needs."""
    from tempfile import TemporaryDirectory

    rows = _rows()
    with TemporaryDirectory() as folder:
        lines = [",".join(line) for line in (rows, *zip(*rows.values(), strict=True))]
        (Path(folder) / "records.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for columns in (_COLUMNS, _NUMBER_COLUMNS):
            plans = _plans(algorithm, columns, rows)
            if sum(_can_publish(plan, folder) for plan in plans):
                return


def _plans(algorithm: TableAlgorithm, columns: dict[str, dict[str, Any]], rows: dict[str, list[str]]) -> Iterator[Any]:
    """Plans for every model that the algorithm serves, and for every value of its settings that selects other loops."""
    from sfumato import Plan, Table
    from sfumato.checks.satisfiable_models import satisfiable_models, simplest_model

    given = {"data": {"path": "records.csv"}, "columns": columns, "output": {"path": "release.csv"}}
    given |= {"suppression": {"limit": 0.5}, "algorithm": {"name": algorithm.name()}}
    schema = Plan.of(given | {"models": [{"name": "k_anonymity", "k": 2}]}).schema()
    table = Table.of_rows(schema, {name: rows[name] for name in columns})
    for model in satisfiable_models(algorithm, table):
        yield given | {"models": [one.to_dict() for one in model.members()]}
    plain = [one.to_dict() for one in simplest_model(algorithm, table, 2).members()]
    for setting in algorithm.settings():
        for choice in _choices(setting):
            yield given | {"models": plain, "algorithm": {"name": algorithm.name(), setting.name: choice}}


def _choices(setting: Setting) -> tuple[Any, ...]:
    """The other values of a setting that may need other loops: choices, the opposite of a flag, blocks of rows."""
    if setting.name == "rows_at_once":
        return (_RECORDS // 2,)
    if setting.type is bool:
        return (not setting.default,)
    return get_args(setting.type) if get_origin(setting.type) is Literal else ()


def _can_publish(plan: dict[str, Any], folder: str) -> bool:
    """Run a plan and return whether it succeeds; what an algorithm refuses needs no loops."""
    from sfumato import Plan
    from sfumato.errors import SfumatoError

    try:
        Plan.of(plan, folder).run()
    except SfumatoError:
        return False
    return True


def _rows() -> dict[str, list[str]]:
    """Example values for every column."""
    numbers = range(_RECORDS)
    return {
        "age": [str(number) for number in numbers],
        "job": ["abc"[number % 3] for number in numbers],
        "ill": ["xyz"[number // 2 % 3] for number in numbers],
        "pay": [str(number % 2) for number in numbers],
    }


def _is_own_loop(dispatcher: Any) -> bool:
    """Whether a compiled function belongs to this library and not to numba."""
    return str(dispatcher.py_func.__module__).startswith("sfumato.")


def _warm_text(plain: dict[str, Any]) -> str:
    removed = f"Removed {plain['removed']} files. " if plain["removed"] else ""
    return (
        f"{removed}Compiled {plain['loops']} loops for {len(plain['algorithms'])} algorithms in {plain['seconds']} s; "
        f"the others were compiled already. They are stored below {plain['folder']}."
    )
