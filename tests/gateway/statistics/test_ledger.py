"""A ledger that somebody cut, changed or removed is never taken for whole."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from sfumato.errors import BudgetError, BusyError, DataError
from sfumato.gateway.engines.entry_store import EntryStore, LedgerEntry
from sfumato.gateway.log.audit_lines import NOTHING_BEFORE, hash_of
from sfumato.gateway.statistics.ledger import Heads, Ledger, LedgerStore
from tests.gateway.memory_store import MemoryStore
from tests.gateway.statistics.test_exact_answers import ADA, gate, policy, students


def ledger(store: EntryStore, heads: Heads | None = None) -> tuple[Ledger, list[int]]:
    taken: list[int] = []
    return Ledger(store, lambda fields: taken.append(fields["n"]), heads), taken


def write(*numbers: int):
    def decide(put):
        for number in numbers:
            put({"kind": "n", "n": number})

    return decide


def test_everybody_takes_every_entry_once_and_in_order() -> None:
    store = MemoryStore()
    (one, mine), (other, theirs) = ledger(store), ledger(store)
    one.record(write(1, 2))
    other.record(write(3))
    one.record(lambda put: None)
    assert (mine, theirs) == ([1, 2, 3], [1, 2, 3])
    assert [entry.number for entry in store.entries] == [1, 2, 3, 4]  # the first says which ledger it is


def test_a_decision_sees_what_others_wrote() -> None:
    store = MemoryStore()
    (one, mine), (other, _) = ledger(store), ledger(store)
    other.record(write(7))
    assert one.record(lambda put: list(mine)) == [7]


def test_what_a_decision_raises_is_passed_on_and_nothing_is_written() -> None:
    store = MemoryStore()
    one, mine = ledger(store)
    with pytest.raises(KeyError):
        one.record(lambda put: {}["no"])
    assert (store.entries, mine) == ([], [])
    one.record(write(1))
    assert mine == [1]


SPOILED = {
    "a changed entry": lambda entries: entries.__setitem__(1, LedgerEntry(2, entries[1].hash, b'{"kind":"n","n":9}')),
    "a changed entry with its own hash": lambda entries: entries.__setitem__(
        1, LedgerEntry(2, "f" * 64, entries[1].body)
    ),
    "one removed in between": lambda entries: entries.pop(1),
    "the first removed": lambda entries: entries.pop(0),
    "two exchanged": lambda entries: entries.__setitem__(slice(1, 3), [entries[2], entries[1]]),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_changed_ledger_is_refused(how: str) -> None:
    store = MemoryStore()
    ledger(store)[0].record(write(1, 2, 3))
    SPOILED[how](store.entries)
    with pytest.raises(DataError, match="cannot be trusted: an entry was changed or removed"):
        ledger(store)[0].record(write(4))


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_a_cut_end_is_noticed_by_the_head(tmp_path: Path, kept: int) -> None:
    store = MemoryStore()
    heads = Heads(tmp_path / "heads.jsonl")
    one, _ = ledger(store, heads)
    one.record(write(1, 2, 3))
    heads.close()
    del store.entries[kept:]
    with pytest.raises(DataError, match="entries are missing"):  # by whoever has it in memory
        one.record(write(4))
    heads = Heads(tmp_path / "heads.jsonl")
    with pytest.raises(DataError, match="entries are missing"):  # and after a restart
        ledger(store, heads)[0].record(write(4))
    heads.close()


def test_a_decision_that_writes_nothing_notes_no_head(tmp_path: Path) -> None:
    one, _ = ledger(MemoryStore(), Heads(tmp_path / "heads.jsonl"))
    one.record(write(1))
    noted = (tmp_path / "heads.jsonl").read_bytes()
    one.record(lambda put: None)
    assert (tmp_path / "heads.jsonl").read_bytes() == noted != b""


def test_another_ledger_in_its_place_is_noticed(tmp_path: Path) -> None:
    heads = Heads(tmp_path / "heads.jsonl")
    ledger(MemoryStore(), heads)[0].record(write(1))
    other = MemoryStore()
    ledger(other)[0].record(write(1, 2, 3))
    with pytest.raises(DataError, match="entries are missing"):
        ledger(other, heads)[0].record(write(4))
    heads.close()


def test_a_ledger_that_others_wrote_on_is_fine(tmp_path: Path) -> None:
    store, heads = MemoryStore(), Heads(tmp_path / "heads.jsonl")
    ledger(store, heads)[0].record(write(1))
    ledger(store)[0].record(write(2))
    one, mine = ledger(store, heads)
    one.record(write(3))
    assert mine == [1, 2, 3]
    heads.close()


def test_a_torn_line_of_heads_is_left_out_and_a_spoiled_one_refused(tmp_path: Path) -> None:
    store, path = MemoryStore(), tmp_path / "heads.jsonl"
    heads = Heads(path)
    ledger(store, heads)[0].record(write(1))
    heads.close()
    path.write_text(path.read_text() + '{"place"')
    heads = Heads(path)
    ledger(store, heads)[0].record(lambda put: None)
    heads.close()
    path.write_text("{}\n")
    with pytest.raises(DataError, match="not the head"):
        Heads(path)


class Failing(MemoryStore):
    """Fails when all is said, with the entries kept or not: as a connection does that breaks at COMMIT."""

    fails = keeps = False

    @contextmanager
    def exclusive(self):
        with super().exclusive() as entries:
            before = list(self.entries)
            yield entries
            if self.fails:
                self.entries[:] = self.entries if self.keeps else before
                raise DataError("the database is gone")


@pytest.mark.parametrize("keeps", [False, True])
def test_what_could_not_be_stored_is_not_built_upon(keeps: bool) -> None:
    store = Failing()
    store.fails, store.keeps = True, keeps
    own = LedgerStore(store)
    one, _ = ledger(own)
    with pytest.raises(DataError, match="gone"):
        one.record(write(1))
    assert (own.may_differ, store.may_differ) == (True, False)
    store.fails = False
    with pytest.raises(BusyError, match="ask again"):
        one.record(write(2))
    again, mine = ledger(LedgerStore(store))
    again.record(write(3))
    assert mine == ([1, 3] if keeps else [3])


def test_a_failure_without_entries_on_their_way_leaves_no_doubt() -> None:
    store = Failing()
    one, mine = ledger(store)
    one.record(write(1))
    ledger(store)[0].record(write(2))
    store.fails = True
    with pytest.raises(DataError, match="gone"):
        one.record(lambda put: None)  # what others wrote was taken meanwhile
    store.fails = False
    one.record(write(3))
    assert mine == [1, 2, 3]


def test_a_broken_chain_is_refused_every_time() -> None:
    store = MemoryStore()
    ledger(store)[0].record(write(1, 2, 3))
    store.entries[2] = LedgerEntry(3, "f" * 64, store.entries[2].body)
    one, _ = ledger(store)
    for _ in range(2):
        with pytest.raises(DataError, match="cannot be trusted: an entry was changed or removed"):
            one.record(write(4))


@pytest.mark.parametrize("keeps", [False, True])
def test_after_a_failure_the_next_question_for_aggregates_is_answered(keeps: bool) -> None:
    source = students()
    source.store = store = Failing()
    gateway = gate(policy(permission={"epsilon": 0.25}, columns={"id": {"selects": True}}), source)

    def ask() -> None:
        gateway.query("SELECT count(*) AS n FROM student", person=ADA)

    ask()
    store.fails, store.keeps = True, keeps
    with pytest.raises(DataError, match="gone"):
        ask()
    store.fails = False
    if not keeps:  # what was not written down was not answered, and so it costs nothing
        ask()
    with pytest.raises(BudgetError):
        ask()
    gateway.close()


def test_a_head_that_was_torn_keeps_no_gateway_from_starting(tmp_path: Path) -> None:
    store, path = MemoryStore(), tmp_path / "heads.jsonl"
    for number in range(3):
        heads = Heads(path)
        ledger(store, heads)[0].record(write(number))
        heads.close()
        with path.open("ab") as stream:
            stream.write(b'{"hash":"12')
    heads = Heads(path)
    noted = heads.at("memory")
    assert noted is not None
    assert (noted.number, noted.hash) == (4, store.entries[-1].hash)
    assert heads.of(noted.ledger) == noted
    heads.close()


def test_another_question_is_not_waited_for_without_end() -> None:
    store = MemoryStore()
    one, mine = ledger(store)
    store.seconds = 0.01

    def decide(put):
        with pytest.raises(BusyError, match="ask again later"):  # the one that is being decided is not done yet
            one.record(write(2))
        put({"kind": "n", "n": 1})

    one.record(decide)
    one.record(write(3))
    assert mine == [1, 3]


class Placed(MemoryStore):
    """A store at a place, with what another one has."""

    def __init__(self, place: str, other: MemoryStore | None = None) -> None:
        super().__init__()
        self.location = place
        self.entries = list(other.entries) if other else []


@pytest.mark.parametrize("restarts", [False, True])
def test_an_older_copy_is_recognised_wherever_it_lies(tmp_path: Path, restarts: bool) -> None:
    heads, here = Heads(tmp_path / "heads.jsonl"), Placed("here")
    one, _ = ledger(here, heads)
    one.record(write(1))
    copy = Placed("there", here)
    one.record(write(2))
    if restarts:
        heads.close()
        heads = Heads(tmp_path / "heads.jsonl")
    for _ in range(2):
        with pytest.raises(DataError, match="in 'there' cannot be trusted: it is a copy, and more was answered since"):
            ledger(copy, heads)[0].record(write(3))
    ledger(here, heads)[0].record(write(3))
    heads.close()


def test_a_ledger_that_was_moved_goes_on_and_the_one_that_stayed_behind_does_not(tmp_path: Path) -> None:
    heads, here = Heads(tmp_path / "heads.jsonl"), Placed("here")
    stayed, _ = ledger(here, heads)
    stayed.record(write(1))
    moved, mine = ledger(Placed("there", here), heads)
    moved.record(write(2))
    moved.record(write(3))
    assert mine == [1, 2, 3]
    for behind in (stayed, ledger(here, heads)[0]):  # also where it is in memory
        with pytest.raises(DataError, match="it is a copy"):
            behind.record(write(2))
    heads.close()


def test_heads_of_others_are_looked_up_in_the_middle_too(tmp_path: Path) -> None:
    heads, store = Heads(tmp_path / "heads.jsonl"), MemoryStore()
    (one, _), (other, _), (stranger, _) = ledger(store, heads), ledger(store, heads), ledger(store)
    one.record(write(1))
    other.record(lambda put: None)
    stranger.record(write(2, 3))
    other.record(lambda put: None)  # knows of more than was noted
    one.record(write(4))
    stranger.record(write(5))
    other.record(write(6))
    one.record(write(7))
    heads.close()


def test_a_ledger_without_a_name_is_known_by_its_place(tmp_path: Path) -> None:
    def nameless(place: str) -> Placed:
        store = Placed(place)
        body = b'{"kind":"n","n":1}'
        store.entries = [LedgerEntry(1, hash_of(NOTHING_BEFORE, body), body)]
        return store

    path = tmp_path / "heads.jsonl"
    path.write_text(
        json.dumps({"place": "here", "ledger": "", "number": 1, "hash": nameless("here").entries[0].hash}) + "\n"
    )
    heads = Heads(path)
    assert heads.of("") is None
    for place in ("here", "there"):
        store = nameless(place)
        ledger(store, heads)[0].record(lambda put: None)
        ledger(store)[0].record(write(2))  # by somebody who gives it a name
        one, mine = ledger(store, heads)
        one.record(write(3))
        assert mine == [1, 2, 3]
    with pytest.raises(DataError, match="entries are missing"):
        ledger(Placed("here"), heads)[0].record(write(1))
    heads.close()
