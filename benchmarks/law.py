"""Does the law of the gateway hold: is nothing that somebody observes told by what they may not see?

`python -m benchmarks.law --policies 10000 --questions 20000` asks a shop and its twin, behind random policies with
several roles and every kind of permission, on DuckDB and on a PostgreSQL of its own; rows, order, refusals, kinds of
errors, log and accounts are compared. `--sieges 200` lets an adaptive attacker loose on so many random policies for
aggregates alone.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.progress import track

QUESTIONS = 40
"""How many sums an attacker asks for of one table."""


def main(
    *,
    policies: Annotated[int, typer.Option(min=0, help="How many random policies are tried.")] = 0,
    questions: Annotated[int, typer.Option(min=0, help="How many questions are asked in all, of each engine.")] = 0,
    sieges: Annotated[int, typer.Option(min=0, help="How many policies for aggregates are attacked.")] = 0,
    seed: Annotated[int, typer.Option(help="Where the random numbers begin.")] = 0,
) -> None:
    """Ask, compare and count."""
    begun = perf_counter()
    if policies:
        for engine, found in twins(policies, max(1, questions // policies), seed).items():
            print(f"{engine}: " + ", ".join(f"{name} {number:,}" for name, number in sorted(found.items())))
    if sieges:
        print("sieges: " + ", ".join(f"{name} {number:,}" for name, number in attacked(sieges, seed).items()))
    print(f"{perf_counter() - begun:,.0f} s")


def twins(policies: int, asked: int, seed: int) -> dict[str, Counter[str]]:
    """How many questions were answered and refused, and how many differences between twins there were."""
    import duckdb
    import psycopg
    from tests.gateway.temporary import TemporaryDuckDb, TemporaryPostgres
    from tests.postgres import running

    found: dict[str, Counter[str]] = {"duckdb": Counter(), "postgres": Counter()}
    with ExitStack() as stack:
        conninfo = stack.enter_context(stack.enter_context(running()).database())
        connection = stack.enter_context(psycopg.connect(conninfo, autocommit=True))
        con, log = duckdb.connect(), Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log.jsonl"
        engines = {
            "duckdb": lambda rows: TemporaryDuckDb(con, rows),
            "postgres": lambda rows: TemporaryPostgres(connection, rows),
        }
        for place in track(range(policies), "policies"):
            for engine, opened in engines.items():
                found[engine].update(_case(seed + place, asked, opened, log))
    return found


def _case(seed: int, asked: int, opened: Any, log: Path) -> Counter[str]:
    from tests.gateway.twin_law import compared
    from tests.gateway.twins import Case

    case = Case(seed)
    differ, true = compared(case, opened, case.questions(asked), log)
    for one in differ:
        print(f"DIFFERENCE of case {seed}: {one}")
    kinds = Counter(one[0] if isinstance(one[0], str) else "answered" for one in true.outcomes)
    kinds.update(policies=1, questions=asked, differences=len(differ))
    return kinds


def attacked(sieges: int, seed: int) -> dict[str, int]:
    """How many people an attacker can tell something of, who asks sums adaptively and searches by whatever differs."""
    from tests.gateway.attacker import SEARCHES, Siege, VisitSiege, search

    found: Counter[str] = Counter(sieges=sieges, answered=0, told_by_sums=0, told_by_searching=0, people=0)
    for place in track(range(sieges), "sieges"):
        exact = Siege(seed + place)
        exact.adaptive(QUESTIONS)
        found["answered"] += len(exact.sums)
        found["people"] += exact.size
        found["told_by_sums"] += len(exact.told_by_sums())
        visits = VisitSiege(seed + place)
        visits.adaptive(2 * QUESTIONS)
        found["answered"] += len(visits.sums)
        found["people"] += visits.size
        found["told_by_sums"] += len(visits.told_by_sums())
        for noisy in (False, True):
            siege = Siege(seed + place, noisy)
            target = siege.chance.randrange(siege.size)
            found["told_by_searching"] += sum(search(siege, one, target) is not None for one in SEARCHES)
    return dict(found)


if __name__ == "__main__":
    typer.run(main)
