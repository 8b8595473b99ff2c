"""Parquet files and folders of them: their columns and number of records, and how DuckDB reads them."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.data.domain import guess_kind
from sfumato.data.kinds import Kind
from sfumato.engines.base import stored_index
from sfumato.engines.duckdb.file_format import FileFormat, quoted
from sfumato.engines.formats.column_names import check_names
from sfumato.engines.formats.parquet_folders import common_schema, partitions_of
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import SchemaError, listed

_TYPES = {Kind.NUMBER: "DOUBLE", Kind.DATE: "DATE"}
_FILE = "sfumato.file"
"""The column in which DuckDB gives the file of a record."""


def parquet_format(file: ReadableFile) -> FileFormat:
    """How DuckDB reads a Parquet file or a folder of them; raises an error for a file that is incomplete."""
    parts = file.parts or (file.path,)
    paths = [str(part.absolute()) for part in parts]
    schema, rows = common_schema(parts, file.described)
    partitions = partitions_of(file.path, parts, file.described) if file.parts else {}
    names = [*schema.names, *partitions]
    check_names(names, file.described)
    folded = [name.casefold() for name in schema.names]
    twice = [name for name in partitions if name.casefold() in folded]
    if twice:
        raise SchemaError(f"{file.described} has {listed(twice)} both in its files and in the names of its folders.")
    listed_paths = f"[{', '.join(map(quoted, paths))}]"
    relation = f"read_parquet({listed_paths}, hive_partitioning = false)"
    if partitions:
        # DuckDB would read partitions from the whole path, above the folder as well, and in an order of its own.
        values = ", ".join(f"{_value_of(paths, found)} AS {_name(name)}" for name, found in partitions.items())
        given = f"read_parquet({listed_paths}, hive_partitioning = false, filename = {quoted(_FILE)})"
        relation = f"(SELECT {', '.join(map(_name, schema.names))}, {values} FROM {given})"
    return FileFormat(
        file, tuple(names), relation, index_columns=stored_index(schema.names, schema.metadata), rows=rows
    )


def _value_of(paths: Sequence[str], values: Sequence[str | None]) -> str:
    """The value of a partition column, by the file of the record: whole numbers, days or texts."""
    present = [value for value in values if value is not None]
    whole = all(value.isdecimal() for value in present)
    type_ = "BIGINT" if whole else _TYPES.get(guess_kind(present), "VARCHAR")
    if whole and any(value[0] == "0" and len(value) > 1 for value in present):
        type_ = "VARCHAR"  # `month=05` keeps its zero
    keys, texts = ", ".join(map(quoted, paths)), ", ".join("NULL" if one is None else quoted(one) for one in values)
    return f"CAST(list_extract([{texts}], list_position([{keys}], {_name(_FILE)})) AS {type_})"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
