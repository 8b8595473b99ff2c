"""What is answered is true whatever the hidden truth is."""

from __future__ import annotations

import random

import duckdb

from sfumato.errors import StatementError
from tests.examples import seeds
from tests.gateway.questions import TABLES, Questions
from tests.gateway.shops import Shop, load
from tests.oracles.certain_answers import covers

WORLDS, ASKED = 8, 12


@seeds(24)
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
