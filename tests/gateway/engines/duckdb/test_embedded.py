from __future__ import annotations

from datetime import UTC, date, datetime, time
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato.errors import DataError, LimitError, PolicyError, StatementError
from sfumato.gateway.engines.duckdb import embedded
from sfumato.gateway.engines.duckdb.embedded import EmbeddedSource
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
from sfumato.gateway.engines.duckdb.worker_pool import WorkerPool
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir

OWNER = Person("olga", frozenset({"owner"}), {})
AT_TEN = datetime(2026, 11, 16, 10, tzinfo=UTC)


@pytest.fixture
def private():
    made = PrivateDuckDb(keys={"customer": "id"}, choices={"customer": kabir.COLUMNS})
    values = ", ".join(str(row) for row in kabir.CUSTOMERS)
    made.change(
        "customer", f"CREATE TABLE customer AS SELECT * FROM (VALUES {values}) v(id, name, age, address, income)"
    )
    chosen = kabir.chosen(kabir.TABLE_3_2)
    columns = {f"{name}.choice": [row[name] for row in chosen.values()] for name in kabir.COLUMNS}
    made.set_choices("customer", pa.table({"id": list(chosen), **columns}))
    yield made
    made.close()


def gateway(private, *, today=date(2026, 11, 16), limits=None, **change) -> Gateway:
    policy = Policy.of({**kabir.policy(), **change})
    source = EmbeddedSource(private, children=1, limits=Limits(memory="128MB"))
    return Gateway(policy, source, limits=limits, clock=lambda: datetime.combine(today, time(10), UTC))


def test_answers_follow_data_and_choices(private) -> None:
    gate = gateway(private)

    def asked(purpose: str):
        return gate.query("SELECT income FROM customer WHERE id = 2", person=OWNER, purpose=purpose).rows()

    try:
        assert (asked("Marketing"), asked("Shipping")) == ([("20000-30000",)], [("23000",)])
        private.set_choices("customer", pa.table({"id": [2], "income.choice": [1]}))
        assert asked("Marketing") == [("23000",)]
        private.change("customer", "UPDATE customer SET income = 24000 WHERE id = 2")
        assert (asked("Marketing"), asked("Shipping")) == ([("24000",)], [("24000",)])
        private.change("customer", gone=pa.array([2]))
        assert asked("Marketing") == []
    finally:
        gate.close()


def test_every_purpose_has_processes_of_its_own(private) -> None:
    gate = gateway(private)
    try:
        gate.query("SELECT name FROM customer", person=OWNER, purpose="Marketing")
        gate.query("SELECT name FROM customer", person=OWNER, purpose="Purchase")
        sides = gate.source._workers_of
        assert set(sides) == {"Marketing", "Purchase"}
        seen = {name: side.pool.ask('SELECT * FROM "customer"', seconds=5).to_pydict() for name, side in sides.items()}
        assert seen["Purchase"]["income"] == [35000, 23000, 56000, 48000]
        assert "23000" not in str(seen["Marketing"])
    finally:
        gate.close()


def test_a_question_may_take_so_many_rows(private) -> None:
    gate = gateway(private, limits=Limits(rows=3))
    try:
        with pytest.raises(LimitError):
            gate.query("SELECT name FROM customer", person=OWNER, purpose="Purchase")
        assert len(gate.query("SELECT name FROM customer LIMIT 3", person=OWNER, purpose="Purchase")) == 3
    finally:
        gate.close()


def test_rules_begin_and_records_end_with_the_day(private) -> None:
    private.change("customer", "ALTER TABLE customer ADD COLUMN since DATE DEFAULT DATE '2026-11-10'")
    tables = kabir.policy()["tables"]
    tables["customer"]["retention"] = [{"column": "since", "days": 6}]
    for today, kept in ((date(2026, 11, 16), 4), (date(2026, 11, 17), 0)):
        gate = gateway(private, today=today, tables=tables)
        try:
            assert len(gate.query("SELECT name FROM customer", person=OWNER, purpose="Purchase")) == kept
        finally:
            for side in gate.source._workers_of.values():
                side.pool.close()


