"""A queue for each person, so that somebody with many queries waits for their own queries and does not delay others.

`HttpApi` runs every query in a slot of its person's queue.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class PersonQueues:
    """Runs a limited number of each person's queries at once; further ones wait in a queue of that person."""

    def __init__(self) -> None:
        self._people: dict[str, _Queue] = {}

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        """Wait until fewer than `most` queries of a person run, and count as one of them until the block ends.

        The limit may change from query to query; the last one applies to all queries that wait.
        """
        queue = self._people.setdefault(name, _Queue())
        queue.most = most
        try:
            await queue.enter()
            try:
                yield
            finally:
                queue.leave()
        finally:
            if queue.is_empty:
                del self._people[name]


class _Queue:
    """How many queries of one person run, and the turns of those that wait, in order."""

    def __init__(self) -> None:
        self.most = 1
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def is_empty(self) -> bool:
        """Whether no query runs or waits."""
        return not self._running and not self._waiting

    async def enter(self) -> None:
        """Wait for a turn."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._give_turns()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)
            else:  # its turn had come already
                self.leave()
            raise

    def leave(self) -> None:
        """End a turn."""
        self._running -= 1
        self._give_turns()

    def _give_turns(self) -> None:
        """Let as many of those that wait run as may; a cancelled one removes its turn itself."""
        waiting = [turn for turn in self._waiting if not turn.done()]
        for turn in waiting[: max(0, self.most - self._running)]:
            self._waiting.remove(turn)
            self._running += 1
            turn.set_result(None)
