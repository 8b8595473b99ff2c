"""Turns of people: who asks much waits for themselves, and not others for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class PersonQueues:
    """So many questions of each person are worked on at once; their others wait in a queue of their own."""

    def __init__(self) -> None:
        self._people: dict[str, _Queue] = {}

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        """Wait until fewer than `most` questions of somebody are worked on, then count as one until the block ends."""
        queue = self._people.setdefault(name, _Queue(most))
        queue.inside += 1
        try:
            async with queue.slots:
                yield
        finally:
            queue.inside -= 1
            if not queue.inside:
                del self._people[name]


class _Queue:
    """The places of one person, and how many questions have one or wait for it."""

    def __init__(self, most: int) -> None:
        self.slots = asyncio.Semaphore(most)
        self.inside = 0
