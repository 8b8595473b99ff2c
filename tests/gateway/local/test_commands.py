"""Commands in a process of their own, and within a server: the same results either way."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import tomlkit

from sfumato.errors import LockedError, PolicyError, UsageError
from sfumato.gateway.local import commands as local_commands
from sfumato.gateway.local.client import SocketCommands
from sfumato.gateway.local.commands import DirectCommands, LocalCommands, ServedCommands, retry_while_locked
from sfumato.gateway.local.server import LocalServer
from sfumato.gateway.log.audit_entries import UsersEntry
from sfumato.gateway.people.choices import read_rows
from sfumato.gateway.people.people import People
from sfumato.gateway.setup.live_setup import LiveSetup
from sfumato.gateway.setup.setup import Setup
from tests.gateway import kabir
from tests.gateway.folders import shop

TEXT = "SELECT name, age, address, income FROM customer ORDER BY id"
TABLE_3_5 = [
    ("Alice", "30-40", "21, West St., TBA, QLD 4350", None),
    ("Bob", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"),
    ("Ron", "50-60", "20, Anita Dr., TBA, QLD 4350", "56000"),
    ("Jak", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"),
]


@pytest.fixture
def setup(tmp_path: Path) -> Path:
    path = shop(tmp_path)
    small = {"children": 1, "source": {"duckdb": "shop.duckdb"}, "limits": {"memory": "128MB"}}
    path.write_text(tomlkit.dumps(small))
    people = People()
    people.add("olga", ["owner"])
    people.write(tmp_path / "users.toml")
    return path


@pytest.fixture(params=["direct", "served", "socket"])
def commands(request, setup: Path) -> Iterator[LocalCommands]:
    if request.param == "direct":
        yield DirectCommands(Setup.read(setup))
        return
    live = LiveSetup(setup)
    served = ServedCommands(live, setup)
    if request.param == "served":
        yield served
    else:
        with LocalServer(setup.with_suffix(".sock"), served):
            yield SocketCommands(setup.with_suffix(".sock"))
    live.close()


def test_everything(setup: Path, commands: LocalCommands) -> None:
    rows = read_rows(setup.with_name("choices.csv"))
    assert commands.choose("customer", rows, login="root") == 16
    answer = commands.ask(TEXT, who="olga", purpose="Marketing", parameters=[])
    assert answer.rows() == TABLE_3_5
    found = commands.ask("SELECT name FROM customer WHERE id = ?", who="olga", purpose="Marketing", parameters=[3])
    assert found.rows() == [("Ron",)]
    told = commands.explain("SELECT income FROM customer", who="olga", purpose="Marketing")
    assert told.to_dict()["purpose"] == "Marketing"
    assert any("choice 'G|A|M' prohibits" in line.because for line in told.lines)
    commands.choose("customer", [("1", "income", "G||"), ("1", "name", "")], login="root")
    made = commands.choices("customer", "1")
    assert [(one.column, one.choice) for one in made] == [
        *zip(kabir.COLUMNS, kabir.TABLE_3_2[1], strict=True), ("income", "G||"), ("name", ""),
    ]  # fmt: skip
    assert {(one.entered_by, one.login) for one in made} == {("owner", "root")}
    assert commands.choices("customer", "99") == []
    assert commands.lint() == []
    commands.note_user(UsersEntry(done="added", who="mia", roles=("owner",), login="root"))
    noted = json.loads(setup.with_name("audit.jsonl").read_text().splitlines()[-1])
    assert {
        "kind": "users",
        "done": "added",
        "who": "mia",
        "roles": ["owner"],
        "login": "root",
    }.items() <= noted.items()
    for refused, error in (
        (lambda: commands.ask(TEXT, who="nobody", purpose=None, parameters=[]), UsageError),
        (lambda: commands.explain(TEXT, who="nobody", purpose=None), UsageError),
        (lambda: commands.choices("custmer", "1"), PolicyError),
        (lambda: commands.choose("custmer", [("1", "a", "b")], login="root"), PolicyError),
    ):
        with pytest.raises(error):
            refused()


def test_lint_looks_at_the_policy_on_disk_and_keeps_nothing(setup: Path, commands: LocalCommands) -> None:
    rule = {"name": "idle", "table": "customer", "columns": ["id"], "allowed": ["General"]}
    given = {**kabir.policy(), "rules": [rule], "choices": {**kabir.choices(), "more": {"allowed": ["General"]}}}
    setup.with_name("policy.toml").write_text(tomlkit.dumps(given))
    assert [one.kind for one in commands.lint()] == ["unreachable"]
    setup.with_name("policy.toml").write_text(tomlkit.dumps(kabir.policy()))
    assert commands.ask("SELECT 1 AS one", who="olga", purpose="Marketing", parameters=[]).rows() == [(1,)]


def test_a_database_that_another_command_has_open_is_waited_for(setup: Path, monkeypatch) -> None:
    """As two commands at once meet each other; the other one closes it when somebody was refused once."""
    path = setup.with_name("shop.duckdb")
    code = f"import duckdb\ncon = duckdb.connect({str(path)!r})\nprint('open', flush=True)\ninput()\ncon.close()"
    waited: list[float] = []
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:

        def wait(seconds: float) -> None:
            waited.append(seconds)
            other.communicate("\n")

        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        monkeypatch.setattr(
            local_commands, "retry_while_locked", partial(retry_while_locked, sleep=wait, clock=lambda: 0.0)
        )
        found = DirectCommands(Setup.read(setup)).ask("SELECT 1 AS n", who="olga", purpose="Marketing", parameters=[])
    assert found.rows() == [(1,)]
    assert len(waited) == 1


def test_nobody_is_waited_for_longer_than_two_seconds() -> None:
    now, tries = [0.0], []

    def locked() -> None:
        tries.append(now[0])
        raise LockedError("it is open")

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with pytest.raises(LockedError, match="it is open"):
        retry_while_locked(locked, clock=lambda: now[0], sleep=sleep)
    assert 2.0 <= tries[-1] < 2.1
    assert len(tries) > 10
