from __future__ import annotations

from hashlib import sha256

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.statistics.records import RecordNumbers, UnseenRecords

rows = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 4)), max_size=8)


def hashes(batch):
    people = np.array([person for person, _ in batch], np.uint64)
    texts = [f"{person} {which}".encode() for person, which in batch]  # Python's own hash takes 0 for 2**61 - 1
    records = np.array([int.from_bytes(sha256(text).digest()[:8], "big") for text in texts], np.uint64)
    return people, records


@given(st.lists(rows, max_size=5))
def test_people_and_records_keep_their_numbers_and_owners(batches) -> None:
    made, restored = RecordNumbers(), RecordNumbers()
    numbers: dict[int, int] = {}
    owners: dict[int, int] = {}
    for batch in batches:
        people, records = hashes(batch)
        new = made.unseen(people, records)
        made.add(new)
        restored.add(UnseenRecords.of_dict(new.to_dict()))
        assert made.unseen(people, records).is_empty
        for person, record, number in zip(
            people.tolist(), records.tolist(), made.numbers(records).tolist(), strict=True
        ):
            assert numbers.setdefault(record, number) == number
            assert owners.setdefault(person, int(made.owners(np.array([number]))[0])) == made.owners(np.array([number]))
        assert restored.numbers(records).tolist() == made.numbers(records).tolist()
    assert sorted(numbers.values()) == list(range(len(numbers)))
    assert len(set(owners.values())) == len(owners)
    assert made.one_record_each == (len(numbers) == len(owners))
    for owner in owners.values():
        assert made.owners(made.records_of(owner)).tolist() == [owner] * len(made.records_of(owner))


def test_what_is_only_looked_at_is_not_kept() -> None:
    made = RecordNumbers()
    people = np.array([7], np.uint64)
    assert not made.unseen(people, people).is_empty
    assert not made.unseen(people, people).is_empty


@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6), max_size=6))
def test_records_keep_their_first_and_their_last_owner_and_all_owners_as_one(batches) -> None:
    made, restored = RecordNumbers(), RecordNumbers()
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    together = [{person} for person in range(6)]
    for batch in batches:
        rows = {record: person for person, record in batch}  # a record is once in a batch
        people, records = np.array(list(rows.values()), np.uint64), np.array(list(rows), np.uint64)
        new = made.unseen(people, records)
        for one in (made, restored):
            one.add(UnseenRecords.of_dict(new.to_dict()))
        assert made.unseen(people, records).is_empty
        first, last = {**rows, **first}, {**last, **rows}
        for record, person in rows.items():
            both = next(one for one in together if person in one) | next(
                one for one in together if first[record] in one
            )
            together = [one for one in together if not one <= both] + [both]
    merged = {record: min(next(one for one in together if person in one)) for record, person in first.items()}
    for known in (made, restored):
        for one, owners in ((known, first), (known.latest, last), (known.merged, merged)):
            numbers = one.numbers(np.array(list(owners), np.uint64))
            told = one.owners(numbers).tolist()
            pairs = set(zip(owners.values(), told, strict=True))  # one number for each person, and one person for it
            assert len(pairs) == len(set(owners.values())) == len(set(told))
            assert one.one_record_each == (len(set(told)) == len(told))


def test_a_record_that_is_not_selected_has_its_owner_looked_up() -> None:
    made = RecordNumbers()
    people, records = np.array([1, 2, 3], np.uint64), np.array([10, 20, 30], np.uint64)
    made.add(made.unseen(people[:2], records[:2]))
    assert made.unseen(people[:1], records[:1], people, records).is_empty  # the third was never selected
    new = made.unseen(people[:1], records[:1], np.array([1, 3, 3], np.uint64), records)
    assert (new.people.tolist(), new.records.tolist(), new.moved.tolist()) == ([3], [], [1])
    made.add(new)
    assert made.latest.owners(made.numbers(records[:2])).tolist() == [0, 2]
