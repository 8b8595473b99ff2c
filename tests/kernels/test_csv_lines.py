import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.csv_lines import BLOCK, Texts, csv_lines, quoting_bytes
from tests.oracles import plain_kernels as plain

CELLS = st.text(alphabet='ab ,;"\n\r*é', max_size=5)


def texts(cells):
    encoded = [cell.encode() for cell in cells]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    data = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
    return Texts(offsets, data, np.arange(len(cells), dtype=np.int32))


@given(st.data(), st.sampled_from(",;\t"))
def test_lines_are_what_the_twin_writes_and_csv_reads_back(data, separator):
    rows = data.draw(st.integers(1, 6))
    columns = [data.draw(st.lists(CELLS, min_size=rows, max_size=rows)) for _ in range(data.draw(st.integers(1, 3)))]
    gone = data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    pieces = csv_lines([texts(column) for column in columns], np.array(gone), ord(separator), chunk=2)
    written = b"".join(piece.tobytes() for piece in pieces).decode()
    assert written == plain.csv_lines(columns, gone, separator)
    read = list(csv.reader(io.StringIO(written, newline=""), delimiter=separator))
    expected = [["*"] * len(columns) if gone[row] else [column[row] for column in columns] for row in range(rows)]
    assert read == expected


@pytest.mark.parametrize("odd", [",", '"', "\n", "\r", " a", "a "])
@pytest.mark.parametrize("row", [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK, 2 * BLOCK + 6])
def test_a_text_that_needs_quotes_is_found_in_every_block(odd, row):
    cells = ["plain"] * (2 * BLOCK + 7)
    cells[row] = odd
    column = texts(cells)
    quoted = quoting_bytes(column.offsets, column.data, ord(","))
    assert np.flatnonzero(quoted).tolist() == [row]
