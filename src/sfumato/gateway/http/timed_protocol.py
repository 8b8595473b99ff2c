"""HTTP connections that end when a client takes too long to say what it wants."""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

_MAX_HEAD = 65_536
"""Bytes that a request may have beside its body: headers, trailers, and what stands around chunks."""

_MAX_DISCARDED = 1 << 20
"""Bytes that are read and thrown away of a request that was answered before all of it came."""

_MAX_PIPELINED = 8
"""So many requests of a connection wait for the answer to another one."""

_TOO_SLOW, _TOO_LONG = 408, 431


class _TooManyRequests(Exception):
    """Too many requests wait; the parser stops at it."""


class TimedProtocol(HttpToolsProtocol):
    """Closes a connection whose next request does not come with all its headers in time, or comes without end.

    The time runs from when the connection is made, and again from the first bytes of every further request. A request
    whose headers come in one piece costs no timer. How long a connection may be idle between requests is for uvicorn
    to watch, and how long a body may take for the application.

    A request that is answered before its body is there is the last one of its connection. What still comes is thrown
    away for a while: closing at once would tear the answer from the hands of a client that is still sending.
    """

    def __init__(self, *given: Any, header_seconds: Callable[[], float], **named: Any) -> None:
        super().__init__(*given, **named)
        self._header_seconds = header_seconds
        self._timer: TimerHandle | None = None
        self._has_begun = self._in_body = self._discarding = False
        self._head = self._discarded = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Take what has come, and wait for the rest of the headers."""
        if self._discarding:
            self._discard(data)
            return
        self._head += len(data)  # of which the parser takes off what belongs to a body
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
        """All headers are there."""
        if len(self.pipeline) >= _MAX_PIPELINED:
            raise _TooManyRequests
        self._has_begun, self._in_body = False, True
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body is there; how long it may be is for the application to say."""
        self._head = max(0, self._head - len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The whole body is there, and all trailers."""
        self._in_body, self._head = False, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request is answered; it is the last one if it is not there yet."""
        super().on_response_complete()
        if self._in_body and self.cycle.response_complete and not self.transport.is_closing():
            self._finish_sending()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._stop_timer()
        super().connection_lost(exc)

    def _finish_sending(self) -> None:
        """End the answers, and read for a while what is still sent."""
        if not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write_eof()
        self._discarding = True
        self._unset_keepalive_if_required()
        self._stop_timer()
        self._start_timer()

    def _discard(self, data: bytes) -> None:
        self._discarded += len(data)
        if self._discarded > _MAX_DISCARDED:
            self._end(_TOO_LONG)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _can_report(self) -> bool:
        """Whether a client hears why its connection ends; not where it would take that for another answer."""
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
        """Close the connection; somebody who has begun to ask is told why."""
        self._stop_timer()
        if self.transport.is_closing():
            return
        if self._can_report():
            self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()


def timed_protocol(header_seconds: Callable[[], float]) -> type[asyncio.Protocol]:
    """The protocol for a server whose clients have so many seconds; asked for every connection and request."""

    class Timed(TimedProtocol):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, header_seconds=header_seconds, **named)

    return Timed
