"""The commands of the gateway, on the customers of Kabir (2010)."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
from pathlib import Path
from typing import Any

import psycopg
import pytest
import uvicorn
from fastapi.testclient import TestClient
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sfumato.gateway.cli.options import login
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.http.http_api import HttpApi
from sfumato.gateway.http.timed_protocol import TimedProtocol
from sfumato.gateway.local.commands import DirectCommands, ServedCommands
from sfumato.gateway.local.server import LocalServer
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.people.people_file import PeopleFile
from sfumato.gateway.setup.live_setup import LiveSetup
from sfumato.gateway.setup.setup import Setup
from tests.cli.commands import refused, sfumato
from tests.gateway import kabir
from tests.gateway.engines.postgres.test_source import fill
from tests.gateway.folders import shop
from tests.gateway.http.test_listening import free


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what people chose, and an owner who may ask for anything."""
    folder = tmp_path_factory.mktemp("prepared")
    given = ("--setup", str(shop(folder)))
    assert (
        "Stored 16 choices"
        in sfumato("gateway", "choose", folder / "choices.csv", "--table", "customer", *given).stdout
    )
    assert "shown only once" in sfumato("gateway", "users", "add", "olga", "--role", "owner", *given).stdout
    return folder


@pytest.fixture
def setup(prepared: Path, tmp_path: Path) -> tuple[str, ...]:
    """A copy of the prepared gateway, which a test may change."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return ("--setup", str(tmp_path / "gateway.toml"))


def test_ask(setup) -> None:
    asked = (
        "gateway",
        "ask",
        "SELECT name, income FROM customer ORDER BY id",
        "--as",
        "olga",
        "--for",
        "Marketing",
        *setup,
    )
    said = sfumato(*asked).stdout
    assert "Alice  ★" in said
    assert "Bob    20000-30000" in said
    told = json.loads(sfumato(*asked, "--format", "json").stdout)
    assert told["rows"][2] == {"name": "Ron", "income": "56000"}
    parameter = sfumato(
        "gateway",
        "ask",
        "SELECT name FROM customer WHERE name = ?",
        "--parameter",
        "Ron",
        "--as",
        "olga",
        "--for",
        "Marketing",
        *setup,
    )
    assert "1 row for Marketing" in parameter.stdout


def test_noise_is_told_in_both_forms(tmp_path: Path) -> None:
    columns = {"income": {"selects": True, "bounds": [0.0, 100000.0]}}
    permission = {"role": "owner", "table": "customer", "purpose": "Admin", "only_aggregates": True, "epsilon": 9.0}
    given = {"tables": {"customer": {"key": "id", "allowed": ["General"], "columns": columns}}, "choices": {}}
    path = shop(tmp_path, **given, permissions=[{**permission, "epsilon_a_question": 1.0}], conditional_roles={})
    setup = ("--setup", path)
    sfumato("gateway", "users", "add", "olga", "--role", "owner", *setup)
    asked = ("gateway", "ask", "SELECT count(*) AS n FROM customer", "--as", "olga", *setup)
    said = sfumato(*asked).stdout
    told = json.loads(sfumato(*asked, "--format", "json").stdout)
    assert f"Noise: n is within {told['margins']['n']:,.6g} of the exact number with probability 95 %." in said


def test_one_thing_is_told_as_one(setup, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("key,column,choice\n1,income,G||\n")
    said = sfumato("gateway", "choose", tmp_path / "one.csv", "--table", "customer", *setup).stdout
    assert said == "Stored 1 choice for customer.\n"


def test_values_that_json_does_not_know(setup) -> None:
    text = "SELECT DATE '2026-01-02' AS d, CAST(1.5 AS DECIMAL(9, 2)) AS e, CAST(2 AS DECIMAL(9, 2)) AS f, NULL AS g"
    asked = ("gateway", "ask", text, "--as", "olga", "--for", "Marketing", *setup, "--format", "json")
    assert json.loads(sfumato(*asked).stdout)["rows"] == [{"d": "2026-01-02", "e": "1.50", "f": 2, "g": None}]


def test_explain(setup) -> None:
    asked = ("gateway", "explain", "SELECT income FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    said = sfumato(*asked).stdout
    assert "choice 'G|A|M' prohibits" in said
    assert "conditional bucket(width=10000)" in said
    assert json.loads(sfumato(*asked, "--format", "json").stdout)["purpose"] == "Marketing"


def test_lint(setup, tmp_path: Path) -> None:
    assert "No findings" in sfumato("gateway", "lint", *setup).stdout
    rule = {"name": "idle", "table": "customer", "columns": ["id"], "allowed": ["General"]}
    shop(tmp_path / "other", rules=[rule])
    found = sfumato("gateway", "lint", "--setup", tmp_path / "other" / "gateway.toml")
    assert found.exit_code == 1
    assert "unreachable" in found.stdout


def misfits() -> dict[str, Any]:
    """A policy with everything that a table can fail to bear, and permissions that lead nowhere."""
    given = kabir.policy()
    customer = given["tables"]["customer"]
    columns = {**customer["columns"], "adress": {}, "name": {"conditional": ["General"]}}
    columns["name"]["conditions"] = [{"transform": "bucket", "width": 10}]
    retention = [{"column": "since", "days": 9}, {"column": "name", "days": 9}]
    roles = {**given["conditional_roles"], "late": {"role": "owner", "when": "hours > 18"}}
    return {
        "tables": {
            "customer": {**customer, "key": "idd", "columns": columns, "retention": retention},
            "custmer": {"key": "id"},
        },
        "conditional_roles": roles,
        "permissions": [*given["permissions"], {**given["permissions"][1], "role": "late", "columns": ["nam"]}],
    }


def found_against(*setup: Any) -> set[tuple[str, str]]:
    found = sfumato("gateway", "lint", "--format", "json", *setup)
    assert found.exit_code == 1
    return {(one["kind"], one["where"]) for one in json.loads(found.stdout)["findings"]}


FOUND = {
    ("does not fit", "table 'customer'"),
    ("does not fit", "table 'custmer'"),
    ("does not fit", "column 'adress' of 'customer'"),
    ("does not fit", "column 'name' of 'customer'"),
    ("does not fit", "retention of 'customer'"),
    ("no such column", "permission of 'late' on 'customer'"),
    ("unknown attribute", "conditional role 'late'"),
}


def test_lint_holds_the_policy_against_the_database(tmp_path: Path) -> None:
    setup = ("--setup", shop(tmp_path, **misfits()))
    sfumato("gateway", "users", "add", "olga", "--role", "owner", *setup)
    assert found_against(*setup) >= FOUND
    said = sfumato("gateway", "lint", *setup).stdout
    for hint in ("'customer'", "'id'", "'address'", "'name'", "'hour'"):
        assert f"did you mean {hint}?" in said


def test_lint_holds_the_policy_against_postgres(postgres: str, tmp_path: Path) -> None:
    fill(postgres)
    setup = ("--setup", shop(tmp_path, source={"postgres": postgres}, **misfits()))
    sfumato("gateway", "users", "add", "olga", "--role", "owner", *setup)
    assert found_against(*setup) >= FOUND


def test_users(setup) -> None:
    first = json.loads(
        sfumato(
            "gateway",
            "users",
            "add",
            "russell",
            "--role",
            "e-marketing",
            "--attribute",
            "experience=12",
            *setup,
            "--format",
            "json",
        ).stdout
    )
    again = json.loads(sfumato("gateway", "users", "renew", "russell", *setup, "--format", "json").stdout)
    assert first["token"] != again["token"]
    assert "russell  e-marketing" in sfumato("gateway", "users", "list", *setup).stdout
    assert "Disabled russell" in sfumato("gateway", "users", "disable", "russell", *setup).stdout
    assert "russell  e-marketing  disabled" in sfumato("gateway", "users", "list", *setup).stdout
    asked = ("gateway", "ask", "SELECT 1", "--as", "russell", "--for", "Marketing", *setup)
    assert "'russell' is disabled" in refused(sfumato(*asked), 5)
    assert "Enabled russell" in sfumato("gateway", "users", "enable", "russell", *setup).stdout
    assert sfumato("gateway", "users", "list", *setup).stdout.endswith("russell  e-marketing\n")
    assert "Removed" in sfumato("gateway", "users", "remove", "russell", *setup).stdout
    assert "russell" not in sfumato("gateway", "users", "list", *setup).stdout
    lines = map(json.loads, Path(setup[1]).with_name("audit.jsonl").read_text().splitlines())
    noted = [line for line in lines if line.get("who") == "russell" and line["kind"] == "users"]
    assert [line["done"] for line in noted] == ["added", "renewed", "disabled", "enabled", "removed"]
    assert {(*line["roles"], line["login"]) for line in noted} == {("e-marketing", login())}
    assert first["token"] not in Path(setup[1]).with_name("audit.jsonl").read_text()
    assert "did you mean 'owner'" in refused(sfumato("gateway", "users", "add", "x", "--role", "ownr", *setup), 2)
    assert "name=value" in refused(sfumato("gateway", "users", "add", "x", "--attribute", "y", *setup), 2)


def test_who_is_shut_out_is_so_even_where_the_log_cannot_be_written(setup) -> None:
    with AuditLog(Path(setup[1]).with_name("audit.jsonl")):  # somebody else writes it
        assert "is being written" in refused(sfumato("gateway", "users", "add", "mia", *setup), 4)
        assert "is being written" in refused(sfumato("gateway", "users", "disable", "olga", *setup), 4)
    assert sfumato("gateway", "users", "list", *setup).stdout == "olga  owner  disabled\n"


def test_users_until_a_day(setup) -> None:
    added = (
        "gateway",
        "users",
        "add",
        "mia",
        "--role",
        "owner",
        "--account",
        "team",
        "--expires",
        "9998-01-31",
        *setup,
    )
    assert "shown only once" in sfumato(*added).stdout
    assert "mia  owner  account team  expires 9998-01-31" in sfumato("gateway", "users", "list", *setup).stdout
    told = json.loads(sfumato("gateway", "users", "list", *setup, "--format", "json").stdout)["users"]
    assert told["mia"] == {
        "roles": ["owner"], "account": "team", "disabled": False, "expires": "9998-01-31", "expired": False,
    }  # fmt: skip
    assert told["olga"]["expires"] is None
    sfumato("gateway", "users", "renew", "mia", "--expires", "9998-01-31T12:00Z", *setup)
    assert "expires 9998-01-31T12:00:00+00:00" in sfumato("gateway", "users", "list", *setup).stdout
    sfumato("gateway", "users", "renew", "mia", *setup)
    assert "expires 9998-01-31T12:00:00+00:00" in sfumato("gateway", "users", "list", *setup).stdout
    sfumato("gateway", "users", "renew", "mia", "--expires", "never", *setup)
    assert sfumato("gateway", "users", "list", *setup).stdout.endswith("mia  owner  account team\n")


@pytest.mark.parametrize("text", ["soon", "2027-13-01", "d", "-5x", "99999999999d", ""])
def test_days_that_nobody_can_read(setup, text: str) -> None:
    asked = ("gateway", "users", "renew", "olga", "--expires", text, *setup)
    assert "a token expires on a day" in refused(sfumato(*asked), 2)


def test_a_token_cannot_end_before_it_begins(setup) -> None:
    for text in ("2026-01-01", "-1d"):
        asked = ("gateway", "users", "renew", "olga", f"--expires={text}", *setup)
        assert "'olga' would open nothing" in refused(sfumato(*asked), 2)


def test_audit(setup, tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").unlink()  # the choices of the beginning
    sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    refused(sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Nothing", *setup), 5)
    assert "unbroken" in sfumato("gateway", "audit", "verify", *setup).stdout
    told = json.loads(sfumato("gateway", "audit", "report", *setup, "--format", "json").stdout)
    assert told["by_decision"] == {"answered": 1, "refused": 1}
    assert "other tools" not in sfumato("gateway", "audit", "report", *setup).stdout
    assert "2 questions" in sfumato("gateway", "audit", "report", *setup).stdout
    log = tmp_path / "audit.jsonl"
    log.write_text(log.read_text().replace("answered", "refused_"))
    broken = sfumato("gateway", "audit", "verify", *setup)
    assert broken.exit_code == 1


def test_heads_of_the_log(setup, tmp_path: Path) -> None:
    log, key, noted = tmp_path / "audit.jsonl", tmp_path / "head.key", tmp_path / "head.json"
    sfumato("key", "new", key)
    for _ in range(2):
        sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    last = json.loads(log.read_text().splitlines()[-1])
    with AuditLog(log):  # as a server has it open
        said = sfumato("gateway", "audit", "head", *setup).stdout
    assert said == f"Entry {last['number']} of {last['time']}\nHead {last['hash']}\n"
    signed = sfumato("gateway", "audit", "head", "--key", key, "--output", noted, *setup).stdout
    assert signed.startswith(said)
    assert json.loads(noted.read_text())["signature"] in signed
    verify = ("gateway", "audit", "verify", "--head-file", noted, *setup)
    assert "Signature of the head: not checked." in sfumato(*verify).stdout
    assert "Signature of the head: good." in sfumato(*verify, "--key", key).stdout
    assert json.loads(sfumato(*verify, "--key", key, "--format", "json").stdout)["signature"] == "good"
    sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    assert sfumato(*verify, "--key", key).exit_code == 0
    assert sfumato("gateway", "audit", "verify", "--head", last["hash"], *setup).exit_code == 0
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-2]))
    cut = sfumato(*verify, "--key", key)
    assert (cut.exit_code, "its end was cut" in cut.stdout) == (1, True)
    assert sfumato("gateway", "audit", "verify", *setup).exit_code == 0


def test_heads_that_somebody_else_made(setup, tmp_path: Path) -> None:
    keys, noted = [tmp_path / "one.key", tmp_path / "two.key"], tmp_path / "head.json"
    for key in keys:
        sfumato("key", "new", key)
    sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    sfumato("gateway", "audit", "head", "--key", keys[0], "-o", noted, *setup)
    verify = ("gateway", "audit", "verify", "--head-file", noted, *setup)
    wrong = sfumato(*verify, "--key", keys[1])
    assert (wrong.exit_code, "Signature of the head: wrong." in wrong.stdout) == (1, True)
    sfumato("gateway", "audit", "head", "-o", noted, *setup)
    missing = sfumato(*verify, "--key", keys[0])
    assert (missing.exit_code, "Signature of the head: missing." in missing.stdout) == (1, True)
    assert "Signature" not in sfumato(*verify).stdout
    keys[0].chmod(0o640)
    assert "others can read the key file 'one.key'" in refused(sfumato(*verify, "--key", keys[0]), 2)
    assert "--key needs --head-file" in refused(sfumato("gateway", "audit", "verify", "--key", keys[1], *setup), 2)
    assert "give either --head or --head-file" in refused(sfumato(*verify, "--head", "1f"), 2)
    noted.write_text("{}")
    assert "'head.json' is not the head" in refused(sfumato(*verify), 4)


def test_choices_and_their_history(setup, tmp_path: Path) -> None:
    login = pwd.getpwuid(os.getuid()).pw_name
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    asked, chose = (next(line for line in lines if line["kind"] == kind) for kind in ("asked", "chose"))
    assert (asked["who"], asked["login"], asked["operation"], asked["rows"]) == ("owner", login, "choose", 16)
    assert (chose["who"], chose["login"], chose["table"], len(chose["choices"])) == ("owner", login, "customer", 16)
    assert chose["choices"][3] == ["1", "income", "G|A|M"]
    (tmp_path / "more.csv").write_text("key,column,choice\n1,income,\n")
    sfumato("gateway", "choose", tmp_path / "more.csv", "--table", "customer", *setup)
    shown = ("gateway", "choices", "1", "--table", "customer", *setup)
    said = sfumato(*shown).stdout.splitlines()
    assert [line.split("  ", 1)[1].split() for line in said] == [
        ["name", "G||", "entered", "by", "owner", f"({login})"],
        ["age", "G|M|A", "entered", "by", "owner", f"({login})"],
        ["address", "G||AS", "entered", "by", "owner", f"({login})"],
        ["income", "G|A|M", "entered", "by", "owner", f"({login})"],
        ["income", "(withdrawn)", "entered", "by", "owner", f"({login})"],
    ]
    told = json.loads(sfumato(*shown, "--format", "json").stdout)
    assert (told["table"], told["key"], len(told["choices"])) == ("customer", "1", 5)
    last = told["choices"][-1]
    assert {name: last[name] for name in last if name != "at"} == {
        "column": "income", "choice": "", "entered_by": "owner", "login": login,
    }  # fmt: skip
    assert sfumato("gateway", "choices", "99", "--table", "customer", *setup).stdout == "Nothing was chosen.\n"
    assert "no table 'custmer'" in refused(sfumato("gateway", "choices", "1", "--table", "custmer", *setup), 2)


def test_explanations_are_logged(setup, tmp_path: Path) -> None:
    sfumato("gateway", "explain", "SELECT income FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    assert json.loads((tmp_path / "audit.jsonl").read_text().splitlines()[-1])["operation"] == "explain"


def test_a_database_that_is_served_is_asked_through_the_server(setup, tmp_path: Path) -> None:
    """What is printed is the same to the byte, whether or not a server has the database open."""
    more, path = tmp_path / "more.csv", Path(setup[1])
    more.write_text("key,column,choice\n1,income,G||\n")
    for_marketing = ("--as", "olga", "--for", "Marketing", *setup)
    commands = [
        ("gateway", "ask", "SELECT name, age, income, id / 3.0 AS third FROM customer ORDER BY id", *for_marketing),
        ("gateway", "ask", "SELECT name FROM customer WHERE income > 25000", *for_marketing),
        ("gateway", "ask", "SELECT DATE '2026-01-02' AS d, CAST(1.5 AS DECIMAL(9, 2)) AS e, NULL AS f", *for_marketing),
        ("gateway", "ask", "SELECT name FROM customer WHERE name = ?", "--parameter", "Ron", *for_marketing),
        ("gateway", "ask", "SELECT nam FROM customer", *for_marketing),
        ("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Nothing", *setup),
        ("gateway", "ask", "SELECT name FROM customer", "--as", "nobody", *setup),
        ("gateway", "explain", "SELECT income FROM customer", *for_marketing),
        ("gateway", "explain", "SELECT incom FROM customer", *for_marketing),
        ("gateway", "lint", *setup),
        ("gateway", "choose", more, "--table", "customer", *setup),
        ("gateway", "choose", more, "--table", "custmer", *setup),
        ("gateway", "choose", tmp_path / "nowhere.csv", "--table", "customer", *setup),
        ("gateway", "choices", "1", "--table", "customer", *setup),
        ("gateway", "choices", "1", "--table", "custmer", *setup),
    ]
    commands += [(*commands[place], "--format", "json") for place in (0, 2, 7, 13)]
    sfumato("gateway", "choose", more, "--table", "customer", *setup)
    alone = [sfumato(*one) for one in commands]
    live = LiveSetup(path)  # which locks the log, as it does the database for other processes
    with LocalServer(path.with_suffix(".sock"), ServedCommands(live, path)):
        served = [sfumato(*one) for one in commands]
    live.close()
    for command, one, other in zip(commands, alone, served, strict=True):
        assert (other.exit_code, other.stdout, other.stderr) == (one.exit_code, one.stdout, one.stderr), command
    assert {one.exit_code for one in served} == {0, 2, 4, 5}


def test_serving(setup, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server itself is somebody else's; what it is given to serve, and how, is ours."""
    path, seen = Path(setup[1]), []

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        config, app = server.config, server.config.app
        seen.append((sockets[0].getsockname(), config.ws, config.http))
        asked = sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Marketing", *setup)
        assert (asked.exit_code, path.with_suffix(".sock").is_socket()) == (0, True)
        with TestClient(app) as client:
            assert client.post("/query", json={"question": "SELECT 1"}).status_code == 401
            assert client.get("/health").json()["open"] is True

        raise KeyboardInterrupt  # as whoever runs it ends it

    monkeypatch.setattr("uvicorn.Server.run", run)
    port = free()
    found = sfumato("gateway", "serve", "--port", str(port), *setup)
    assert (found.exit_code, found.output) == (0, f"Listening at http://127.0.0.1:{port}; Ctrl-C ends it.\n")
    assert seen[0][:2] == (("127.0.0.1", port), "none")
    assert issubclass(seen[0][2], TimedProtocol)
    assert not path.with_suffix(".sock").exists()
    with AuditLog(path.with_name("audit.jsonl")):  # which the server has closed
        pass