def test_columns_come_and_go(private) -> None:
    tables = {"customer": {**kabir.policy()["tables"]["customer"], "new_columns": "as_table"}}
    gate = gateway(private, tables=tables)
    try:
        assert gate.query("SELECT * FROM customer", person=OWNER, purpose="Purchase").table.num_columns == 5
        private.change("customer", "ALTER TABLE customer ADD COLUMN phone VARCHAR DEFAULT '555'")
        assert gate.query("SELECT phone FROM customer", person=OWNER, purpose="Purchase").rows() == [("555",)] * 4
        private.change("customer", "ALTER TABLE customer DROP COLUMN phone")
        assert gate.query("SELECT * FROM customer", person=OWNER, purpose="Purchase").table.num_columns == 5
    finally:
        gate.close()


def test_a_column_that_is_added_later_is_not_shown(private) -> None:
    gate = gateway(private)
    try:
        private.change("customer", "ALTER TABLE customer ADD COLUMN phone VARCHAR DEFAULT '555'")
        assert gate.query("SELECT * FROM customer", person=OWNER, purpose="Purchase").table.num_columns == 5
        with pytest.raises(StatementError, match="'phone'"):
            gate.query("SELECT phone FROM customer", person=OWNER, purpose="Purchase")
    finally:
        gate.close()


def test_choices_are_taken_in_together_or_not_at_all(private) -> None:
    gate = gateway(private)

    def asked():
        return gate.query("SELECT age, income FROM customer WHERE id = 2", person=OWNER, purpose="Marketing").rows()

    place = Policy.of(kabir.policy()).choices.index("G||") + 1
    income, age = (
        pa.table({"id": ["2"], f"{name}.choice": pa.array([place], pa.int16())}) for name in ("income", "age")
    )
    try:
        before = asked()
        with pytest.raises(DataError):
            gate.source.choose("customer", [income, pa.table({"id": ["2"], "shoe.choice": [place]})])
        with pytest.raises(StatementError, match="a key twice, or none"):
            gate.source.choose("customer", [income, pa.table({"id": ["two"], "age.choice": [place]})])
        assert asked() == before
        gate.source.choose("customer", [income, age])
        assert asked() == [("29", "23000")]
        numbers = pa.table({"id": pa.array([1, 2]), "age.choice": pa.array([None, None], pa.int16())})
        gate.source.choose("customer", [numbers])
        assert asked() == [(None, "23000")]
    finally:
        gate.close()


def test_choices_keep_their_meaning_when_the_policy_changes(private) -> None:
    text = "SELECT id, income FROM customer ORDER BY id"
    gate = gateway(private)
    before = gate.query(text, person=OWNER, purpose="Marketing").rows()
    longer = gateway(private, choices={**kabir.choices(), "new": {"allowed": ["Shipping"]}})
    assert longer.query(text, person=OWNER, purpose="Marketing").rows() == before
    for changed in (
        {"new": {"allowed": ["Shipping"]}, **kabir.choices()},
        dict(reversed(kabir.choices().items())),
        dict(list(kabir.choices().items())[:-1]),
    ):
        other = gateway(private, choices=changed)
        with pytest.raises(PolicyError, match="stored by their position"):
            other.query(text, person=OWNER, purpose="Marketing")
    for one in (longer, gate):
        one.close()


def test_what_was_shown_yesterday_is_not_shown_because_somebody_asked_at_midnight(private) -> None:
    rule = {"name": "r", "table": "customer", "prohibited": ["General"], "valid_from": date(2026, 11, 17)}
    now = [datetime(2026, 11, 16, 23, 59, 59, tzinfo=UTC)]
    policy = Policy.of({**kabir.policy(), "rules": [rule]})
    gate = Gateway(policy, EmbeddedSource(private, children=1, limits=Limits(memory="128MB")), clock=lambda: now[0])
    assert gate.query("SELECT id FROM customer", person=OWNER, purpose="Shipping").flat.num_rows == 4
    now[0] = datetime(2026, 11, 17, 0, 0, 1, tzinfo=UTC)
    with pytest.raises(StatementError, match="not shown"):
        gate.query("SELECT income FROM customer", person=OWNER, purpose="Shipping")
    gate.close()


