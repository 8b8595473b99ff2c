from __future__ import annotations

import asyncio

from sfumato.gateway.http.person_queues import PersonQueues


async def asked(turns: PersonQueues, name: str, going: list[str], end: asyncio.Event, most: int = 1) -> None:
    async with turns.slot(name, most):
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


def test_a_limit_that_is_raised_applies_to_those_who_wait_already() -> None:
    async def tried() -> None:
        turns, going, end = PersonQueues(), list[str](), asyncio.Event()
        tasks = [asyncio.create_task(asked(turns, "eve", going, end)) for _ in range(3)]
        await settled()
        assert len(going) == 1
        tasks.append(asyncio.create_task(asked(turns, "eve", going, end, most=3)))
        await settled()
        assert len(going) == 3
        end.set()
        await asyncio.gather(*tasks)
        assert (len(going), turns._people) == (4, {})

    asyncio.run(tried())


def test_a_limit_that_is_lowered_applies_to_those_who_come_while_others_run() -> None:
    async def tried() -> None:
        turns, going, ends = PersonQueues(), list[str](), [asyncio.Event() for _ in range(3)]
        tasks = [asyncio.create_task(asked(turns, "eve", going, end, most=2)) for end in ends[:2]]
        await settled()
        tasks.append(asyncio.create_task(asked(turns, "eve", going, ends[2], most=1)))
        await settled()
        assert len(going) == 2
        ends[0].set()
        await settled()
        assert len(going) == 2  # one still runs, and one is the limit now
        ends[1].set()
        await settled()
        assert len(going) == 3
        ends[2].set()
        await asyncio.gather(*tasks)
        assert turns._people == {}

    asyncio.run(tried())


def test_a_turn_that_comes_as_its_query_is_cancelled_goes_to_the_next() -> None:
    async def tried() -> None:
        turns, going = PersonQueues(), list[str]()
        ends = [asyncio.Event() for _ in range(3)]
        tasks = [asyncio.create_task(asked(turns, "eve", going, end)) for end in ends]
        await settled()
        ends[0].set()
        await asyncio.sleep(0)  # the first one ends and gives its turn to the second, which does not run yet
        tasks[1].cancel()
        await settled()
        assert going == ["eve", "eve"]
        ends[2].set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (tasks[1].cancelled(), turns._people) == (True, {})

    asyncio.run(tried())
