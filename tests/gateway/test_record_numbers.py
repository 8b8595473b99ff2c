from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError
from sfumato.gateway.record_numbers import RecordNumbers


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=6), max_size=5))
def test_a_record_keeps_its_number(tmp_path_factory: pytest.TempPathFactory, batches) -> None:
    path = tmp_path_factory.mktemp("numbers") / "records.bin"
    known: dict[int, int] = {}
    for batch in batches:
        found = RecordNumbers(path).of(np.array(batch, dtype=np.uint64)).tolist()
        for record, number in zip(batch, found, strict=True):
            assert known.setdefault(record, number) == number
    assert sorted(known.values()) == list(range(len(known)))


def test_a_torn_end_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "records.bin"
    RecordNumbers(path).of(np.array([7, 9], dtype=np.uint64))
    path.write_bytes(path.read_bytes() + b"\x01\x02")
    assert RecordNumbers(path).of(np.array([9, 11], dtype=np.uint64)).tolist() == [1, 2]
    assert RecordNumbers(path).of(np.array([11], dtype=np.uint64)).tolist() == [2]


def test_a_record_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "records.bin").write_bytes(np.array([7, 7], dtype="<u8").tobytes())
    with pytest.raises(DataError, match="twice"):
        RecordNumbers(tmp_path / "records.bin")
