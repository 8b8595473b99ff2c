"""Answers: rows as they may be seen, with weaker values written as ranges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.values import Doubt, Range, Scalar

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.policy.sections import ObligationSection

HIDDEN = "★"
"""The text for a hidden value; in a frame it is a missing value."""

_FEW_ROWS = 32
"""Up to this many rows are converted one by one."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to a query: `flat` has the bounds of weaker values in separate columns, `table` has them as texts.

    - `uncertain`: hidden or weaker values took part in selecting rows, so that more rows may match than are here.
      `in_doubt` names the columns whose values they could change.
    - `obligations`: what the requester must do now.
    - `margins`: the distance of a noisy number from the true one that holds with a probability of 95 %.
    - `repeated`: the numbers are those of an earlier answer about the same people.
    """

    flat: pa.Table = field(repr=False)
    outputs: tuple[Output, ...]
    purpose: str
    uncertain: bool = False
    obligations: tuple[ObligationSection, ...] = field(default=())
    margins: dict[str, float] = field(default_factory=dict)
    repeated: bool = False

    @classmethod
    def of_table(
        cls,
        table: pa.Table,
        *,
        purpose: str,
        uncertain: bool,
        in_doubt: Collection[str] = (),
        obligations: tuple[ObligationSection, ...],
        margins: dict[str, float],
        repeated: bool = False,
    ) -> Answer:
        """An answer whose weaker values are texts already."""
        doubts = {name: Doubt.PRESENCE if name in in_doubt else Doubt.NONE for name in table.column_names}
        outputs = tuple(Output(name, Scalar(exp.null(), "text", doubt=doubts[name]), (name,)) for name in doubts)
        return cls(table, outputs, purpose, uncertain, obligations, margins, repeated)

    @cached_property
    def table(self) -> pa.Table:
        """One column for each output; a cell that is not exact is a range such as 20000-30000."""
        import pyarrow as pa

        columns = [_display_column(output, parts) for output, parts in self._parts()]
        return pa.table(columns, names=self.names)

    @property
    def names(self) -> list[str]:
        """The names of the columns, made unique."""
        return _unique_names([output.name for output in self.outputs])

    @property
    def in_doubt(self) -> list[str]:
        """The columns with values that hidden values or missing rows could change even where a value is shown."""
        named = zip(self.names, self.outputs, strict=True)
        return [name for name, output in named if output.value.uncertain]

    @property
    def notes(self) -> list[str]:
        """What a reader has to know about hidden values, missing rows and earlier answers."""
        found = []
        if self.uncertain:
            found.append("values that are hidden or shown in a weaker form decided about rows; more rows may match")
        if self.in_doubt:
            found.append(doubt_note(self.in_doubt))
        if self.repeated:
            found.append("the same people were asked about before, and the numbers are those of the earlier answer")
        return found

    def __len__(self) -> int:
        return int(self.flat.num_rows)

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as tuples."""
        if len(self) > _FEW_ROWS or "table" in self.__dict__:
            columns = [column.to_pylist() for column in self.table.columns]
        else:  # for few rows, converting Python values is faster than building Arrow columns
            columns = [_few_values(output, [part.to_pylist() for part in parts]) for output, parts in self._parts()]
        return list(zip(*columns, strict=True))

    def to_pandas(self) -> Any:
        """As a pandas frame."""
        return self.table.to_pandas()

    def write(self, path: Path) -> Path:
        """Write the rows as a Parquet file."""
        import pyarrow.parquet as pq

        pq.write_table(self.table, path)
        return path

    def to_polars(self) -> Any:
        """As a polars frame."""
        import polars

        return polars.from_arrow(self.table)

    def _parts(self) -> Iterator[tuple[Output, list[Any]]]:
        """Every output with its columns of `flat`: one, or two for a range or a weaker text."""
        position = 0
        for output in self.outputs:
            yield output, [self.flat.column(position + part) for part in range(len(output.names))]
            position += len(output.names)


def doubt_note(columns: Sequence[str]) -> str:
    """The note about columns that were computed as if hidden values and missing rows did not exist."""
    return f"{', '.join(columns)}: only what may be seen was counted; hidden values and missing rows could change this"


def _few_values(output: Output, parts: Sequence[list[Any]]) -> list[Any]:
    """One output column of a few rows, as it is displayed."""
    value = output.value
    return [_range_text(value, *pair) for pair in zip(*parts, strict=True)] if isinstance(value, Range) else parts[0]


def _display_column(output: Output, parts: Sequence[Any]) -> Any:
    """One output column, as it is displayed."""
    value = output.value
    if not isinstance(value, Range):
        return parts[0]
    return _range_texts(value, parts[0], parts[1])


def _range_texts(value: Range, low: Any, high: Any) -> Any:
    """Every range as a text; for many rows each distinct range is formatted once."""
    import numpy as np
    import pyarrow as pa

    if len(low) <= _FEW_ROWS:
        pairs = zip(low.to_pylist(), high.to_pylist(), strict=True)
        return pa.array([_range_text(value, *pair) for pair in pairs], pa.string())
    ends = [_unchunked(end).dictionary_encode(null_encoding="encode") for end in (low, high)]
    codes = [end.indices.to_numpy(zero_copy_only=False).astype(np.int64) for end in ends]
    names = [end.dictionary.to_pylist() for end in ends]
    found, which = np.unique(codes[0] * len(names[1]) + codes[1], return_inverse=True)
    texts = [
        _range_text(value, names[0][pair // len(names[1])], names[1][pair % len(names[1])]) for pair in found.tolist()
    ]
    return pa.array(texts, pa.string()).take(pa.array(which))


def _unchunked(column: Any) -> Any:
    """The column as one array."""
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _range_text(value: Range, low: Any, high: Any) -> str | None:
    """A range as a text: the value if it is exact, else the label of its transform or low-high; None if hidden."""
    if low is None or high is None:
        return None
    if low == high:
        return str(low)
    column = value.column
    label = None if column is None or column.transform is None else column.transform.shown(low, column.type)
    return label or f"{low}-{high}"


def _unique_names(names: Sequence[str]) -> list[str]:
    """The names, with a number appended to those that occurred before."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return unique
