from __future__ import annotations

import asyncio

from sfumato.gateway.http.person_queues import PersonQueues


async def asked(turns: PersonQueues, name: str, going: list[str], end: asyncio.Event) -> None:
    async with turns.slot(name, 1):
        going.append(name)
        await end.wait()


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_who_asks_much_waits_for_themselves() -> None:
    async def tried() -> None:
        turns, going, end = PersonQueues(), list[str](), asyncio.Event()
        tasks = [asyncio.create_task(asked(turns, "eve", going, end)) for _ in range(3)]
        await settled()
        tasks.append(asyncio.create_task(asked(turns, "ann", going, end)))
        await settled()
        assert going == ["eve", "ann"]
        tasks[2].cancel()  # whoever waits no longer leaves the queue
        end.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert going == ["eve", "ann", "eve"]
        assert turns._people == {}

    asyncio.run(tried())
