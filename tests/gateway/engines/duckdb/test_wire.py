from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator

import pyarrow as pa
import pytest

from sfumato.gateway.engines.duckdb.wire import Channel, from_bytes, small_batches, to_bytes


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    with here, there:
        yield here, there


@pytest.mark.parametrize("length", [0, 1, 131_071, 131_072, 5_000_000])
def test_messages_arrive_whole_and_in_order(ends: tuple[socket.socket, socket.socket], length: int) -> None:
    body = bytes(range(256)) * (length // 256) + b"x" * (length % 256)

    def send() -> None:
        Channel(ends[0]).send(b"first", body)
        Channel(ends[0]).send(b"", b"last")

    sending = threading.Thread(target=send)
    sending.start()
    there = Channel(ends[1])
    (head, first), (_, last) = there.receive(), there.receive()
    sending.join()
    assert (head, first.to_pybytes(), last.to_pybytes()) == (b"first", body, b"last")


def test_an_end_that_is_gone_is_noticed_in_the_middle_of_a_message(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[0].sendall(struct.pack("!IQ", 4, 100) + b"head" + b"only ten b")
    ends[0].shutdown(socket.SHUT_WR)
    with pytest.raises(EOFError):
        Channel(ends[1]).receive()


@pytest.mark.parametrize("lengths", [(0, 1001), (1 << 30, 0), (0, 1 << 63)])
def test_no_memory_is_taken_for_what_is_too_long(
    ends: tuple[socket.socket, socket.socket], lengths: tuple[int, int]
) -> None:
    ends[0].sendall(struct.pack("!IQ", *lengths))
    with pytest.raises(EOFError, match="longer than it may be"):
        Channel(ends[1], longest=1000).receive()


def test_waiting_has_an_end(ends: tuple[socket.socket, socket.socket]) -> None:
    channel = Channel(ends[1])
    channel.set_timeout(0.01)
    with pytest.raises(TimeoutError):
        channel.receive()


def test_rows_are_the_same_after_packing() -> None:
    table = pa.table({"a": [1, None], "b": pa.array(["x", "y"]).dictionary_encode()})
    assert from_bytes(to_bytes(table)).equals(table)
    assert from_bytes(to_bytes(table.slice(0, 0))).schema == table.schema


@pytest.mark.parametrize("rows", [0, 1, 131_072, 131_073, 400_000])
def test_pieces_are_small_and_all_there(rows: int) -> None:
    table = pa.table({"a": pa.array(range(rows), pa.int64())})
    for given in (table, table.to_reader()):
        found = list(small_batches(given))
        assert max([piece.num_rows for piece in found], default=0) <= 131_072
        assert pa.Table.from_batches(found, table.schema).equals(table.combine_chunks())
