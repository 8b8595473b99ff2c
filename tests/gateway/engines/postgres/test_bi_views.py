"""The flat relation: names any tool can write, none of them as if a weaker value were exact."""

from __future__ import annotations

import psycopg
import pytest
from sqlglot import exp, parse_one

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.bi_views import flat_select


def test_every_shape_has_its_names() -> None:
    made = flat_select(["id", "income.lo", "income.hi", "income.hidden", "name", "name.exact"], exp.to_table("t"))
    assert made.named_selects == [
        "id", "income_lo", "income_hi", "income_exact", "income_shown", "name_shown", "name_exact",
    ]  # fmt: skip


def test_what_somebody_chose_is_not_told() -> None:
    made = flat_select(["id", "income.lo", "income.hi", "income.hidden", "id.hidden"], exp.to_table("t"))
    assert "hidden" not in made.sql("postgres")


def test_names_that_meet_are_refused() -> None:
    with pytest.raises(PolicyError, match="two columns 'income_lo'"):
        flat_select(["income_lo", "income.lo", "income.hi"], exp.to_table("t"))


def test_a_dot_alone_is_no_shape() -> None:
    assert flat_select(["a.b", "x.hi"], exp.to_table("t")).named_selects == ["a.b", "x_hi"]


def test_how_a_range_is_shown_can_be_said(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute('CREATE VIEW t AS SELECT * FROM (VALUES (1, 9), (5, 5), (NULL, NULL)) v("x.lo", "x.hi")')
        shown = {"x": parse_one("""'about ' || "x.lo" """, dialect="postgres")}
        made = flat_select(["x.lo", "x.hi"], exp.to_table("t"), shown)
        found = connection.execute(made.sql("postgres")).fetchall()  # type: ignore[arg-type]
    assert found == [(1, 9, False, "about 1"), (5, 5, True, "5"), (None, None, None, None)]
