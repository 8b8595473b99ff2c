"""Parquet files and folders of them: their columns and number of records, and how DuckDB reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sfumato.data.domain import position
from sfumato.data.kinds import Kind
from sfumato.engines.base import stored_index
from sfumato.engines.duckdb.file_format import FileFormat, exact_path, quoted
from sfumato.engines.formats.column_names import check_names
from sfumato.engines.formats.parquet_folders import common_schema, partitions_of
from sfumato.engines.formats.survey_files import column_labels
from sfumato.engines.readable_files import ReadableFile
from sfumato.errors import SchemaError, listed

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def parquet_format(file: ReadableFile) -> FileFormat:
    """How DuckDB reads a Parquet file or a folder of them; raises an error for a file that is incomplete."""
    parts = file.parts or (file.path,)
    schema, rows = common_schema(parts, file.described)
    partitions = partitions_of(file.path, parts, file.described) if file.parts else {}
    names = [*schema.names, *partitions]
    check_names(names, file.described)
    folded = [name.casefold() for name in schema.names]
    twice = [name for name in partitions if name.casefold() in folded]
    if twice:
        raise SchemaError(f"{file.described} has {listed(twice)} both in its files and in the names of its folders.")
    read = f"read_parquet([{', '.join(map(exact_path, parts))}], hive_partitioning = false"
    relation = f"{read})"
    if partitions:
        # DuckDB would read partitions from the whole path, above the folder as well, and in an order of its own.
        # Columns are named by their places, because it takes names that differ only in case for one.
        places = [f"c{place}" for place in range(len(schema.names))]
        values = [_value_of(parts, found) for found in partitions.values()]
        given = f"{read}, filename = {quoted(_free_name(schema.names))}) AS parts({', '.join([*places, 'file'])})"
        relation = f"(SELECT {', '.join([*places, *values])} FROM {given})"
    return FileFormat(
        file,
        tuple(names),
        relation,
        index_columns=stored_index(schema.names, schema.metadata),
        rows=rows,
        labels=column_labels(schema),
    )


def _free_name(names: Sequence[str]) -> str:
    """A name for the column with the file of a record, which no column has."""
    name = "file"
    while name.casefold() in {one.casefold() for one in names}:
        name += "_"
    return name


def _value_of(parts: Sequence[Path], values: Sequence[str | None]) -> str:
    """The value of a partition column, by the file of the record; only what is written as such is a number or a day."""
    present = [value for value in values if value is not None]
    kind = "VARCHAR"
    if present and all(map(_WHOLE.fullmatch, present)):
        kind = "BIGINT"
    elif present and all(_DAY.fullmatch(value) and position(value, Kind.DATE) is not None for value in present):
        kind = "DATE"
    keys = ", ".join(quoted(str(part.absolute())) for part in parts)
    texts = ", ".join("NULL" if one is None else quoted(one) for one in values)
    return f"CAST(list_extract([{texts}], list_position([{keys}], file)) AS {kind})"
