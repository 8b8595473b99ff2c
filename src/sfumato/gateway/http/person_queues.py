"""A queue for each person, so that somebody with many queries waits for their own queries and does not delay others.

`HttpApi` runs every query in a slot of its person's queue.
"""

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
        queue.pending += 1
        try:
            async with queue.slots:
                yield
        finally:
            queue.pending -= 1
            if not queue.pending:
                del self._people[name]


class _Queue:
    """The slots of one person, and how many queries have one or wait for one."""

    def __init__(self, most: int) -> None:
        self.slots = asyncio.Semaphore(most)
        self.pending = 0
