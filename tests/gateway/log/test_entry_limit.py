from __future__ import annotations

from sfumato.gateway.log.entry_limit import EntryLimit


def test_those_that_were_left_out_are_counted_in_the_next_entry() -> None:
    now = [0.0]
    few = EntryLimit(3, clock=lambda: now[0])
    assert [few.admit("") for _ in range(10)] == [0, 0, 0, *[None] * 7]
    now[0] = 0.99
    assert few.admit("") is None
    now[0] = 1.0
    assert [few.admit("") for _ in range(4)] == [8, 0, 0, None]
    now[0] = 60.0
    assert few.admit("") == 1


def test_callers_do_not_take_each_others_entries() -> None:
    few = EntryLimit(1, clock=lambda: 0.0)
    assert (few.admit(""), few.admit("ada"), few.admit(""), few.admit("ada")) == (0, 0, None, None)
