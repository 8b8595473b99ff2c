"""Permissions do not add up: what somebody with several roles sees is what one of them alone lets see."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sfumato.errors import BudgetError, DeniedError, SfumatoError, StatementError
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.examples import seeds
from tests.gateway.memory import MemorySource, fill, memory_database

COLUMNS = {"person": ("id", "name", "town", "income"), "visit": ("visit", "person", "cost")}
KINDS = {
    "person": {"id": "INTEGER", "name": "VARCHAR", "town": "VARCHAR", "income": "INTEGER"},
    "visit": {"visit": "INTEGER", "person": "INTEGER", "cost": "INTEGER"},
}
QUESTIONS = [
    "SELECT * FROM person",
    "SELECT name, income FROM person",
    "SELECT p.* FROM person p WHERE p.income > 20",
    "SELECT count(*) AS n FROM person",
    "SELECT count(*) AS n FROM person WHERE town = 'Rome'",
    "SELECT sum(income) AS s FROM person WHERE town <> 'Riga'",
    "SELECT town, count(*) AS n, avg(income) AS a FROM person GROUP BY town ORDER BY town",
    "SELECT max(income) AS m FROM person",
    "SELECT name FROM person WHERE id IN (SELECT person FROM visit WHERE cost > 5)",
    "SELECT p.name, v.cost FROM person p JOIN visit v ON v.person = p.id",
    "SELECT a.name, b.income FROM person a JOIN person b ON a.id = b.id",
    "WITH w AS (SELECT id, income FROM person) SELECT sum(w.income) AS s FROM w",
    "SELECT name FROM person UNION SELECT town FROM person",
    "SELECT visit FROM visit ORDER BY cost",
    "SELECT sum(cost) AS s FROM visit",
    "SELECT * FROM nothing",
    "SELECT 1 AS one",
]
PEOPLE = [(place, f"N{place}", ("Rome", "Oslo", "Riga")[place % 3], 10 * place) for place in range(12)]
VISITS = [(place, place % 12, place % 7) for place in range(20)]


def source() -> MemorySource:
    raw = memory_database()
    raw.execute("CREATE TABLE person (id INT, name VARCHAR, town VARCHAR, income INT NOT NULL)")
    raw.execute("CREATE TABLE visit (visit INT, person INT, cost INT NOT NULL)")
    fill(raw, "person", PEOPLE)
    fill(raw, "visit", VISITS)
    return MemorySource(raw, KINDS)


def random_policy(chance: random.Random) -> dict[str, Any]:
    tables = {}
    for table, names in COLUMNS.items():
        columns = {name: {"selects": chance.random() < 0.6, "bounds": [0.0, 200.0]} for name in names}
        if chance.random() < 0.3:
            columns[chance.choice(names[1:])]["prohibited"] = ["Research"]
        tables[table] = {"key": names[0], "allowed": ["Research"], "columns": columns}
    return {
        "name": "random",
        "purposes": {"Research": []},
        "tables": tables,
        "roles": {"a": {}, "b": {}, "c": {}},
        "permissions": [random_permission(chance) for _ in range(chance.randint(1, 5))],
        "auditing": {"least": chance.choice([1, 2, 5])},
    }


def random_permission(chance: random.Random) -> dict[str, Any]:
    table = chance.choice(list(COLUMNS))
    made: dict[str, Any] = {"role": chance.choice("abc"), "table": table, "purpose": "Research"}
    if chance.random() < 0.6:
        made["columns"] = chance.sample(COLUMNS[table], chance.randint(1, len(COLUMNS[table])))
    if chance.random() < 0.5:
        made["only_aggregates"] = True
    return made


def outcome(policy: Policy, roles: frozenset[str], text: str) -> Any:
    """What comes of a question, asked of fresh data: rows or the kind of a refusal."""
    gate = Gateway(policy, source())
    try:
        answer = gate.query(text, person=Person("ada", roles), purpose="Research")
    except SfumatoError as refusal:
        return type(refusal)
    finally:
        gate.close()
    return answer.table.column_names, answer.rows()


def is_answer(found: Any) -> bool:
    return not isinstance(found, type)


@seeds(15)
def test_somebody_with_two_roles_sees_the_union_and_never_more(seed: int) -> None:
    chance = random.Random(seed)
    given = random_policy(chance)
    policy = Policy.of(given)
    for text in chance.sample(QUESTIONS, 5):
        alone = [outcome(policy, frozenset({role}), text) for role in ("a", "b")]
        both = outcome(policy, frozenset({"a", "b"}), text)
        if is_answer(both) and ("person" in text) + ("visit" in text) < 2:
            assert both in alone, (text, given["permissions"])
        if is_answer(both) and "person" in text and "visit" in text:
            assert covered(given["permissions"], {"a", "b"}, text), (text, given["permissions"])
        if any(map(is_answer, alone)):
            assert is_answer(both), (text, given["permissions"])


def covered(permissions: list[dict[str, Any]], roles: set[str], text: str) -> bool:
    """Whether rows of every table of a join may be read by one permission for the table."""
    read = {
        "SELECT name FROM person WHERE id IN (SELECT person FROM visit WHERE cost > 5)": (
            {"name", "id"},
            {"person", "cost"},
        ),
        "SELECT p.name, v.cost FROM person p JOIN visit v ON v.person = p.id": ({"name", "id"}, {"cost", "person"}),
    }[text]
    return all(
        any(
            one["table"] == table and one["role"] in roles and not one.get("only_aggregates")
            and names <= set(one.get("columns", names))
            for one in permissions
        )
        for table, names in zip(("person", "visit"), read, strict=True)
    )  # fmt: skip


STAT = {"role": "stat", "table": "person", "purpose": "Research", "only_aggregates": True}
CLERK = {"role": "clerk", "table": "person", "purpose": "Research", "columns": ["id", "name"]}


def shop(*permissions: dict[str, Any]) -> Gateway:
    opened = {name: {"selects": True} for name in ("id", "name", "town")}
    table = {"key": "id", "allowed": ["Research"], "columns": {**opened, "income": {"bounds": [0.0, 200.0]}}}
    given = {"name": "shop", "purposes": {"Research": []}, "tables": {"person": table}, "auditing": {"least": 2}}
    return Gateway(Policy.of({**given, "roles": {"stat": {}, "clerk": {}}, "permissions": list(permissions)}), source())


STAT_ONLY, CLERK_ONLY, BOTH = (Person("p", frozenset(roles)) for roles in ({"stat"}, {"clerk"}, {"stat", "clerk"}))


def test_aggregates_and_some_columns_do_not_make_rows() -> None:
    gate = shop(STAT, CLERK)
    for person in (STAT_ONLY, CLERK_ONLY, BOTH):
        with pytest.raises((StatementError, DeniedError)):
            gate.query("SELECT name, income FROM person", person=person)
        with pytest.raises((StatementError, DeniedError)):
            gate.query("SELECT a.name, b.income FROM person a JOIN person b ON a.id = b.id", person=person)
    assert len(gate.query("SELECT id, name FROM person", person=BOTH)) == 12
    assert gate.query("SELECT sum(income) AS s FROM person", person=BOTH).rows() == [(660,)]


def test_the_columns_of_two_permissions_do_not_add_up() -> None:
    gate = shop(CLERK, {**CLERK, "role": "stat", "columns": ["id", "income"]})
    with pytest.raises(StatementError, match="'income' is not shown to you"):
        gate.query("SELECT name, income FROM person", person=BOTH)
    assert len(gate.query("SELECT income FROM person", person=BOTH)) == 12


def test_a_star_stands_for_the_columns_of_the_permission() -> None:
    gate = shop(CLERK, {**CLERK, "role": "stat", "columns": ["id"]})
    assert gate.query("SELECT * FROM person", person=CLERK_ONLY).table.column_names == ["id", "name"]
    assert gate.query("SELECT * FROM person", person=STAT_ONLY).table.column_names == ["id"]
    assert gate.query("SELECT * FROM person", person=BOTH).table.column_names == ["id", "name"]


def test_a_column_outside_a_permission_is_refused_like_a_hidden_one() -> None:
    gate = shop(CLERK)
    for text in (
        "SELECT income FROM person",
        "SELECT name FROM person WHERE income > 5",
        "SELECT max(income) FROM person",
    ):
        with pytest.raises(StatementError, match="column 'income' is not shown to you for this purpose"):
            gate.query(text, person=CLERK_ONLY)


def test_a_permission_for_aggregates_of_some_columns_is_for_no_others() -> None:
    gate = shop({**STAT, "columns": ["id", "town"]})
    assert gate.query("SELECT count(*) AS n FROM person WHERE town = 'Rome'", person=STAT_ONLY).rows() == [(4,)]
    with pytest.raises(StatementError, match="'income' is not shown to you"):
        gate.query("SELECT sum(income) AS s FROM person", person=STAT_ONLY)
    with pytest.raises(StatementError, match="'name' is not shown to you"):
        gate.query("SELECT count(*) AS n FROM person WHERE name = 'N1'", person=STAT_ONLY)


def test_what_is_not_answered_exactly_may_be_answered_with_noise() -> None:
    """Who may do both is refused neither by the one nor by the other alone."""
    noisy = {**STAT, "role": "clerk", "epsilon": 0.2}
    gate = shop(STAT, noisy)
    assert gate.query("SELECT sum(income) AS s FROM person", person=BOTH).margins == {}
    few = gate.query("SELECT sum(income) AS s FROM person WHERE id = 3", person=BOTH)
    assert few.margins["s"] > 0
    gate.query("SELECT median(income) AS m FROM person", person=BOTH)
    with pytest.raises(DeniedError, match="too few people"):  # the first reason, when neither answers any more
        gate.query("SELECT sum(income) AS s FROM person WHERE id = 3", person=BOTH)
    with pytest.raises(BudgetError):
        gate.query("SELECT sum(income) AS s FROM person WHERE id = 3", person=CLERK_ONLY)


def test_obligations_are_those_of_the_permission_that_is_used() -> None:
    told = {"duty": "notify", "to": "officer"}
    gate = shop({**CLERK, "obligations": [told]}, {**STAT, "only_aggregates": False})
    assert gate.query("SELECT name FROM person", person=BOTH).obligations == ()
    assert [str(duty) for duty in gate.query("SELECT name FROM person", person=CLERK_ONLY).obligations] == [
        "notify officer"
    ]


def test_a_table_that_nobody_granted_is_not_there() -> None:
    gate = shop(CLERK)
    said = set()
    for table in ("visit", "nothing"):
        with pytest.raises(StatementError) as refusal:
            gate.query(f"SELECT * FROM {table}", person=CLERK_ONLY)
        said.add(str(refusal.value).replace(table, "TABLE"))
    assert len(said) == 1
