"""The commands of the gateway, on the customers of Kabir (2010)."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.cli.commands import refused, sfumato
from tests.gateway.folders import shop


@pytest.fixture
def setup(tmp_path: Path) -> tuple[str, ...]:
    """A gateway with what people chose, and an owner who may ask for anything."""
    given = ("--setup", str(shop(tmp_path)))
    assert (
        "Took in 16 choices"
        in sfumato("gateway", "choose", tmp_path / "choices.csv", "--table", "customer", *given).stdout
    )
    assert "shown this once" in sfumato("gateway", "users", "add", "olga", "--role", "owner", *given).stdout
    return given


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
    assert "1 rows for Marketing" in parameter.stdout


def test_explain(setup) -> None:
    asked = ("gateway", "explain", "SELECT income FROM customer", "--as", "olga", "--for", "Marketing", *setup)
    said = sfumato(*asked).stdout
    assert "choice 'G|A|M' prohibits" in said
    assert "conditional bucket(width=10000)" in said
    assert json.loads(sfumato(*asked, "--format", "json").stdout)["purpose"] == "Marketing"


def test_lint(setup, tmp_path: Path) -> None:
    assert "Nothing to find" in sfumato("gateway", "lint", *setup).stdout
    rule = {"name": "idle", "table": "customer", "columns": ["id"], "allowed": ["General"]}
    shop(tmp_path / "other", rules=[rule])
    found = sfumato("gateway", "lint", "--setup", tmp_path / "other" / "gateway.toml")
    assert found.exit_code == 1
    assert "unreachable" in found.stdout


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
    assert "Removed" in sfumato("gateway", "users", "remove", "russell", *setup).stdout
    assert "russell" not in sfumato("gateway", "users", "list", *setup).stdout
    assert "did you mean 'owner'" in refused(sfumato("gateway", "users", "add", "x", "--role", "ownr", *setup), 2)
    assert "name=value" in refused(sfumato("gateway", "users", "add", "x", "--attribute", "y", *setup), 2)


def test_audit(setup, tmp_path: Path) -> None:
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


def test_refusals(setup, tmp_path: Path) -> None:
    assert "no readable setup" in refused(sfumato("gateway", "lint", "--setup", tmp_path / "nowhere.toml"), 2)
    assert "nobody" in refused(sfumato("gateway", "ask", "SELECT 1", "--as", "nobody", *setup), 2)
    assert "no PostgreSQL" in refused(sfumato("gateway", "deploy", *setup), 2)
    assert "no PostgreSQL" in refused(sfumato("gateway", "reach", *setup), 2)
    assert "go together" in refused(sfumato("gateway", "serve", "--key", "k.pem", *setup), 2)
    assert "unencrypted" in refused(sfumato("gateway", "serve", "--host", "0.0.0.0", *setup), 2)
    assert "no table 'custmer'" in refused(
        sfumato("gateway", "choose", tmp_path / "choices.csv", "--table", "custmer", *setup), 2
    )


def test_deploying_to_postgres(postgres: str, tmp_path: Path) -> None:
    from tests.gateway.engines.test_postgres_source import fill

    fill(postgres)
    given = ("--setup", str(shop(tmp_path, source={"postgres": postgres, "home": "door"})))
    assert "CREATE" in sfumato("gateway", "deploy", "--dry-run", *given).stdout
    assert "Deployed 15 purposes" in sfumato("gateway", "deploy", *given).stdout
    assert (
        "Took in 16 choices"
        in sfumato("gateway", "choose", tmp_path / "choices.csv", "--table", "customer", *given).stdout
    )
    sfumato("gateway", "users", "add", "olga", "--role", "owner", *given)
    asked = sfumato("gateway", "ask", "SELECT name, income FROM customer", "--as", "olga", "--for", "Marketing", *given)
    assert "Jak    40000-50000" in asked.stdout
    reached = sfumato("gateway", "reach", *given).stdout
    assert "Nothing but masked views" in reached
    assert "Mind: the login can see plans with EXPLAIN" in reached
    logins = json.loads(sfumato("gateway", "reach", *given, "--format", "json").stdout)["findings"]
    assert {"door_marketing", "door_admin", "door_admin_bi"} <= set(logins)
    assert "Took back door" in sfumato("gateway", "undeploy", "--forget-choices", *given).stdout


def test_tools_of_postgres_are_told(postgres: str, tmp_path: Path) -> None:
    from tests.gateway.engines.test_postgres_source import fill

    fill(postgres)
    home = str(conninfo_to_dict(postgres)["dbname"])
    stat = {"role": "marketing", "table": "customer", "purpose": "Marketing", "only_aggregates": True}
    owner = {"role": "owner", "table": "customer", "purpose": "General"}
    given = ("--setup", str(shop(tmp_path, source={"postgres": postgres, "home": home}, permissions=[owner, stat])))
    told = sfumato("gateway", "deploy", *given).stdout
    assert "Mind: no view of 'customer' for tools of Marketing: role 'marketing' may ask for aggregates alone." in told
    assert "Mind: no login for tools of Marketing: there is no view that it could read." in told
    plain = json.loads(sfumato("gateway", "deploy", *given, "--format", "json").stdout)
    assert f"{home}_admin_bi" in plain["tools"]
    assert f"{home}_marketing_bi" not in plain["tools"]
    assert any("aggregates alone" in note for note in plain["notes"])

    sfumato("gateway", "users", "add", "olga", "--role", "owner", *given)
    sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Admin", *given)
    report = sfumato("gateway", "audit", "report", *given).stdout
    assert "Not in this log is what other tools ask PostgreSQL with logins of their own" in report
    assert f"{home}_admin_bi" in report
    assert f"{home}_marketing_bi" not in report
    told = json.loads(sfumato("gateway", "audit", "report", *given, "--format", "json").stdout)
    assert f"{home}_admin_bi" in told["beside"]
    assert told["questions"] == 1

    with psycopg.connect(postgres) as connection:
        connection.execute(f'ALTER ROLE "{home}_admin_bi" NOLOGIN'.encode())
    assert f"the login '{home}_admin_bi' does not let us in" in sfumato("gateway", "reach", *given).stdout


def test_without_tools(postgres: str, tmp_path: Path) -> None:
    from tests.gateway.engines.test_postgres_source import fill

    fill(postgres)
    home = str(conninfo_to_dict(postgres)["dbname"])
    given = ("--setup", str(shop(tmp_path, source={"postgres": postgres, "home": home, "tools": False})))
    assert "_bi" not in sfumato("gateway", "deploy", "--dry-run", *given).stdout
    sfumato("gateway", "deploy", *given)
    sfumato("gateway", "users", "add", "olga", "--role", "owner", *given)
    sfumato("gateway", "ask", "SELECT name FROM customer", "--as", "olga", "--for", "Admin", *given)
    assert "other tools" not in sfumato("gateway", "audit", "report", *given).stdout
    assert "the login" not in sfumato("gateway", "reach", *given).stdout
