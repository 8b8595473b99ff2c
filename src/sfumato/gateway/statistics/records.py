"""Permanent numbers for the people of a table and for their records.

The accounts of a table store them in the ledger; auditors use the numbers instead of keys.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UnseenRecords:
    """People and records that were not seen before, as hashes; `owners` is the person's number for each record."""

    people: Hashes
    records: Hashes
    owners: Numbers

    @property
    def is_empty(self) -> bool:
        """Whether all were seen before; a new person has a new record, because rows keep their person (`add`)."""
        return not len(self.records)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "people": _encode(self.people.astype("<u8")),
            "records": _encode(self.records.astype("<u8")),
            "owners": _encode(self.owners.astype("<u4")),
        }

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> UnseenRecords:
        """From the result of `to_dict`."""
        people, records = (np.frombuffer(_decode(given[one]), "<u8") for one in ("people", "records"))
        owners = np.frombuffer(_decode(given["owners"]), "<u4")
        return cls(people.astype(np.uint64), records.astype(np.uint64), owners.astype(np.int64))


class RecordNumbers:
    """The people of one table and their records, numbered in the order in which they were first seen.

    A record is a row, identified by the key of the table, or the person, if everyone has one row. Both are known by
    hashes. A changed value does not make a new record, because what is decided about queries must not depend on values.

    >>> records = RecordNumbers()
    >>> people, rows = np.array([7, 7, 9], dtype=np.uint64), np.array([71, 72, 9], dtype=np.uint64)
    >>> records.add(records.unseen(people, rows))
    >>> records.numbers(rows).tolist(), records.owners(records.numbers(rows)).tolist()
    ([1, 2, 0], [0, 0, 1])
    """

    def __init__(self) -> None:
        self._people, self._records = _Numbering(), _Numbering()
        self._owner = np.zeros(0, np.int64)

    @property
    def one_record_each(self) -> bool:
        """Whether nobody has several records."""
        return len(self._owner) == len(self._people)

    def unseen(self, people: Hashes, records: Hashes) -> UnseenRecords:
        """People and records among these rows, given by hashes, that were not seen before."""
        hashes, first = np.unique(records, return_index=True)
        fresh = ~self._records.has(hashes)
        new_people = np.unique(people[~self._people.has(people)])
        # The numbers that the new people will get when the ledger entry is applied by `add`.
        known = self._people.extended(new_people)
        return UnseenRecords(new_people, hashes[fresh], known.of(people[first[fresh]]))

    def add(self, new: UnseenRecords) -> None:
        """Give them numbers.

        The person of a record is fixed here for good: a row that is later assigned to another person still counts for
        the first one.
        """
        self._people = self._people.extended(new.people)
        self._records = self._records.extended(new.records)
        self._owner = np.concatenate([self._owner, new.owners])

    def numbers(self, records: Hashes) -> Numbers:
        """The number of every record; all of them were seen before."""
        return self._records.of(records)

    def owners(self, records: Numbers) -> Numbers:
        """The number of each record's person."""
        return self._owner[records]

    def records_of(self, person: int) -> Numbers:
        """All records of a person."""
        return np.flatnonzero(self._owner == person)


class _Numbering:
    """Numbers of hashes; `_sorted` are the hashes in order, `_number` the number of each."""

    def __init__(self, hashes: Hashes | None = None, numbers: Numbers | None = None) -> None:
        self._sorted = np.zeros(0, np.uint64) if hashes is None else hashes
        self._number = np.zeros(0, np.int64) if numbers is None else numbers

    def __len__(self) -> int:
        return len(self._sorted)

    def has(self, hashes: Hashes) -> NDArray[np.bool_]:
        if not len(self._sorted):
            return np.zeros(len(hashes), bool)
        # A hash behind the last one gets the last place, where the comparison fails.
        place = np.minimum(np.searchsorted(self._sorted, hashes), len(self._sorted) - 1)
        return np.asarray(self._sorted[place] == hashes)

    def of(self, hashes: Hashes) -> Numbers:
        return self._number[np.searchsorted(self._sorted, hashes)]

    def extended(self, fresh: Hashes) -> _Numbering:
        if not len(fresh):
            return self
        hashes = np.concatenate([self._sorted, fresh])
        numbers = np.concatenate([self._number, np.arange(len(self), len(self) + len(fresh), dtype=np.int64)])
        order = np.argsort(hashes, kind="stable")
        return _Numbering(hashes[order], numbers[order])


def _encode(numbers: NDArray[Any]) -> str:
    """Numbers as text."""
    return base64.b64encode(zlib.compress(numbers.tobytes(), 1)).decode()


def _decode(text: str) -> bytes:
    """The bytes that were encoded."""
    return zlib.decompress(base64.b64decode(text))
