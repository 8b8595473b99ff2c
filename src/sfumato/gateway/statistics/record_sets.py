"""Sets of records in a compact form that is fast to compare; auditors remember the sets of answered aggregates."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import ParameterError

Numbers = NDArray[np.uint32]
Words = NDArray[np.uint64]
_MAX_NUMBER = 2**32 - 1
"""Numbers are stored in 32 bits."""


@dataclass(frozen=True, eq=False)
class RecordSet:
    """Record numbers: a sorted list if they are few, a bit set if they are many.

    A number means one record forever: a later record gets a number of its own, and no number is used again.

    >>> one, other = RecordSet.of([4, 1, 2]), RecordSet.of([2, 3, 4])
    >>> len(one), one.overlap(other), one == RecordSet.of([1, 2, 4])
    (3, 2, True)
    """

    size: int
    digest: bytes
    numbers: Numbers | None
    words: Words | None

    @classmethod
    def of(cls, numbers: ArrayLike) -> RecordSet:
        """From record numbers in any order; duplicates count once."""
        given = np.asarray(numbers)
        if given.size == 0:
            return cls._of_form(0, np.empty(0, dtype=np.uint32), None)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise ParameterError("record numbers must be a flat list of integers; to give a mask, take `of_mask`.")
        least, largest = int(given.min()), int(given.max())
        if least < 0 or largest > _MAX_NUMBER:
            raise ParameterError(f"record numbers must lie between 0 and {_MAX_NUMBER}.")
        if largest < 64 * len(given):  # dense enough for a mask, which needs no sorting
            mask = np.zeros(largest + 1, dtype=bool)
            mask[given] = True
            return cls.of_mask(mask)
        return cls._of_sorted(np.unique(given).astype(np.uint32))

    @classmethod
    def of_mask(cls, mask: NDArray[np.bool_]) -> RecordSet:
        """From one boolean per record."""
        size = int(np.count_nonzero(mask))
        largest = len(mask) - 1 - int(np.argmax(mask[::-1])) if size else 0
        if not _as_bits(size, largest):
            return cls._of_form(size, np.flatnonzero(mask).astype(np.uint32), None)
        # Whole 64-bit words, with zeros behind the last record, so that two sets are compared word by word.
        bits = np.zeros((largest // 64 + 1) * 8, dtype=np.uint8)
        packed = np.packbits(mask[: largest + 1], bitorder="little")
        bits[: len(packed)] = packed
        return cls._of_form(size, None, bits.view("<u8").astype(np.uint64, copy=False))

    @classmethod
    def of_bytes(cls, data: bytes, *, bits: bool) -> RecordSet:
        """From the result of `to_bytes`."""
        if bits:
            words = np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False)
            return cls._of_form(int(np.bitwise_count(words).sum(dtype=np.int64)), None, words)
        numbers = np.frombuffer(data, dtype="<u4").astype(np.uint32, copy=False)
        return cls._of_form(len(numbers), numbers, None)

    def to_bytes(self) -> bytes:
        """The list or the bits, in the same byte order on every machine."""
        return _bytes(self.numbers, self.words)

    def __len__(self) -> int:
        return self.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordSet) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"RecordSet(size={self.size})"

    @property
    def bound(self) -> int:
        """An upper bound of all numbers, not necessarily the smallest."""
        if self.words is not None:
            return 64 * len(self.words)
        return int(self._number_list()[-1]) + 1 if self.size else 0

    def all_numbers(self) -> NDArray[np.int64]:
        """All numbers, in order."""
        if self.words is None:
            return self._number_list().astype(np.int64)
        return np.flatnonzero(np.unpackbits(self.words.astype("<u8").view(np.uint8), bitorder="little").view(bool))

    def has(self, numbers: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of these records are in the set."""
        if self.words is not None:
            place = numbers.astype(np.int64)
            inside = place < 64 * len(self.words)
            # Records behind the last word are not in the set; place 0 only keeps the index valid.
            place[~inside] = 0
            shift = (place & 63).astype(np.uint64)
            return np.asarray(((self.words[place >> 6] >> shift) & np.uint64(1)).astype(bool) & inside)
        listed = self._number_list()
        if not len(listed):
            return np.zeros(len(numbers), dtype=bool)
        place = np.minimum(np.searchsorted(listed, numbers), len(listed) - 1)
        return np.asarray(listed[place] == numbers)

    def overlap(self, other: RecordSet) -> int:
        """How many records both sets have."""
        if self.words is not None and other.words is not None:
            many = min(len(self.words), len(other.words))
            return int(np.bitwise_count(self.words[:many] & other.words[:many]).sum(dtype=np.int64))
        if self.numbers is None or (other.numbers is not None and other.size < self.size):
            return other.overlap(self)
        return int(np.count_nonzero(other.has(self.numbers)))

    def difference_size(self, other: RecordSet) -> int:
        """How many records only one of the two sets has."""
        return self.size + other.size - 2 * self.overlap(other)

    def _number_list(self) -> Numbers:
        if self.numbers is None:
            raise TypeError("a set of bits has no list.")
        return self.numbers

    @classmethod
    def _of_sorted(cls, numbers: Numbers) -> RecordSet:
        if not _as_bits(len(numbers), int(numbers[-1])):
            return cls._of_form(len(numbers), numbers, None)
        mask = np.zeros(int(numbers[-1]) + 1, dtype=bool)
        mask[numbers] = True
        return cls.of_mask(mask)

    @classmethod
    def _of_form(cls, size: int, numbers: Numbers | None, words: Words | None) -> RecordSet:
        # The digest identifies a set in the ledger, so it covers the
        # whole content and the form; forms follow from the content.
        digest = blake2b(_bytes(numbers, words), digest_size=16, person=b"bits" if words is not None else b"list")
        return cls(size, digest.digest(), numbers, words)


def _as_bits(size: int, largest: int) -> bool:
    """Whether bits take less space than a list; decided by the set alone, so that equal sets have equal forms."""
    return (largest // 64 + 1) * 8 < 4 * size


def _bytes(numbers: Numbers | None, words: Words | None) -> bytes:
    """The content of a set as little-endian bytes."""
    if words is not None:
        return words.astype("<u8", copy=False).tobytes()
    return (numbers if numbers is not None else np.empty(0)).astype("<u4", copy=False).tobytes()
