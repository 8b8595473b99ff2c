"""Excel workbooks and their relatives: one sheet as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.engines.formats.column_names import ColumnNames
from sfumato.engines.formats.columns import arrow_column
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError, SchemaError, UsageError, nearest

ENDINGS = (".ods", ".xls", ".xlsb", ".xlsm", ".xlsx")
_BLANK = ("", None)


def workbook_table(path: Path, described: str, options: ReadOptions) -> pa.Table:
    """The table of a sheet: its first row has the names of the columns, unless `header` is false.

    Empty rows and columns around the table are left out. Merged cells are refused, because only the first cell of
    them has the value.
    """
    damaged = DataError(f"{described} cannot be read: it is no workbook, is damaged, or has a password; save it again.")
    try:
        from python_calamine import CalamineError, load_workbook
    except ImportError:
        raise UsageError("workbooks need python-calamine; install sfumato[formats].") from None
    try:
        with load_workbook(path) as workbook:
            sheet = workbook.get_sheet_by_name(_sheet_name(workbook, described, options.sheet))
            rows = [row for row in sheet.to_python(skip_empty_area=True) if any(cell not in _BLANK for cell in row)]
            merged = sheet.merged_cell_ranges or ()
    except (CalamineError, OSError, EOFError):
        raise damaged from None
    if not rows:
        raise DataError(f"{described} has an empty sheet; set [data] sheet to another one.")
    if merged:
        first = min(start for start, _ in merged)
        raise DataError(
            f"{described} has {len(merged)} merged cells, the first in row {first[0] + 1}, and only the first cell of "
            "such an area has its value; unmerge them, and give every record its own."
        )
    names = ColumnNames.of(["" if cell is None else str(_name(cell)) for cell in rows[0]], options.header, described)
    records = rows if options.header is False else rows[1:]
    return names.table([arrow_column([record[place] for record in records]) for place in range(len(rows[0]))])


def _sheet_name(workbook: Any, described: str, wanted: str | None) -> str:
    """The sheet to read: the wanted one, else the only one that is visible and not empty."""
    names: Sequence[str] = workbook.sheet_names
    if wanted is not None:
        if wanted not in names:
            raise SchemaError(f"{described} has no sheet {wanted!r}; {nearest(wanted, names)}")
        return wanted
    from python_calamine import SheetVisibleEnum

    shown = [one.name for one in workbook.sheets_metadata if one.visible == SheetVisibleEnum.Visible]
    filled: list[str] = [name for name in shown if workbook.get_sheet_by_name(name).height]
    if len(filled) != 1:
        raise DataError(
            f"{described} has {len(filled)} visible sheets that are not empty, and one is read; set [data] sheet, "
            f"--sheet on the command line, or options=ReadOptions(sheet=...) in Python. "
            f"Its sheets are: {', '.join(map(repr, names))}."
        )
    return filled[0]


def _name(cell: object) -> object:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
