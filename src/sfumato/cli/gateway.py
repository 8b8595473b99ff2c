"""`sfumato gateway ...`: ask live personal data for a purpose, and look after the gateway."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import DOES_NOT_HOLD, Format, answer, answering
from sfumato.cli.gateway_audit import audit
from sfumato.cli.gateway_deploy import deploy, reach, undeploy
from sfumato.cli.gateway_options import AsOption, ForOption, SetupOption
from sfumato.cli.gateway_serve import serve
from sfumato.cli.gateway_users import users
from sfumato.cli.options import FormatOption

gateway = typer.Typer(help="Ask live personal data only for purposes that people agreed to.", no_args_is_help=True)
gateway.add_typer(users, name="users")
gateway.add_typer(audit, name="audit")
gateway.command()(deploy)
gateway.command()(undeploy)
gateway.command()(reach)
gateway.command()(serve)


@gateway.callback()
def _gateway() -> None:
    """Ask live personal data only for purposes that people agreed to."""


@gateway.command()
def ask(
    question: Annotated[str, typer.Argument(help="One SELECT; it may end with FOR PURPOSE name.")],
    *,
    person: AsOption,
    purpose: ForOption = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="What stands for ? in the question, in order; a number is one, and in double quotes a text."),
    ] = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Ask a question; what people did not agree to is hidden, and the question is logged."""
    with answering():
        from sfumato.cli.gateway_drawing import answer_text
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        who = found.people.person(person)
        gate = found.gateway()
        try:
            values = [_given(one) for one in parameter or ()]
            given = gate.query(question, person=who, purpose=purpose, parameters=values)
        finally:
            gate.close()
        rows = given.table.to_pylist()
        plain = {"purpose": given.purpose, "uncertain": given.uncertain, "rows": rows}
        answer(
            form,
            {**plain, "obligations": [duty.model_dump() for duty in given.obligations]},
            lambda: answer_text(given),
        )


@gateway.command()
def explain(
    question: Annotated[str, typer.Argument(help="One SELECT; it is explained and not asked.")],
    *,
    person: AsOption,
    purpose: ForOption = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Say what would be seen of every column that a question reads, in which rows, and who decided so."""
    with answering():
        from sfumato.cli.gateway_drawing import explanation_text
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        who = found.people.person(person)
        gate = found.gateway(logged=False)
        try:
            told = gate.explain(question, person=who, purpose=purpose)
        finally:
            gate.close()
        answer(form, told.to_dict(), lambda: explanation_text(told))


@gateway.command()
def lint(
    *,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Look over the policy: contradictions, rules that change nothing, columns that nobody covers. Exit 1 if any."""
    with answering():
        from sfumato.cli.gateway_drawing import findings_text
        from sfumato.gateway.linting import lint as look_over
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        policy = found.policy
        source = found.source(policy)
        try:
            tables = {name: source.types(name) for name in policy.sections.tables}
        finally:
            source.close()
        findings = look_over(policy, tables, day=datetime.now(UTC).date())
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
    """Take in what people chose for their own values; it holds from the next question on."""
    with answering():
        from sfumato.gateway.choosing import read_choices
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        policy = found.policy
        rows = read_choices(file, policy, table)
        source = found.source(policy)
        try:
            source.choose(table, rows)
        finally:
            source.close()
        number = sum(one.num_rows for one in rows)
        answer(form, {"table": table, "choices": number}, lambda: f"Took in {number:,} choices for {table}.")


def _given(text: str) -> object:
    """A number, a text in double quotes, true, false or null as JSON has them; everything else is a text as it is."""
    import json

    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if found is None or isinstance(found, bool | int | float | str) else text
