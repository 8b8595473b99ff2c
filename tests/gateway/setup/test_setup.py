from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sfumato.errors import DataError, OutputError, PolicyError, RateError
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.people.choices import choices_of, read_rows
from sfumato.gateway.people.people import Person
from sfumato.gateway.setup.setup import Setup, StateFiles
from tests.gateway import kabir
from tests.gateway.folders import shop

OWNER = Person("olga", frozenset({"owner"}), {})


def demand_answered(setup: Setup) -> None:
    gateway = setup.gateway()
    try:
        found = gateway.query("SELECT name, income FROM customer WHERE id > 2", person=OWNER, purpose="Marketing")
        assert sorted(found.rows()) == [("Jak", "40000-50000"), ("Ron", "56000")]
    finally:
        gateway.close()


def test_a_whole_gateway_from_one_file(tmp_path: Path) -> None:
    setup = Setup.read(shop(tmp_path))
    private = setup.private_database(setup.policy)
    for rows in choices_of(read_rows(tmp_path / "choices.csv"), setup.policy, "customer"):
        private.set_choices("customer", rows)
    private.close()
    demand_answered(setup)
    assert setup.log.read_text().count('"answered"') == 1


def test_choices_about_files_outlive_the_process(tmp_path: Path) -> None:
    path = shop(tmp_path, source={"files": {"customer": "customer.csv"}})
    lines = ["id,name,age,address,income", *(",".join(f'"{cell}"' for cell in row) for row in kabir.CUSTOMERS)]
    (tmp_path / "customer.csv").write_text("\n".join(lines), encoding="utf-8")
    setup = Setup.read(path)
    source = setup.source(setup.policy)
    source.choose("customer", choices_of(read_rows(tmp_path / "choices.csv"), setup.policy, "customer"))
    source.close()
    demand_answered(setup)


def test_how_often_somebody_may_ask_is_read(tmp_path: Path) -> None:
    path = shop(tmp_path)
    path.write_text(path.read_text() + "\n[limits]\nper_second = 0.001\nburst = 2\n")
    rates = Setup.read(path).rates
    rates.take("olga")
    rates.take("olga")
    with pytest.raises(RateError):
        rates.take("olga")


def test_what_callers_may_do_is_read(tmp_path: Path) -> None:
    path = shop(tmp_path)
    usual = Setup.read(path).allowances
    assert (usual.header_seconds, usual.body_seconds) == (10.0, 10.0)
    path.write_text(path.read_text() + "\n[limits]\nat_once = 1\nheader_seconds = 2.5\nbody_seconds = 3\n")
    read = Setup.read(path).allowances
    assert (read.header_seconds, read.body_seconds) == (2.5, 3.0)
    with read.at_once.slot("olga"), pytest.raises(RateError, match="1 at most"), read.at_once.slot("olga"):
        pass


def test_a_file_that_cannot_be_opened_leaves_none_open(tmp_path: Path) -> None:
    duty = {"duty": "notify", "to": "officer"}
    permission = {"role": "owner", "table": "customer", "purpose": "General", "obligations": [duty]}
    setup = Setup.read(shop(tmp_path, permissions=[permission]))
    (tmp_path / "notices.jsonl").mkdir()
    with pytest.raises(OutputError, match=r"notices\.jsonl"):
        setup.gateway()
    (tmp_path / "notices.jsonl").rmdir()
    policy = setup.policy
    kept = StateFiles(log=AuditLog(tmp_path / "audit.jsonl"))
    found = setup.state(policy, kept)
    assert found.log is kept.log
    assert found.notices is not None
    assert kept.notices is None
    assert setup.state(policy, found) == found
    setup.gateway_of(policy, setup.source(policy), found).close()


def test_limits_are_read(tmp_path: Path) -> None:
    path = shop(tmp_path)
    path.write_text(path.read_text() + '\n[limits]\nseconds = 0.5\nrows = 7\nmemory = "128MB"\n')
    limits = Setup.read(path).limits
    assert (limits.seconds, limits.rows, limits.memory) == (0.5, 7, "128MB")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"section \[source\] is missing"),
        ("[source]\n", "names a DuckDB database or files, or a PostgreSQL database"),
        ('[source]\nduckdb = "a"\npostgres = "b"\n', "names a DuckDB database or files, or a PostgreSQL database"),
        ('[source]\nduckb = "a"\n', "did you mean 'duckdb'"),
        ('[source]\nduckdb = "a"\n[limits]\nrows = 0\n', r"\[limits\] rows must be a number of at least 1"),
        ('[source]\nduckdb = "a"\n[limits]\nat_once = 0\n', r"\[limits\] at_once must be a number of at least 1"),
        ('[source]\nduckdb = "a"\n[limits]\nbody_seconds = 0\n', r"\[limits\] body_seconds must be a number above 0"),
        ('[source]\npostgres = "a"\nhome = "A b"\n', "small letters"),
    ],
)
def test_setups_that_make_no_sense_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "gateway.toml").write_text(text)
    with pytest.raises(PolicyError, match=said):
        Setup.read(tmp_path / "gateway.toml")


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = shop(tmp_path, source={"duckdb": "nosuch.duckdb"})
    with pytest.raises(DataError, match=r"^there is no database 'nosuch\.duckdb'"):
        Setup.read(path).gateway()
    assert not (tmp_path / "nosuch.duckdb").exists()


def test_there_is_nothing_to_deploy_to_without_postgres(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="no PostgreSQL database"):
        Setup.read(shop(tmp_path)).owner  # noqa: B018


def test_types_of_a_file_can_be_said(tmp_path: Path) -> None:
    said = {"path": "customer.csv", "types": {"id": "INTEGER", "age": "INTEGER", "income": "INTEGER"}}
    path = shop(tmp_path, source={"files": {"customer": said}})
    with (tmp_path / "customer.csv").open("w", newline="", encoding="utf-8") as lines:
        names = ("id", "name", "age", "address", "income")
        csv.writer(lines).writerows([names, *kabir.CUSTOMERS, (99, "Zoe", "old", "Oslo", "much")])
    setup = Setup.read(path)
    source = setup.source(setup.policy)
    try:
        found = {name: kind.kind for name, kind in source.types("customer").items()}
    finally:
        source.close()
    assert found == {"id": "integer", "name": "text", "age": "integer", "address": "text", "income": "integer"}
