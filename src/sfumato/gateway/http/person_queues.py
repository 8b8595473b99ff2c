"""A queue for each person, so that somebody who asks a lot waits for themselves and does not delay others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class PersonQueues:
    """Runs a limited number of each person's queries at once; further ones wait in a queue of that person."""

    def __init__(self) -> None:
        self._people: dict[str, _Queue] = {}

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        """Wait until fewer than `most` queries of a person run, and count as one of them until the block ends."""
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
    """The slots of one person, and how many queries have one or wait for one."""

    def __init__(self, most: int) -> None:
        self.slots = asyncio.Semaphore(most)
        self.inside = 0
