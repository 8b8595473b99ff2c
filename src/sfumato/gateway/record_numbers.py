"""A number for every record that was ever counted, the same for ever, and another one when its value changes."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, OutputError
from sfumato.staging import reason

Hashes = NDArray[np.uint64]


class RecordNumbers:
    """Numbers records by a hash of their key and value, in the order in which they were first seen.

    The file holds the hashes in the order of their numbers, and no value. A hash that was not seen before is on disk
    before its number is used.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     numbers = RecordNumbers(Path(folder) / "numbers")
    ...     numbers.of(np.array([70, 50, 70], dtype=np.uint64)).tolist()
    ...     RecordNumbers(Path(folder) / "numbers").of(np.array([50, 90], dtype=np.uint64)).tolist()
    [1, 0, 1]
    [0, 2]
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._guard = threading.Lock()
        known = self._restored()
        order = np.argsort(known, kind="stable")
        self._sorted, self._number = known[order], order.astype(np.int64)

    def of(self, hashes: Hashes) -> NDArray[np.int64]:
        """The number of every record."""
        with self._guard:
            fresh = np.setdiff1d(hashes, self._sorted)
            if len(fresh):
                self._add(fresh)
            return self._number[np.searchsorted(self._sorted, hashes)]

    def _add(self, fresh: Hashes) -> None:
        first = len(self._sorted)
        try:
            with self._path.open("ab") as stream:
                stream.write(fresh.astype("<u8").tobytes())
                stream.flush()
        except OSError as error:
            raise OutputError(f"{self._path.name!r} cannot be written: {reason(error)}") from None
        every = np.concatenate([self._sorted, fresh])
        numbers = np.concatenate([self._number, np.arange(first, first + len(fresh), dtype=np.int64)])
        order = np.argsort(every, kind="stable")
        self._sorted, self._number = every[order], numbers[order]

    def _restored(self) -> Hashes:
        if not self._path.exists():
            return np.empty(0, dtype=np.uint64)
        data = self._path.read_bytes()
        whole = len(data) // 8 * 8
        if whole < len(data):  # its writer was killed before anybody was answered
            with self._path.open("r+b") as stream:
                stream.truncate(whole)
        found = np.frombuffer(data[:whole], dtype="<u8").astype(np.uint64)
        if len(np.unique(found)) < len(found):
            raise DataError(f"{self._path.name!r} has a record twice; restore it from a copy.")
        return found
