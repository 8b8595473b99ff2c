"""`sfumato gateway ...`: query live personal data for a purpose, and administer the gateway."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.answering import DOES_NOT_HOLD, Format, answer, answering
from sfumato.cli.options import FormatOption
from sfumato.gateway.cli.audit import audit
from sfumato.gateway.cli.deploy import deploy, reach, undeploy
from sfumato.gateway.cli.options import AsOption, ForOption, SetupOption, login
from sfumato.gateway.cli.serve import serve
from sfumato.gateway.cli.users import users

gateway = typer.Typer(help="Query live personal data, only for purposes that people agreed to.", no_args_is_help=True)
gateway.add_typer(users, name="users")
gateway.add_typer(audit, name="audit")
gateway.command()(deploy)
gateway.command()(undeploy)
gateway.command()(reach)
gateway.command()(serve)


@gateway.callback()
def _gateway() -> None:
    """Query live personal data, only for purposes that people agreed to."""


@gateway.command()
def ask(
    question: Annotated[str, typer.Argument(help="One SELECT; it may end with FOR PURPOSE name.")],
    *,
    person: AsOption,
    purpose: ForOption = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            help="A value for ? in the query, in order; numbers are read as numbers, unless in double quotes."
        ),
    ] = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Run a query; values that people did not agree to show are hidden, and the query is logged."""
    with answering():
        from sfumato.gateway.cli.drawing import answer_text
        from sfumato.gateway.local.client import commands_for

        values = [_parameter_value(one) for one in parameter or ()]
        found = commands_for(setup).ask(question, who=person, purpose=purpose, parameters=values)
        rows = _json_value(found.table.to_pylist())
        plain = {"purpose": found.purpose, "uncertain": found.uncertain, "rows": rows}
        plain |= {"in_doubt": found.in_doubt} if found.in_doubt else {}
        plain |= {"margins": found.margins} if found.margins else {}
        plain |= {"repeated": True} if found.repeated else {}
        answer(
            form,
            {**plain, "obligations": [obligation.model_dump() for obligation in found.obligations]},
            lambda: answer_text(found),
        )


@gateway.command()
def explain(
    question: Annotated[str, typer.Argument(help="One SELECT; it is explained and not run.")],
    *,
    person: AsOption,
    purpose: ForOption = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Explain what a query would show of every column that it reads, in which rows, and which rule decided it."""
    with answering():
        from sfumato.gateway.cli.drawing import explanation_text
        from sfumato.gateway.local.client import commands_for

        found = commands_for(setup).explain(question, who=person, purpose=purpose)
        answer(form, found.to_dict(), lambda: explanation_text(found))


@gateway.command()
def lint(
    *,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Find mistakes in the policy: contradictions, rules without effect, columns never shown. Exit 1 if any."""
    with answering():
        from sfumato.gateway.cli.drawing import findings_text
        from sfumato.gateway.local.client import commands_for

        findings = commands_for(setup).lint()
        answer(form, {"findings": [one.to_dict() for one in findings]}, lambda: findings_text(findings))
        if findings:
            raise typer.Exit(DOES_NOT_HOLD)


@gateway.command()
def choose(
    file: Annotated[Path, typer.Argument(help="A CSV file of choices: key, column, choice.")],
    *,
    table: Annotated[str, typer.Option(help="The table whose people chose.")],
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Store what people chose for their own values; it applies from the next query on, and is logged."""
    with answering():
        from sfumato.gateway.cli.drawing import count_of
        from sfumato.gateway.local.client import commands_for
        from sfumato.gateway.people.choices import read_rows

        commands = commands_for(setup)
        number = commands.choose(table, read_rows(file), login=login())
        found = {"table": table, "choices": number}
        answer(form, found, lambda: f"Stored {count_of(number, 'choice')} for {table}.")


@gateway.command()
def choices(
    key: Annotated[str, typer.Argument(help="The key of a person, as in the table.")],
    *,
    table: Annotated[str, typer.Option(help="The table that the person is in.")],
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Show what a person chose, when, for which column, and who entered it."""
    with answering():
        from sfumato.gateway.cli.drawing import choices_text
        from sfumato.gateway.local.client import commands_for

        found = commands_for(setup).choices(table, key)
        plain = {"table": table, "key": key, "choices": [one.to_dict() for one in found]}
        answer(form, plain, lambda: choices_text(found))


def _json_value(value: Any) -> Any:
    """The value for JSON: types that JSON does not have become text, and integral decimals become integers."""
    if isinstance(value, dict):
        return {key: _json_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(one) for one in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else str(value)


def _parameter_value(text: str) -> object:
    """A parameter: a number, a text in double quotes, true, false or null as in JSON; otherwise the text itself."""
    import json

    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if found is None or isinstance(found, bool | int | float | str) else text
