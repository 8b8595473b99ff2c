"""Is the library's own CSV writer worth having? `python -m benchmarks.csv_lines` compares it with pyarrow's.

Both get the same batch of a million records with eight columns of coded texts, of which 1 % are suppressed, and write
it to memory on one core. pyarrow has no way to quote only the texts that need it, so its lines are longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from sfumato.engines.writing.sinks import _texts
from sfumato.kernels.csv_lines import Texts, csv_lines

RECORDS, ROUNDS = 1_000_000, 5


def batch(random: np.random.Generator) -> pa.RecordBatch:
    """Labels as releases have them: numbers, intervals, sets, codes and names."""
    texts = (
        [str(age) for age in range(90)],
        [f"[{low}, {low + 5})" for low in range(60)],
        ["{cook, dancer}", "writer", "{a; b}"],
        [f"{code:05d}" for code in range(20_000)],
        ["x", "y", "zebra"],
        [f"town {number}" for number in range(500)],
        ["<=50K", ">50K"],
        [str(quarter / 4) for quarter in range(4_000)],
    )
    return pa.RecordBatch.from_arrays([_column(random, one) for one in texts], [f"c{at}" for at in range(len(texts))])


def _column(random: np.random.Generator, texts: Sequence[str]) -> pa.DictionaryArray:
    codes = random.integers(0, len(texts), RECORDS).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(texts))


def by_kernel(records: pa.RecordBatch, suppressed: np.ndarray) -> int:
    """The bytes that the library writes."""
    return sum(map(len, csv_lines([Texts(*_texts(one)) for one in records.columns], suppressed, ord(","))))


def by_pyarrow(records: pa.RecordBatch, suppressed: np.ndarray) -> int:
    """The bytes that pyarrow writes."""
    columns = [pc.if_else(pa.array(suppressed), "*", pc.cast(one, pa.string())) for one in records.columns]
    stream = pa.BufferOutputStream()
    options = csv.WriteOptions(include_header=False, quoting_style="needed")
    csv.write_csv(pa.table(columns, names=records.schema.names), stream, options)
    return int(stream.getvalue().size)


def measured(write: Callable[[pa.RecordBatch, np.ndarray], int]) -> tuple[float, int]:
    """The least processor time of some rounds, and the bytes written."""
    random = np.random.default_rng(0)
    records, suppressed = batch(random), random.random(RECORDS) < 0.01
    size, seconds = write(records, suppressed), []
    for _ in range(ROUNDS):
        start = time.process_time()
        write(records, suppressed)
        seconds.append(time.process_time() - start)
    return min(seconds), size


if __name__ == "__main__":
    for write in (by_kernel, by_pyarrow):
        seconds, size = measured(write)
        print(f"{write.__name__}: {seconds:.3f} s, {size / 1e6:.1f} MB")
