"""HTTP connections that end when a client takes too long to say what it wants."""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

_LONGEST_HEAD = 65_536
"""Bytes that the headers of a request may have."""

_TOO_SLOW, _TOO_LONG = 408, 431


class TimedProtocol(HttpToolsProtocol):
    """Closes a connection whose next request does not come with all its headers in time, or comes without end.

    The time runs from when the connection is made, and again from the first bytes of every further request. A request
    whose headers come in one piece costs no timer. How long a connection may be idle between requests is for uvicorn
    to watch, and how long a body may take for the application.
    """

    def __init__(self, *given: Any, header_seconds: Callable[[], float], **named: Any) -> None:
        super().__init__(*given, **named)
        self._header_seconds = header_seconds
        self._timer: TimerHandle | None = None
        self._begun = self._in_body = False
        self._head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what has come, and wait for the rest of the headers."""
        super().data_received(data)
        if self.transport.is_closing() or not (self.cycle is None or self.cycle.response_complete):
            return
        self._head += 0 if self._in_body else len(data)  # of a body, where the request was answered before it came
        if self._head > _LONGEST_HEAD:
            self._end(_TOO_LONG)
        elif self._timer is None:
            self._wait()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._begun = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """All headers are there."""
        self._begun, self._in_body, self._head = False, True, 0
        self._wait_no_more()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The whole body is there."""
        self._in_body = False
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self._header_seconds(), self._end, _TOO_SLOW)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, status: int) -> None:
        """Close the connection; somebody who has begun to ask is told why."""
        self._wait_no_more()
        if self.transport.is_closing():
            return
        if self._begun:
            self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()


def timed(header_seconds: Callable[[], float]) -> type[asyncio.Protocol]:
    """The protocol for a server whose clients have so many seconds; asked for every connection and request."""

    class Timed(TimedProtocol):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, header_seconds=header_seconds, **named)

    return Timed
