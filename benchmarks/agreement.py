"""Do both engines of the gateway mean the same, is what is answered true, does nothing hidden show, does it ever crash?

`python -m benchmarks.agreement --questions 10000 --fuzz 10000` asks so many random questions of random shops on DuckDB
and on a PostgreSQL of its own, and tries so many spoiled statements and policies; the tests do the same in small.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from time import perf_counter
from typing import Annotated, Any

import typer

ASKED_OF_A_SHOP = 40
WORLDS = 3
MOST_ROWS = 10
ROW_POLICIES = ("mask_cell", "drop_row", "drop_if_all_hidden")
SECONDS = 2.0


def main(
    *,
    questions: Annotated[int, typer.Option(min=0, help="How many questions are asked of both engines.")] = 0,
    fuzz: Annotated[int, typer.Option(min=0, help="How many statements and policies are spoiled.")] = 0,
    seed: Annotated[int, typer.Option(help="Where the random numbers begin.")] = 0,
) -> None:
    """Ask, compare and count."""
    if questions:
        _print("questions", agreement(questions, seed))
    if fuzz:
        _print("spoiled statements", statements(fuzz, seed))
        _print("spoiled policies", policies(fuzz, seed))


def agreement(many: int, seed: int) -> dict[str, Any]:
    """Random questions on both engines: half of them only add rows, half of them compute."""
    from tests.gateway.two_engines import TwoEngines
    from tests.postgres import running

    found: Counter[str] = Counter()
    with running() as server, server.database() as conninfo:
        two = TwoEngines(conninfo)
        for place in range(-(-many // ASKED_OF_A_SHOP)):
            found.update(_shop(two, seed + place, min(ASKED_OF_A_SHOP, many - place * ASKED_OF_A_SHOP)))
        two.close()
    names = ("asked", "answered", "refused", "failed on both", "mismatches", "rows", "unsound rows", "interfering")
    return {name: found[name] for name in names}


def _shop(two: Any, seed: int, many: int) -> Counter[str]:
    from tests.gateway.questions import Questions
    from tests.gateway.shops import Shop
    from tests.gateway.two_engines import FAILED, interferes, unsound

    shop = Shop(seed, ROW_POLICIES[seed // 2 % 3], most=MOST_ROWS)
    chance, monotone = random.Random(seed), seed % 2 == 0
    stream = Questions(seed, monotone=monotone)
    two.open(shop)
    told = [two.ask(shop, stream.next()) for _ in range(many)]
    for one in told:
        if not one.agree:
            print(f"MISMATCH in shop {seed}: {one.text}\n  duckdb   {one.rows}\n  postgres {one.others}")
    found = Counter(asked=len(told), mismatches=sum(not one.agree for one in told))
    found["answered"] = sum(one.agree and not one.refused for one in told)
    found["failed on both"] = sum(one.refused and one.rows == FAILED for one in told)
    found["refused"] = sum(one.refused and one.rows != FAILED for one in told)
    found["rows"] = sum(len(one.rows) for one in told if not isinstance(one.rows, str))
    found["interfering"] = interferes(shop, two.duckdb, told, chance)
    if monotone:
        found["unsound rows"] = unsound(shop, two.duckdb, told, WORLDS, chance)
    return found


def statements(many: int, seed: int) -> dict[str, Any]:
    """Spoiled statements, through the whole gateway with a real engine behind it."""
    from tests.gateway import malformed
    from tests.gateway.spoiled import OpenShop

    shop = OpenShop()
    try:
        return _tried(many, seed, malformed.statement, shop.asked)
    finally:
        shop.close()


def policies(many: int, seed: int) -> dict[str, Any]:
    """Spoiled policies."""
    from tests.gateway import malformed
    from tests.gateway.spoiled import read_policy

    return _tried(many, seed, malformed.policy, read_policy)


def _tried(
    many: int, seed: int, made: Callable[[random.Random], Any], tried: Callable[[Any], str | None]
) -> dict[str, Any]:
    found: Counter[str] = Counter()
    longest = 0.0
    for place in range(seed, seed + many):
        spoiled, begun = made(random.Random(place)), perf_counter()
        try:
            found["accepted" if tried(spoiled) is None else "refused"] += 1
        except Exception as error:  # whatever it is, it should have been one of ours
            found["crashed"] += 1
            print(f"CRASH of number {place}: {error!r}")
        took = perf_counter() - begun
        longest = max(longest, took)
        found["too slow"] += took > SECONDS
    names = ("accepted", "refused", "crashed", "too slow")
    return {name: found[name] for name in names} | {"longest, seconds": round(longest, 2)}


def _print(title: str, figures: dict[str, Any]) -> None:
    print(title)
    for name, figure in figures.items():
        print(f"  {name:<18} {figure:>10,}")


if __name__ == "__main__":
    typer.run(main)