def test_a_fault_of_the_server_is_told_like_one_of_our_own(setup, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("56 Fay Street")

    path = Path(setup[1])
    asked = ("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    monkeypatch.setattr(Gateway, "query", fail)
    alone = sfumato(*asked)
    live = LiveSetup(path)
    with LocalServer(path.with_suffix(".sock"), ServedCommands(live, path)):
        served = sfumato(*asked)
    live.close()
    assert (served.exit_code, served.stderr) == (alone.exit_code, alone.stderr)
    assert (served.exit_code, "ValueError in test_gateway.py" in served.stderr) == (70, True)


def test_refusals(setup, tmp_path: Path) -> None:
    assert "no readable setup" in refused(sfumato("gateway", "lint", "--setup", tmp_path / "nowhere.toml"), 2)
    assert "nobody" in refused(sfumato("gateway", "ask", "SELECT 1", "--as", "nobody", *setup), 2)
    assert "no PostgreSQL" in refused(sfumato("gateway", "deploy", *setup), 2)
    assert "no PostgreSQL" in refused(sfumato("gateway", "reach", *setup), 2)
    assert "or neither" in refused(sfumato("gateway", "serve", "--key", "k.pem", *setup), 2)
    assert "unencrypted" in refused(sfumato("gateway", "serve", "--host", "0.0.0.0", *setup), 2)
    assert "from 1 to 65535" in refused(sfumato("gateway", "serve", "--port", "99999", *setup), 2)
    (tmp_path / "c.pem").write_text("no certificate")
    for name in ("c.pem", "nowhere.pem"):
        given = ("--certificate", tmp_path / name, "--key", tmp_path / name, "--port", str(free()))
        assert "cannot be read; give both as PEM" in refused(sfumato("gateway", "serve", *given, *setup), 2)
    with LocalServer(Path(setup[1]).with_suffix(".sock"), DirectCommands(Setup.read(setup[1]))):
        served = sfumato("gateway", "serve", "--port", str(free()), *setup)
        assert "another server listens at 'gateway.sock'" in refused(served, 2)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert f"port {port} is in use; give another" in refused(sfumato("gateway", "serve", "--port", port, *setup), 2)
    assert "no table 'custmer'" in refused(
        sfumato("gateway", "choose", tmp_path / "choices.csv", "--table", "custmer", *setup), 2
    )


def test_deploying_to_postgres(postgres: str, tmp_path: Path) -> None:
    from tests.gateway.engines.postgres.test_source import fill

    fill(postgres)
    given = ("--setup", str(shop(tmp_path, source={"postgres": postgres, "home": "door"})))
    assert "CREATE" in sfumato("gateway", "deploy", "--dry-run", *given).stdout
    assert "Deployed 15 purposes" in sfumato("gateway", "deploy", *given).stdout
    assert (
        "Stored 16 choices"
        in sfumato("gateway", "choose", tmp_path / "choices.csv", "--table", "customer", *given).stdout
    )
    sfumato("gateway", "users", "add", "olga", "--role", "owner", *given)
    asked = sfumato("gateway", "ask", "SELECT name, income FROM customer", "--as", "olga", "--for", "Marketing", *given)
    assert "Jak    40000-50000" in asked.stdout
    assert "entered by owner" in sfumato("gateway", "choices", "1", "--table", "customer", *given).stdout
    reached = sfumato("gateway", "reach", *given).stdout
    assert "Only masked views" in reached
    assert "Note: the login can see plans with EXPLAIN" in reached
    logins = json.loads(sfumato("gateway", "reach", *given, "--format", "json").stdout)["findings"]
    assert {"door_marketing", "door_admin", "door_admin_bi"} <= set(logins)
    assert "Removed door" in sfumato("gateway", "undeploy", "--forget-choices", *given).stdout


def test_why_postgres_does_not_answer_is_told_to_whoever_runs_the_gateway(postgres: str, tmp_path: Path) -> None:
    fill(postgres)
    given = ("--setup", shop(tmp_path, source={"postgres": postgres, "home": "why", "tools": False}))
    token = json.loads(
        sfumato("gateway", "users", "add", "olga", "--role", "owner", *given, "--format", "json").stdout
    )["token"]
    asked = ("gateway", "ask", "SELECT id FROM customer", "--as", "olga", "--for", "Admin")

    def outside() -> dict[str, str]:
        live = LiveSetup(given[1])
        try:
            with TestClient(HttpApi(live, PeopleFile(live.setup.users))) as client:
                sent = {"question": "SELECT id FROM customer", "purpose": "Admin"}
                found = client.post("/query", json=sent, headers={"Authorization": f"Bearer {token}"})
                assert found.status_code == 503
                return found.json()
        finally:
            live.close()

    not_deployed = "the policy is not deployed in this database; run `sfumato gateway deploy`."
    assert not_deployed in refused(sfumato(*asked, *given), 4)
    assert not_deployed in refused(sfumato("gateway", "reach", *given), 4)
    assert outside() == {"refused": "the database cannot be reached; ask again later."}
    sfumato("gateway", "deploy", *given)
    assert sfumato(*asked, *given).exit_code == 0
    with psycopg.connect(postgres) as connection:
        connection.execute("DROP SCHEMA why_admin CASCADE")  # as a dump that was read back without it
    assert not_deployed in refused(sfumato(*asked, *given), 4)
    sfumato("gateway", "undeploy", *given)
    assert not_deployed in refused(sfumato(*asked, *given), 4)
    for change, said in (
        ({"dbname": "nosuch"}, "there is no database 'nosuch'"),
        ({"host": "/nowhere"}, "no server answers at that host"),
    ):
        other = ("--setup", shop(tmp_path / said[-4:-1], source={"postgres": make_conninfo(postgres, **change)}))
        sfumato("gateway", "users", "add", "olga", "--role", "owner", *other)
        for command in (asked, ("gateway", "deploy"), ("gateway", "lint"), ("gateway", "undeploy")):
            assert said in refused(sfumato(*command, *other), 4)


def test_tools_of_postgres_are_told(postgres: str, tmp_path: Path) -> None:
    from tests.gateway.engines.postgres.test_source import fill

    fill(postgres)
    home = str(conninfo_to_dict(postgres)["dbname"])
    stat = {"role": "marketing", "table": "customer", "purpose": "Marketing", "only_aggregates": True}
    owner = {"role": "owner", "table": "customer", "purpose": "General"}
    given = ("--setup", str(shop(tmp_path, source={"postgres": postgres, "home": home}, permissions=[owner, stat])))
    told = sfumato("gateway", "deploy", *given).stdout
    assert "Note: no view of 'customer' for tools of Marketing: role 'marketing' may ask for aggregates only." in told
    assert "Note: no login for tools of Marketing: there is no view that it could read." in told
    plain = json.loads(sfumato("gateway", "deploy", *given, "--format", "json").stdout)
    assert f"{home}_admin_bi" in plain["tools"]
    assert f"{home}_marketing_bi" not in plain["tools"]
    assert any("aggregates only" in note for note in plain["notes"])

    sfumato("gateway", "users", "add", "olga", "--role", "owner", *given)
    sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Admin", *given)
    report = sfumato("gateway", "audit", "report", *given).stdout
    assert "This log does not have the queries that other tools send to PostgreSQL with their own logins" in report
    assert f"{home}_admin_bi" in report
    assert f"{home}_marketing_bi" not in report
    told = json.loads(sfumato("gateway", "audit", "report", *given, "--format", "json").stdout)
    assert f"{home}_admin_bi" in told["beside"]
    assert told["questions"] == 1

    with psycopg.connect(postgres) as connection:
        connection.execute(f'ALTER ROLE "{home}_admin_bi" NOLOGIN'.encode())
    reached = json.loads(sfumato("gateway", "reach", *given, "--format", "json").stdout)["findings"]
    (finding,) = reached[f"{home}_admin_bi"]
    assert finding["what"].startswith(f"this machine cannot connect as login '{home}_admin_bi'")
    assert finding["grave"] is False


def test_without_tools(postgres: str, tmp_path: Path) -> None:
    from tests.gateway.engines.postgres.test_source import fill

    fill(postgres)
    home = str(conninfo_to_dict(postgres)["dbname"])
    given = ("--setup", str(shop(tmp_path, source={"postgres": postgres, "home": home, "tools": False})))
    assert "_bi" not in sfumato("gateway", "deploy", "--dry-run", *given).stdout
    sfumato("gateway", "deploy", *given)
    sfumato("gateway", "users", "add", "olga", "--role", "owner", *given)
    sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Admin", *given)
    assert "other tools" not in sfumato("gateway", "audit", "report", *given).stdout
    assert "the login" not in sfumato("gateway", "reach", *given).stdout
