"""Files of SPSS, Stata and SAS as tables, with value labels as texts or codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.engines.formats.columns import arrow_column
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError, UsageError

_READERS = {
    ".dta": "read_dta", ".por": "read_por", ".sas7bdat": "read_sas7bdat", ".sav": "read_sav", ".xpt": "read_xport",
    ".zsav": "read_sav",
}  # fmt: skip
ENDINGS = tuple(_READERS)
_XPT_BLOCK = 80
"""Transport files of SAS consist of blocks of so many bytes."""


def survey_table(path: Path, described: str, options: ReadOptions) -> pa.Table:
    """The records of a file; values that the file declares as missing are missing.

    A column whose values all have labels gets the labels, unless `value_labels` asks for codes. Where only some values
    have labels, as 99 for "no answer", the column keeps its codes.
    """
    try:
        import pyreadstat
    except ImportError:
        raise UsageError("files of SPSS, Stata and SAS need pyreadstat; install sfumato[formats].") from None
    if path.suffix.lower() == ".xpt" and path.stat().st_size % _XPT_BLOCK:
        raise DataError(f"{described} is incomplete: its length is no multiple of {_XPT_BLOCK} bytes; copy it again.")
    read = getattr(pyreadstat, _READERS[path.suffix.lower()])
    encoding = {} if options.encoding is None else {"encoding": options.encoding}
    try:
        found, about = read(str(path), output_format="dict", **encoding)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, OSError):
        raise DataError(
            f"{described} cannot be read: it is damaged, or of another format or encoding than its ending says."
        ) from None
    labels = {} if options.value_labels == "codes" else about.variable_value_labels
    return pa.table({name: _column(values, labels.get(name)) for name, values in found.items()})


def _column(values: Sequence[Any], labels: Mapping[Any, str] | None) -> pa.Array:
    """The column, with labels in place of codes if every code has one."""
    if not labels:
        return arrow_column(values)
    labelled = [None if value is None else labels.get(value) or None for value in values]  # an empty label is none
    complete = all(label is not None or value is None for value, label in zip(values, labelled, strict=True))
    return pa.array(labelled, pa.string()) if complete else arrow_column(values)
