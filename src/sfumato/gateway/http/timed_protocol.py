"""HTTP connections that are closed when a client takes too long to send a request; `gateway serve` uses them."""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

_MAX_HEAD = 65_536
"""Most bytes of a request beside its body: headers, trailers, and the framing of chunks."""

_MAX_DISCARDED = 1 << 20
"""Most bytes that are read and discarded of a request that was answered before all of it arrived."""

_MAX_PIPELINED = 8
"""Most requests of a connection that wait for the answer to an earlier one."""

_TOO_SLOW, _TOO_LONG = 408, 431


class _TooManyRequests(Exception):
    """Too many requests wait; raising it stops the parser."""


class TimedProtocol(HttpToolsProtocol):
    """Closes a connection if the headers of its next request do not arrive in time, or do not end.

    The time runs from when the connection is made, and again from the first bytes of every further request. A request
    whose headers arrive in one piece costs no timer. uvicorn limits how long a connection may be idle between requests,
    and the application how long a body may take.

    A request that is answered before its body has arrived is the last one of its connection. What still arrives is
    discarded for a while: closing at once would make a client that is still sending lose the answer.
    """

    def __init__(self, *given: Any, header_seconds: Callable[[], float], **named: Any) -> None:
        super().__init__(*given, **named)
        self._header_seconds = header_seconds
        self._timer: TimerHandle | None = None
        self._has_begun = self._in_body = self._discarding = False
        self._head = self._discarded = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Pass data on, and start the timer if headers are still missing."""
        if self._discarding:
            self._discard(data)
            return
        self._head += len(data)  # the parser subtracts what belongs to a body
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._head > _MAX_HEAD:
            self._end(_TOO_LONG)
        elif self._timer is None and not self._is_answering():
            self._start_timer()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._has_begun = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """All headers have arrived."""
        if len(self.pipeline) >= _MAX_PIPELINED:
            raise _TooManyRequests
        self._has_begun, self._in_body = False, True
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body has arrived; the application limits its length."""
        self._head = max(0, self._head - len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The whole body and all trailers have arrived."""
        self._in_body, self._head = False, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request is answered; it is the last one if it has not arrived completely."""
        super().on_response_complete()
        if self._in_body and self.cycle.response_complete and not self.transport.is_closing():
            self._finish_sending()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def _finish_sending(self) -> None:
        """End the answers, and read for a while what still arrives."""
        if not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write_eof()
        self._discarding = True
        self._unset_keepalive_if_required()
        self._stop_timer()
        self._start_timer()

    def _discard(self, data: bytes) -> None:
        """Count discarded bytes, and close if there are too many."""
        self._discarded += len(data)
        if self._discarded > _MAX_DISCARDED:
            self._end(_TOO_LONG)

    def _is_answering(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _can_report(self) -> bool:
        """Whether a status can be sent that the client cannot mistake for the answer to another request."""
        if self._is_answering():
            return self._in_body and not self.pipeline and not self.cycle.response_started
        return self._has_begun

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self._header_seconds(), self._end, _TOO_SLOW)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, status: int) -> None:
        """Close the connection; a client that has begun a request gets the status."""
        self._stop_timer()
        if self.transport.is_closing():
            return
        if self._can_report():
            self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()


def timed_protocol(header_seconds: Callable[[], float]) -> type[asyncio.Protocol]:
    """The protocol for a server; `header_seconds` is called for every connection and request."""

    class Timed(TimedProtocol):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, header_seconds=header_seconds, **named)

    return Timed
