"""Answers: rows as they may be seen, with weaker values written as ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.values import Range, Scalar

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.policy.sections import ObligationSection
    from sfumato.gateway.statistics.noisy_answers import NoisyNumber

HIDDEN = "★"
"""How a hidden value is written in a text; in a frame it is missing."""

_FEW = 32
"""Up to so many rows are written one by one."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What was answered: `flat` has the bounds of weaker values in columns of their own, `table` has them written out.

    `uncertain` says that weaker values had a part in choosing rows, so that more rows may be true than are here;
    `obligations` are what whoever asked must now do. `margins` says of noisy numbers how far from the true ones they
    lie, with a probability of 95 %. `repeated` says that numbers are those of an earlier answer about the same people.
    """

    flat: pa.Table
    outputs: tuple[Output, ...]
    purpose: str
    uncertain: bool = False
    obligations: tuple[ObligationSection, ...] = field(default=())
    margins: dict[str, float] = field(default_factory=dict)
    repeated: bool = False

    @classmethod
    def of_noisy(cls, found: Sequence[NoisyNumber], purpose: str, duties: tuple[ObligationSection, ...]) -> Answer:
        """One row of numbers with noise, and how far from the true ones they may be."""
        import pyarrow as pa

        flat = pa.table([pa.array([one.value]) for one in found], names=[one.name for one in found])
        outputs = tuple(Output(one.name, Scalar(exp.null(), "float"), (one.name,)) for one in found)
        return cls(
            flat, outputs, purpose, False, duties, {one.name: one.margin for one in found if one.margin is not None}
        )

    @classmethod
    def of_table(
        cls,
        table: pa.Table,
        *,
        purpose: str,
        uncertain: bool,
        obligations: tuple[ObligationSection, ...],
        margins: dict[str, float],
        repeated: bool = False,
    ) -> Answer:
        """An answer whose weaker values are written out already."""
        outputs = tuple(Output(name, Scalar(exp.null(), "text"), (name,)) for name in table.column_names)
        return cls(table, outputs, purpose, uncertain, obligations, margins, repeated)

    @cached_property
    def table(self) -> pa.Table:
        """One column for each that was asked for: 56000 where it is known, 20000-30000 where it is not."""
        import pyarrow as pa

        columns = [_written(output, taken) for output, taken in self._parts()]
        return pa.table(columns, names=self.names)

    @property
    def names(self) -> list[str]:
        """The names of the columns, each of them once."""
        return _told_apart([output.name for output in self.outputs])

    def __len__(self) -> int:
        return int(self.flat.num_rows)

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as tuples."""
        if len(self) > _FEW or "table" in self.__dict__:
            columns = [column.to_pylist() for column in self.table.columns]
        else:  # building Arrow columns takes longer than reading so few values
            columns = [_few(output, [part.to_pylist() for part in taken]) for output, taken in self._parts()]
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
        """Every output with its columns of `flat`: one, or the two bounds of a range."""
        place = 0
        for output in self.outputs:
            yield output, [self.flat.column(place + part) for part in range(len(output.names))]
            place += len(output.names)


def _few(output: Output, taken: Sequence[list[Any]]) -> list[Any]:
    """One column of a few rows, as it is shown."""
    value = output.value
    return [_shown(value, *pair) for pair in zip(*taken, strict=True)] if isinstance(value, Range) else taken[0]


def _written(output: Output, taken: Sequence[Any]) -> Any:
    """One column as it is shown."""
    value = output.value
    if not isinstance(value, Range):
        return taken[0]
    return _texts(value, taken[0], taken[1])


def _texts(value: Range, low: Any, high: Any) -> Any:
    """Every range as a text; where they are many, each that differs is written once."""
    import numpy as np
    import pyarrow as pa

    if len(low) <= _FEW:
        pairs = zip(low.to_pylist(), high.to_pylist(), strict=True)
        return pa.array([_shown(value, *pair) for pair in pairs], pa.string())
    ends = [_whole(end).dictionary_encode(null_encoding="encode") for end in (low, high)]
    codes = [end.indices.to_numpy(zero_copy_only=False).astype(np.int64) for end in ends]
    names = [end.dictionary.to_pylist() for end in ends]
    found, which = np.unique(codes[0] * len(names[1]) + codes[1], return_inverse=True)
    texts = [_shown(value, names[0][pair // len(names[1])], names[1][pair % len(names[1])]) for pair in found.tolist()]
    return pa.array(texts, pa.string()).take(pa.array(which))


def _whole(column: Any) -> Any:
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _shown(value: Range, low: Any, high: Any) -> str | None:
    if low is None or high is None:
        return None
    if low == high:
        return str(low)
    column = value.column
    written = None if column is None or column.transform is None else column.transform.shown(low, column.type)
    return written or f"{low}-{high}"


def _told_apart(names: Sequence[str]) -> list[str]:
    """The names, with a number after those that were there before."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return told
