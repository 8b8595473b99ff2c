"""`sfumato warm [NAME ...]`: compile loops before their first use.

Loops are compiled by small publications with every algorithm, and by the small tasks of `cli.warm_tasks` for what is no
algorithm: masks, learners, knowledge, insertion and audited sums. Several processes compile at once. All of them store
what they compiled in the same folder and look there first.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.completion import words_from
from sfumato.cli.options import FormatOption
from sfumato.cli.warm_tasks import TASKS
from sfumato.errors import OutputError, SfumatoError, UsageError, nearest
from sfumato.settings import catalogue
from sfumato.settings.params import Declared

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
        typer.Argument(
            metavar="[NAME]...",
            help="Algorithms from 'sfumato list algorithms', or masks, learners, knowledge, insertion, aggregates; "
            "by default all.",
            autocompletion=words_from(lambda: [*catalogue.names_in_files("algorithms"), *TASKS]),
        ),
    ] = None,
    *,
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled loops of sfumato first.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="How many processes compile at once; by default one a processor.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Compile loops in advance, for example in a container image, so that first runs are fast."""
    with answering():
        from sfumato.kernels.compiled import cache_folder, clear_cache
        from sfumato.runtime.progress import advance

        folder = cache_folder()
        if folder is None:
            raise OutputError(
                "there is no writable folder for compiled loops: neither the folder of sfumato nor the cache of the "
                "user is writable. Set the environment variable NUMBA_CACHE_DIR to a writable folder, here and "
                "wherever sfumato runs."
            )
        # What an algorithm with a required setting does depends on the table, and its loops are those of its family.
        offered = catalogue.without_required_settings("algorithms", Declared)
        known = [*(thing.name() for thing in offered), *TASKS]
        chosen = names or known
        if unknown := next((name for name in chosen if name not in known), None):
            raise UsageError(f"there is nothing to warm called {unknown!r}; {nearest(unknown, known)}")
        modules = {name: _module(name) for name in chosen}
        start, removed, loops = time.perf_counter(), clear_cache() if clear else 0, 0
        with progress_bar():
            advance("warming", 0, len(chosen))
            for done, (name, compiled) in enumerate(_warm_all(_in_turn(modules), jobs or _processors()), start=1):
                advance(f"warmed {name}", done, len(chosen))
                loops += compiled
        seconds = round(time.perf_counter() - start, 1)
        algorithms, tasks = ([name for name in chosen if (name in TASKS) is task] for task in (False, True))
        plain = {"folder": str(folder), "algorithms": algorithms, "tasks": tasks, "removed": removed, "loops": loops}
        plain["seconds"] = seconds
        answer(form, plain, lambda: _warm_text(plain))


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _module(name: str) -> str:
    """The module of an algorithm or a task."""
    return __name__ if name in TASKS else catalogue.find("algorithms", name).__module__


def _in_turn(modules: dict[str, str]) -> list[str]:
    """The names, one of each family in turn, because those of one family need the same loops."""
    families: dict[str, list[str]] = {}
    for name, module in modules.items():
        families.setdefault(module.rpartition(".")[0], []).append(name)
    return [name for name in chain.from_iterable(zip_longest(*families.values())) if name is not None]


def _warm_all(names: Sequence[str], jobs: int) -> Iterator[tuple[str, int]]:
    """Warm everything, in this process or in several others; yields each name and how many loops were compiled."""
    if min(jobs, len(names)) == 1:
        yield from ((name, _warm_one(name)) for name in names)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    with ProcessPoolExecutor(min(jobs, len(names)), mp_context=get_context("spawn")) as processes:
        waiting = {processes.submit(_warm_one, name): name for name in names}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            processes.shutdown(wait=True, cancel_futures=True)


def _warm_one(name: str) -> int:
    """Compile the loops of one algorithm or task, and return how many were not compiled before."""
    from numba.core.event import install_recorder

    with install_recorder("numba:compile") as recorded:
        if name in TASKS:
            TASKS[name]()
        else:
            _publish_examples(catalogue.find("algorithms", name)())  # type: ignore[arg-type]
    return sum(found.is_start and _is_own_loop(found.data["dispatcher"]) for _, found in recorded.buffer)


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
    if setting.name == "start":  # groups of one algorithm are improved by another: centroids or ranges
        return ("k_member",)
    if setting.type is bool:
        return (not setting.default,)
    return get_args(setting.type) if get_origin(setting.type) is Literal else ()


def _can_publish(plan: dict[str, Any], folder: str) -> bool:
    """Run a plan and return whether it succeeds; what an algorithm refuses needs no loops."""
    from sfumato import Plan

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
        "job": [("a", "b", '"c, d"')[number % 3] for number in numbers],  # one text is quoted in CSV
        "ill": ["xyz"[number // 2 % 3] for number in numbers],
        "pay": [str(number % 2) for number in numbers],
    }


def _is_own_loop(dispatcher: Any) -> bool:
    """Whether a compiled function belongs to this library and not to numba."""
    return str(dispatcher.py_func.__module__).startswith("sfumato.")


def _warm_text(plain: dict[str, Any]) -> str:
    removed = f"Removed {plain['removed']} files. " if plain["removed"] else ""
    parts = [f"{len(plain['algorithms'])} algorithms"] if plain["algorithms"] else []
    parts += plain["tasks"]
    return (
        f"{removed}Compiled {plain['loops']} loops for {', '.join(parts)} in {plain['seconds']} s; "
        f"the others were compiled already. They are stored below {plain['folder']}."
    )