def test_rows_without_a_key_follow_their_table(private) -> None:
    gate = gateway(private)

    def asked():
        return gate.query("SELECT count(*) AS n FROM customer", person=OWNER, purpose="Shipping").rows()

    try:
        assert asked() == [(4,)]
        private.change("customer", "INSERT INTO customer VALUES (NULL, 'X', 1, 'Y', 2)")
        assert asked() == [(5,)]
        private.change("customer", "DELETE FROM customer WHERE id IS NULL")
        assert asked() == [(4,)]
    finally:
        gate.close()


def test_a_key_is_nobody_elses(private) -> None:
    source = EmbeddedSource(private, children=1, limits=Limits(memory="128MB"))
    for key in ("2.6", "2e0", " 2", "02", "0x2"):
        with pytest.raises(StatementError, match="in another format than the table"):
            source.choose("customer", [pa.table({"id": [key], "age.choice": pa.array([1], pa.int16())})])
    source.close()


def test_purposes_take_turns_where_there_is_room_for_one_more(private, monkeypatch) -> None:
    monkeypatch.setattr(embedded, "_MAX_PURPOSES", 2)
    gate = gateway(private)
    try:
        for purpose in ("Marketing", "Purchase", "Marketing", "Shipping"):
            gate.query("SELECT id FROM customer", person=OWNER, purpose=purpose)
        assert list(gate.source._workers_of) == ["Marketing", "Shipping"]
        monkeypatch.setattr(WorkerPool, "idle", False)
        with pytest.raises(LimitError, match="2 purposes"):
            gate.query("SELECT id FROM customer", person=OWNER, purpose="Admin")
    finally:
        gate.close()


@pytest.mark.parametrize("kind", ["UUID", "HUGEINT", "BOOLEAN", "BIT"])
def test_keys_of_rare_types_are_followed(kind: str) -> None:
    keys = {"UUID": "uuid()", "HUGEINT": "7::HUGEINT", "BOOLEAN": "true", "BIT": "'101'::BIT"}
    policy = {
        **kabir.policy(),
        "tables": {"t": {"key": "id", "allowed": ["General"], "new_columns": "as_table"}},
        "choices": {},
    }
    policy["permissions"] = [{"role": "owner", "table": "t", "purpose": "General"}]
    with PrivateDuckDb(keys={"t": "id"}) as made:
        made.change("t", f"CREATE TABLE t AS SELECT {keys[kind]} AS id, 1 AS x")
        gate = Gateway(Policy.of(policy), EmbeddedSource(made, children=1, limits=Limits(memory="128MB")))
        for number in (1, 2, 3):
            made.change("t", f"UPDATE t SET x = {number}")
            assert gate.query("SELECT x FROM t", person=OWNER, purpose="General").rows() == [(number,)]
        gate.close()


def test_numbers_that_duckdb_hands_over_wrongly_are_refused() -> None:
    """The largest UHUGEINT arrives as -1."""
    with PrivateDuckDb(keys={"t": "id"}) as made:
        made.change("t", "CREATE TABLE t AS SELECT 1 AS id, 340282366920938463463374607431768211455::UHUGEINT AS x")
        source = EmbeddedSource(made, children=1, limits=Limits(memory="128MB"))
        with pytest.raises(DataError, match="'x' of 't' is UHUGEINT"):
            source.types("t")
        source.close()


def test_guessed_types_that_change_are_refused_to_all(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("id,income\n1,5\n2,6\n", encoding="utf-8")
    source = EmbeddedSource(PrivateDuckDb(keys={"staff": "id"}, files={"staff": path}), children=1)
    try:
        assert source.types("staff")["income"].kind == "integer"
        path.write_text("id,income,since\n1,7,2026\n", encoding="utf-8")
        assert list(source.types("staff")) == ["id", "income", "since"]
        path.write_text("id,income,since\n1,n/a,2026\n2,6,2026\n", encoding="utf-8")
        with pytest.raises(DataError, match="cannot be read as it was before") as refusal:
            source.types("staff")
        assert "income" not in str(refusal.value)
        assert "'income' of 'staff'" in caplog.text
        path.write_text("id,income,since\n1,7,2026\n2,6,2026\n", encoding="utf-8")
        assert source.types("staff")["income"].kind == "integer"
    finally:
        source.close()
