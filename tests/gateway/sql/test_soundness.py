"""What is answered is true whatever the hidden truth is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import duckdb
import pytest

from sfumato.errors import StatementError
from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.values import Range, Weak
from tests.gateway.questions import TABLES, Questions
from tests.gateway.shops import Shop, load

WORLDS, ASKED = 8, 12


def covers(outputs: Sequence[Output], flat: Sequence[Any], row: Sequence[Any]) -> bool:
    """Whether a row of an answer may be this row of the truth; what is hidden may be anything."""
    place = 0
    for output, true in zip(outputs, row, strict=True):
        parts = flat[place : place + len(output.names)]
        place += len(parts)
        if parts[0] is None:
            if true is not None and not output.value.hideable:
                return False
        elif isinstance(output.value, Range):
            if true is None or not parts[0] <= true <= parts[1]:
                return False
        elif isinstance(output.value, Weak):
            if true is None or (true != parts[0] if parts[1] else not true.startswith(parts[0])):
                return False
        elif true != parts[0]:
            return False
    return True


@pytest.mark.parametrize("seed", range(60))
def test_every_answered_row_holds_in_every_world(seed: int) -> None:
    shop, chance = Shop(seed), random.Random(seed)
    con = duckdb.connect()
    shop.masked(con)
    worlds = [shop.world(chance) for _ in range(WORLDS)]
    for number, world in enumerate(worlds):
        for table in TABLES:
            load(con, f"w{number}.{table}", world[table])
    questions = Questions(seed)
    answered = 0
    for _ in range(ASKED):
        text = questions.next()
        try:
            made = shop.compiled(text)
        except StatementError:
            continue
        con.execute("USE memory.main")
        answer = con.execute(made.sql).fetchall()
        answered += 1
        for number in range(WORLDS):
            con.execute(f"USE memory.w{number}")
            true = con.execute(text).fetchall()
            for flat in answer:
                assert any(covers(made.outputs, flat, row) for row in true), text
    assert answered, "every question was refused"
