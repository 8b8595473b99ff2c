"""The protocol is driven by hand, with a loop that only remembers what it is to call later: no test waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from sfumato.gateway.http.timed_protocol import timed_protocol

REQUEST = b"POST /query HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}"


class Timer:
    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call, self.cancelled = seconds, call, False

    def cancel(self) -> None:
        self.cancelled = True


class Task:
    def add_done_callback(self, call: Callable[..., None]) -> None:
        pass


class Loop:
    """Remembers timers and starts no task."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []

    def call_later(self, seconds: float, call: Callable[..., None], *given: Any) -> Timer:
        self.timers.append(Timer(seconds, lambda: call(*given)))
        return self.timers[-1]

    def create_task(self, coroutine: Any, **_: Any) -> Task:
        coroutine.close()
        return Task()

    @property
    def waiting(self) -> list[float]:
        return [timer.seconds for timer in self.timers if not timer.cancelled]

    def pass_time(self) -> None:
        for timer in self.timers:
            if not timer.cancelled:
                timer.cancelled = True
                timer.call()


class Transport:
    def __init__(self) -> None:
        self.sent, self.closed, self.ended, self.plain = b"", False, False, True

    def write(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True

    def can_write_eof(self) -> bool:
        return self.plain

    def write_eof(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str) -> None:
        return None

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Connection:
    """A client's connection to a protocol that gives headers seven seconds."""

    def __init__(self) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            pass

        config = Config(app, timeout_keep_alive=5, log_level="critical", access_log=False)
        config.load()
        self.loop, self.transport = Loop(), Transport()
        self.protocol: Any = timed_protocol(lambda: 7.0)(config, ServerState(), {}, _loop=self.loop)  # type: ignore[call-arg]
        self.protocol.connection_made(self.transport)

    def send(self, data: bytes) -> None:
        self.protocol.data_received(data)

    def answered(self) -> None:
        """The application has answered the request."""
        self.protocol.cycle.response_complete = True
        self.protocol.on_response_complete()


@pytest.fixture
def connection() -> Connection:
    return Connection()


def test_who_connects_and_says_nothing_is_closed(connection: Connection) -> None:
    assert connection.loop.waiting == [7.0]
    connection.loop.pass_time()
    assert (connection.transport.closed, connection.transport.sent) == (True, b"")


def test_who_sends_headers_too_slowly_is_told_and_closed(connection: Connection) -> None:
    for part in (b"POST /query HT", b"TP/1.1\r\n", b"A: b\r\n", b"C: d\r\n"):
        connection.send(part)
        assert connection.loop.waiting == [7.0]  # of the one timer, which no further piece puts off
    assert len(connection.loop.timers) == 1
    connection.loop.pass_time()
    assert connection.transport.closed
    assert connection.transport.sent.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert b"connection: close\r\n" in connection.transport.sent


def test_who_sends_nothing_but_empty_lines_is_closed(connection: Connection) -> None:
    connection.send(REQUEST)
    connection.answered()
    for _ in range(3):
        connection.send(b"\r\n")
        assert connection.loop.waiting == [7.0]
    connection.loop.pass_time()
    assert (connection.transport.closed, connection.transport.sent) == (True, b"")


def test_a_request_that_is_there_is_waited_for_no_more(connection: Connection) -> None:
    connection.send(REQUEST)
    assert connection.loop.waiting == []
    connection.loop.pass_time()
    assert not connection.transport.closed


def test_a_further_request_in_one_piece_costs_no_timer(connection: Connection) -> None:
    connection.send(REQUEST)
    connection.answered()
    assert connection.loop.waiting == [5]  # uvicorn's, for idle connections
    connection.send(REQUEST)
    assert connection.loop.waiting == []
    assert len(connection.loop.timers) == 2


def test_a_further_request_has_its_own_time(connection: Connection) -> None:
    connection.send(REQUEST)
    connection.answered()
    connection.send(REQUEST[:20])
    assert connection.loop.waiting == [7.0]
    connection.send(REQUEST[20:])
    assert connection.loop.waiting == []
    connection.answered()
    connection.send(REQUEST[:20])
    connection.loop.pass_time()
    assert connection.transport.sent.startswith(b"HTTP/1.1 408 ")


def test_the_body_is_for_the_application_to_watch(connection: Connection) -> None:
    connection.send(REQUEST[:-1])
    assert connection.loop.waiting == []
    connection.send(REQUEST[-1:])
    assert connection.loop.waiting == []


def test_headers_without_end_are_refused(connection: Connection) -> None:
    connection.send(b"POST /query HTTP/1.1\r\n")
    for _ in range(64):
        connection.send(b"A: " + b"b" * 1019 + b"\r\n")
    assert connection.transport.closed
    assert connection.transport.sent.startswith(b"HTTP/1.1 431 ")
    assert connection.loop.waiting == []


CHUNKED = b"POST /query HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
TRAILER = b"A: " + b"b" * 1019 + b"\r\n"


@pytest.mark.parametrize(
    ("begun", "piece"),
    [(b"0\r\n", TRAILER), (b"1\r\nx\r\n0\r\n", TRAILER), (b"0", b";a=b" * 250), (b"", b"1\r\nx\r\n")],
    ids=["trailers", "trailers after a chunk", "extensions of a chunk", "tiny chunks"],
)
def test_what_stands_around_a_body_has_an_end(connection: Connection, begun: bytes, piece: bytes) -> None:
    connection.send(CHUNKED + begun)
    assert not connection.transport.closed
    sent = 0
    while not connection.transport.closed and sent < 1 << 20:
        connection.send(piece)
        sent += len(piece)
    assert connection.transport.sent.startswith(b"HTTP/1.1 431 ")
    assert sent < 100_000
    assert sum(len(value) for _, value in connection.protocol.headers) <= 66_000


def test_a_long_body_in_chunks_is_none_of_it(connection: Connection) -> None:
    connection.send(CHUNKED)
    for _ in range(100):
        connection.send(b"%x\r\n" % 4000 + b"x" * 4000 + b"\r\n")
    connection.send(b"0\r\nA: b\r\n\r\n")
    assert not connection.transport.closed


def test_headers_of_the_next_request_have_an_end_while_one_is_answered(connection: Connection) -> None:
    connection.send(REQUEST + b"POST /query HTTP/1.1\r\n")
    for _ in range(70):
        connection.send(TRAILER)
    assert connection.transport.closed
    assert connection.transport.sent == b""  # which would be taken for the answer to the first one


def test_few_requests_wait_for_the_answer_to_another(connection: Connection) -> None:
    connection.send(REQUEST * 9)
    assert not connection.transport.closed
    connection.send(REQUEST * 1000)
    assert connection.transport.closed
    assert len(connection.protocol.pipeline) == 8


def test_a_request_that_is_answered_before_its_body_came_is_the_last_one(connection: Connection) -> None:
    connection.send(CHUNKED)
    connection.answered()
    assert (connection.transport.ended, connection.transport.closed) == (True, False)
    assert connection.loop.waiting == [7.0]
    connection.send(b"0\r\n\r\n" + REQUEST)
    assert connection.protocol.cycle.response_complete  # nobody began to answer the second one
    connection.loop.pass_time()
    assert (connection.transport.closed, connection.transport.sent) == (True, b"")


def test_what_comes_after_the_answer_is_kept_nowhere_and_has_an_end(connection: Connection) -> None:
    connection.send(CHUNKED)
    connection.answered()
    connection.send(b"0\r\n")
    for _ in range(1023):
        connection.send(TRAILER)
    assert connection.protocol.headers == [(b"transfer-encoding", b"chunked")]
    assert not connection.transport.closed
    connection.send(TRAILER)
    connection.send(TRAILER)
    assert connection.transport.closed
    assert connection.loop.waiting == []


def test_where_only_a_whole_connection_can_end_it_ends(connection: Connection) -> None:
    connection.transport.plain = False  # as with TLS
    connection.send(CHUNKED)
    connection.answered()
    assert connection.transport.closed


def test_a_body_that_waits_behind_another_request_is_waited_for(connection: Connection) -> None:
    connection.send(REQUEST + CHUNKED)
    assert connection.protocol.pipeline[0][0] is connection.protocol.cycle
    connection.protocol.on_response_complete()
    assert not connection.transport.ended
    connection.send(b"2\r\n{}\r\n0\r\n\r\n")
    assert not connection.protocol.cycle.more_body
    assert not connection.transport.closed


def test_nobody_is_waited_for_who_has_gone(connection: Connection) -> None:
    connection.protocol.connection_lost(None)
    assert connection.loop.waiting == []


def test_a_connection_that_closes_anyway_hears_nothing_more(connection: Connection) -> None:
    connection.send(b"POST /query HTTP/1.1\r\n")
    connection.transport.close()
    connection.loop.pass_time()
    assert connection.transport.sent == b""


def test_what_is_no_http_is_refused_once(connection: Connection) -> None:
    connection.send(b"\x16\x03\x01 nonsense\r\n\r\n")
    assert connection.transport.sent.startswith(b"HTTP/1.1 400 ")
    connection.loop.pass_time()
    assert connection.transport.sent.count(b"HTTP/1.1") == 1
