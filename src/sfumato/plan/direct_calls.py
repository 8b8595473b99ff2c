"""Publishes and checks frames and files without a plan: `sfumato.anonymize` and `sfumato.check` call it.

The warnings are those of a publication by a plan: about columns without a role, sensitive columns without a model,
repeated identifiers, the order of records, and what plain columns undo. The index of a frame is warned about here only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from sfumato.audit.audit import Audit
from sfumato.audit.plain_columns import PlainColumns
from sfumato.audit.sensitive_columns import SensitiveColumn
from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.engines.base import Engine
from sfumato.engines.opening import open_file, open_frame
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.errors import SchemaError, UsageError
from sfumato.models.base import demand_model
from sfumato.plan.warnings import (
    columns_in_order,
    index_columns,
    kept_index,
    repeated_keys,
    undeclared_columns,
    unprotected_columns,
    unread_columns,
    with_warnings,
)
from sfumato.runtime.private_folders import PrivateFolder

if TYPE_CHECKING:
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.models.base import PrivacyModel
    from sfumato.releases.table_release import TableRelease


def release_of(
    data: Any,
    schema: Schema,
    model: PrivacyModel,
    algorithm: TableAlgorithm,
    *,
    options: ReadOptions = DETECTED,
    suppression: float = 0.0,
    seed: int | None = None,
) -> TableRelease:
    """Release a frame or a file; the provenance of the release has the warnings."""
    source = _opened(data, options)
    _demand_quasi(schema)
    release = algorithm.anonymize(Table.from_source(source, schema), model, suppression=suppression, seed=seed)
    model = model.with_knowledge(release.original)
    more = (
        *unprotected_columns(schema, model, door="python"),
        *unread_columns(release.original, in_plan=False),
        *repeated_keys(source, schema, door="python"),
        *undeclared_columns(source, schema, door="python"),
        *index_columns(source, schema, door="python"),
    )
    if not release.recoding.linkage.cut:  # records in buckets are shuffled, and get a new index
        more += (*columns_in_order(source, schema), *kept_index(source))
    first = (*_plain_columns(release), *_sensitive_columns(release, model))
    return with_warnings(with_warnings(release, more), first, first=True)


def table_of(data: Any, schema: Schema, *, options: ReadOptions = DETECTED) -> Table:
    """The table of a frame or a file."""
    _demand_quasi(schema)
    return Table.from_source(_opened(data, options), schema)


def _demand_quasi(schema: Schema) -> None:
    if not schema.quasi:
        raise SchemaError(
            "no column has a role in which persons could be recognized; name the columns that others may know of a "
            'person, as quasi=["age", "zip"], and those that nobody must learn, as sensitive=["disease"].'
        )


def audit_of(
    data: Any,
    model: PrivacyModel | None,
    *,
    quasi: Sequence[str],
    options: ReadOptions = DETECTED,
    **roles: Any,
) -> tuple[Audit, tuple[str, ...]]:
    """Audit a frame or a file, judge it by a model if one is given, and say what its publisher should know."""
    columns = [quasi] if isinstance(quasi, str) else quasi
    source = _opened(data, options)
    if model is not None:
        demand_model(model)
    if _is_path(data):
        audit = Audit.of_file(data, quasi=columns, options=options, **roles)
    else:
        audit = Audit.of_frame(data, quasi=columns, **roles)
    if model is not None:
        audit = audit.judged(model)
    return audit, (*audit.warnings, *repeated_keys(source, audit.schema, door="python"))


def _is_path(data: object) -> bool:
    return isinstance(data, (str, PurePath))


def _opened(data: Any, options: ReadOptions) -> Engine:
    """An engine over a file or a frame; options are about files."""
    if _is_path(data):
        return open_file(Path(data), options)
    if options is not DETECTED:
        raise UsageError("options say how a file is read, and the data are a frame; leave out options=...")
    return open_frame(data)


def _plain_columns(release: TableRelease) -> tuple[str, ...]:
    """What the plain columns of a release undo, counted in its records as they are published."""
    schema, linkage = release.original.schema, release.recoding.linkage
    columns = release.source().columns
    plain = [name for name in columns if schema.column(name).role in (Role.PLAIN, Role.TARGET)]
    if linkage.cut or not plain:
        return ()
    with PrivateFolder() as folder:
        path = release.write(folder.path / "release.parquet", pseudonyms=_no_pseudonym)
        found = PlainColumns.of(open_file(path), schema.quasi, plain, nulls=True)
        return () if found is None or not found.unique else (found.warning_in_python,)


def _sensitive_columns(release: TableRelease, model: PrivacyModel) -> tuple[str, ...]:
    """What sensitive columns give away although the model holds."""
    schema, known = release.original.schema, not release.recoding.linkage.cut
    groups = {column: release.candidate.groups(asked=[column]) for column in schema.sensitive}
    found = [SensitiveColumn.of(one, column, known=known) for column, one in groups.items() if len(one)]
    return tuple(said for column in found for said in column.warnings([model], schema))


def _no_pseudonym(_: str) -> str:
    """A text in place of a pseudonym, for columns that are not counted."""
    return ""
