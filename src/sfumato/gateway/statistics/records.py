"""Permanent numbers for the people of a table and for their records.

The accounts of a table store them in the ledger; auditors use the numbers instead of keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.gateway.statistics.compressed_text import compress_to_text, decompress_text

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]

Ownership = Literal["first", "latest", "merged"]
"""Whose a record is: the person's that it was first or last seen with, or that of all who ever had it as one person."""


def _none() -> Numbers:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class UnseenRecords:
    """What was not seen before: people and records as hashes, and records that belong to another person than before.

    `owners` is the person's number for each new record. `moved` are the numbers of records that were seen before, and
    `moved_to` the person that each of them belongs to now.
    """

    people: Hashes
    records: Hashes
    owners: Numbers
    moved: Numbers = field(default_factory=_none)
    moved_to: Numbers = field(default_factory=_none)

    @property
    def is_empty(self) -> bool:
        """Whether all was seen before; a new person has a new record, or one that was somebody else's."""
        return not len(self.records) and not len(self.moved)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        made = {
            "people": compress_to_text(self.people.astype("<u8").tobytes()),
            "records": compress_to_text(self.records.astype("<u8").tobytes()),
            "owners": compress_to_text(self.owners.astype("<u4").tobytes()),
        }
        if not len(self.moved):
            return made
        moved = {
            "moved": compress_to_text(self.moved.astype("<u4").tobytes()),
            "moved_to": compress_to_text(self.moved_to.astype("<u4").tobytes()),
        }
        return made | moved

    @classmethod
    def of_dict(cls, given: Mapping[str, Any]) -> UnseenRecords:
        """From the result of `to_dict`."""
        people, records = (np.frombuffer(decompress_text(given[one]), "<u8") for one in ("people", "records"))
        owners, moved, moved_to = (
            np.frombuffer(decompress_text(given[one]), "<u4").astype(np.int64) if one in given else _none()
            for one in ("owners", "moved", "moved_to")
        )
        return cls(people.astype(np.uint64), records.astype(np.uint64), owners, moved, moved_to)


class RecordNumbers:
    """The people of one table and their records, numbered in the order in which they were first seen.

    A record is a row, identified by the key of the table, or the person, if everyone has one row. Both are known by
    hashes. A changed value does not make a new record, because what is decided about queries must not depend on values.

    A record belongs to the person that it had when it was first seen. If records were given to other people, there are
    two more kinds of ownership: by `latest` a record belongs to the person that it was last seen with, and by `merged`
    all people who ever had the same record count as one person. Queries are judged by all three.

    >>> records = RecordNumbers()
    >>> people, rows = np.array([7, 7, 9], dtype=np.uint64), np.array([71, 72, 9], dtype=np.uint64)
    >>> records.add(records.unseen(people, rows))
    >>> records.numbers(rows).tolist(), records.owners(records.numbers(rows)).tolist()
    ([1, 2, 0], [0, 0, 1])
    >>> records.add(records.unseen(people[2:], rows[:1]))
    >>> [one.owners(one.numbers(rows)).tolist() for one in (records, records.latest, records.merged)]
    [[0, 0, 1], [1, 0, 1], [0, 0, 0]]
    """

    def __init__(self) -> None:
        self._people, self._records = _Numbering(), _Numbering()
        self._owner = _none()
        self._one_record_each = True
        self._latest: RecordNumbers | None = None
        self._merged: RecordNumbers | None = None
        self._same_person = _none()  # for every person the first of the people that count as one with it

    @property
    def one_record_each(self) -> bool:
        """Whether nobody has several records."""
        return self._one_record_each

    @property
    def latest(self) -> RecordNumbers:
        """The same people and records, each record with the person that it was last seen with."""
        return self._latest or self

    @property
    def merged(self) -> RecordNumbers:
        """The same people and records, with all people who ever had the same record as one person.

        What is about one of these people alone is also about all of them alone, so owners between the first and the
        last are protected too.
        """
        return self._merged or self

    def owned_by(self, ownership: Ownership) -> RecordNumbers:
        """The same people and records with the owners of one kind of ownership."""
        if ownership == "first":
            return self
        return self.latest if ownership == "latest" else self.merged

    def unseen(
        self, people: Hashes, records: Hashes, all_people: Hashes | None = None, all_records: Hashes | None = None
    ) -> UnseenRecords:
        """What was not seen before in these rows, which are given by the hashes of their people and records.

        `all_people` and `all_records` are those of all rows of the table. Among them only records with numbers count:
        they may belong to another person now although the query does not select them.
        """
        if all_people is not None and all_records is not None:
            numbered = self._records.has(all_records)
            people = np.concatenate([people, all_people[numbered]])
            records = np.concatenate([records, all_records[numbered]])
        hashes, first = np.unique(records, return_index=True)
        seen = self._records.has(hashes)
        new_people = np.unique(people[~self._people.has(people)])
        # The numbers that the new people will get when the ledger entry is applied by `add`.
        owners = self._people.extended(new_people).of(people[first])
        numbers = self.numbers(hashes[seen])
        moved = self.latest.owners(numbers) != owners[seen]
        return UnseenRecords(new_people, hashes[~seen], owners[~seen], numbers[moved], owners[seen][moved])

    def add(self, new: UnseenRecords) -> None:
        """Give them numbers, and keep to whom records belong now."""
        first, last = self._owner, self.latest._owner
        self._people = self._people.extended(new.people)
        self._records = self._records.extended(new.records)
        self._set_owners(np.concatenate([first, new.owners]))
        if self._latest is None and len(new.moved):
            self._latest, self._merged = RecordNumbers(), RecordNumbers()
        if self._latest is not None and self._merged is not None:
            # The numbering is shared, so that all three know all people and records.
            for other in (self._latest, self._merged):
                other._people, other._records = self._people, self._records
            owner = last.copy()
            owner[new.moved] = new.moved_to
            self._latest._set_owners(np.concatenate([owner, new.owners]))
            self._merge_people(self._owner[new.moved], new.moved_to)
            self._merged._set_owners(self._same_person[self._owner])

    def numbers(self, records: Hashes) -> Numbers:
        """The number of every record; all of them were seen before."""
        return self._records.of(records)

    def owners(self, records: Numbers) -> Numbers:
        """The number of each record's person."""
        return self._owner[records]

    def records_of(self, person: int) -> Numbers:
        """All records of a person."""
        return np.flatnonzero(self._owner == person)

    def _merge_people(self, some: Numbers, others: Numbers) -> None:
        """Count each of some people and its partner among the others as one person, with all merged before."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        people, known = len(self._people), len(self._same_person)
        same = np.concatenate([self._same_person, np.arange(known, people)])
        left, right = np.concatenate([np.arange(people), some]), np.concatenate([same, others])
        pairs = coo_array((np.ones(len(left), np.int8), (left, right)), shape=(people, people))
        _, group = connected_components(pairs, directed=False)
        # Each group is known by the first of its people.
        self._same_person = np.unique(group, return_index=True)[1][group].astype(np.int64)

    def _set_owners(self, owner: Numbers) -> None:
        self._owner = owner
        # Counted by the records: somebody whose only record moved to another person has none here.
        self._one_record_each = not len(owner) or int(np.bincount(owner).max()) == 1


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
