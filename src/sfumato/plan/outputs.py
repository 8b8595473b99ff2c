"""Where a plan writes: files, and tables of a database instead of the file of the release; all appear, or none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sfumato.engines.writing.publishing import sensitive_path
from sfumato.engines.writing.sinks import demand_writable
from sfumato.errors import PlanError
from sfumato.runtime.atomic_files import Staging, demand_table_possible
from sfumato.runtime.private_folders import PrivateFolder

if TYPE_CHECKING:
    from sfumato.plan.plan import Plan

_TABLES = ("release", "sensitive_table")
"""The results that are tables; all others are documents."""


class Outputs:
    """The results of a plan by name, in private places until `commit`.

    `files` are those that become files, `tables` those that become tables of a database, and `places` where each is
    written first. What recipients will read is judged before it appears: `written` stores tables and reads them back.
    """

    def __init__(self, plan: Plan) -> None:
        self.files, self.tables = _files(plan), _tables(plan)
        self._plan, self._database = plan, plan.output_database()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for name in self.files.keys() & _TABLES:
            demand_table_possible(self.files[name])
        with ExitStack() as stack:
            self._staging = stack.enter_context(Staging(self.files.values()))
            private = stack.enter_context(PrivateFolder()).path
            self._stack = stack.pop_all()
        self.places = {name: self._staging.place(path) for name, path in self.files.items()}
        self.places |= {name: private / f"{name}.parquet" for name in self.tables}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def demand_writable(self, types: Mapping[str, Any]) -> None:
        """Raise an error if the release cannot hold a column of a type, or if it would replace what the plan reads."""
        if self._database is None:
            demand_writable(self.files["release"], types)
            return
        query = self._plan.database()
        same = query is not None and query.database.is_same(self._database)
        with self._database.staged() as staged:
            staged.rehearse(list(self.tables.values()), types, query.select if query is not None and same else None)

    def written(self) -> dict[str, Path]:
        """The tables that are written, as recipients could read them: those of a database are read back from it."""
        places = {name: self.places[name] for name in _TABLES if name in self.places}
        if self._database is None:
            return places
        self._staged = self._stack.enter_context(self._database.staged())
        return {
            name: self._staged.store(self.tables[name], place, place.with_name(f"{name}_stored"))
            for name, place in places.items()
        }

    def commit(self) -> None:
        """Move all results into place; if one cannot be moved, the earlier ones stay."""
        if self._database is None:
            self._staging.commit()
            return
        self._staged.replace()  # it may wait for readers of the old tables, which the files do not
        self._staging.commit(self._staged.commit)


def _files(plan: Plan) -> dict[str, Path]:
    """The files to write; refused if one of them is an input file of the plan or is named twice."""
    output = plan.sections.output
    named = {"release": output.path, "certificate": output.certificate, "report": output.report}
    files = {name: plan.folder / path for name, path in named.items() if path}
    if plan.algorithm().separate_table:
        if "release" in files:
            given = output.sensitive_table
            files["sensitive_table"] = plan.folder / given if given else sensitive_path(files["release"])
    elif output.sensitive_table:
        raise PlanError(
            f"{plan.described}: [output] sensitive_table is for algorithms that publish sensitive values in a "
            "separate table, such as anatomy; leave it out."
        )
    _demand_free(plan, files)
    return files


def _demand_free(plan: Plan, files: Mapping[str, Path]) -> None:
    """Raise an error for a file that is read by the plan, or written twice, or in a folder that is read or replaced."""
    taken = {path.resolve(): name for name, path in plan.input_files().items()}
    database = plan.output_database()
    if database is not None and database.file is not None:
        taken[database.file.resolve()] = "[output] database"
    for name, path in files.items():
        if name in ("certificate", "report") and path.is_dir():
            raise PlanError(f"{plan.described}: [output] {name} names a folder; name a file.")
        around = next((other for other in path.resolve().parents if other in taken and other.is_dir()), None)
        if around is not None:
            raise PlanError(
                f"{plan.described}: [output] {_key(name)} would be written into the folder of {taken[around]}, where "
                "it would be read as data; write it beside the folder."
            )
        inside = next((other for other in taken if path.resolve() in other.parents), None)
        if inside is not None:
            raise PlanError(
                f"{plan.described}: [output] {_key(name)} names a folder that holds {taken[inside]}, and a folder is "
                "replaced as a whole; name another one."
            )
        other = taken.setdefault(path.resolve(), f"[output] {name}")
        if other != f"[output] {name}":
            raise PlanError(f"{plan.described}: [output] {_key(name)} would overwrite {other}; give it another name.")


def _tables(plan: Plan) -> dict[str, str]:
    """The tables to write, if the plan names a database."""
    output = plan.sections.output
    if output.table is None:
        return {}
    tables = {"release": output.table}
    if plan.algorithm().separate_table:
        tables["sensitive_table"] = output.sensitive_table or f"{output.table}_sensitive"
    return tables


def _key(name: str) -> str:
    """The key of `[output]` that names a file to write."""
    return "path" if name == "release" else name
