"""`sfumato gateway users add|remove|renew|list`: who may ask, with which roles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.gateway_options import SetupOption
from sfumato.cli.options import FormatOption, split_names

users = typer.Typer(help="Who may ask, and with which roles.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="The name of the user.")]


@users.callback()
def _users() -> None:
    """Who may ask, and with which roles."""


@users.command()
def add(
    name: NameArgument,
    *,
    role: Annotated[list[str] | None, typer.Option(help="A role of the policy, as a,b or repeated.")] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="What conditions of roles ask about, as experience=12; may be repeated.")
    ] = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Add a user and show the token to ask with, this once: only its hash is kept."""
    with answering():
        from sfumato.gateway.authority import Authority
        from sfumato.gateway.people import People
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        authority = Authority.of(found.policy.sections)
        roles = [authority.known(one) for one in split_names(role or ())]
        people = found.people if found.users.exists() else People()
        token = people.add(name, roles, dict(parsed_attribute(text) for text in attribute or ()))
        people.write(found.users)
        answer(form, {"name": name, "token": token}, lambda: f"Added {name}. The token is shown this once:\n{token}")


@users.command()
def remove(name: NameArgument, *, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Remove a user, whose token opens nothing any more."""
    with answering():
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        people = found.people
        people.remove(name)
        people.write(found.users)
        answer(form, {"name": name}, lambda: f"Removed {name}.")


@users.command()
def renew(name: NameArgument, *, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Give a user another token; the old one opens nothing any more."""
    with answering():
        from sfumato.gateway.setup import Setup

        found = Setup.read(setup)
        people = found.people
        token = people.renew(name)
        people.write(found.users)
        answer(form, {"name": name, "token": token}, lambda: f"The token is shown this once:\n{token}")


@users.command("list")
def listing(*, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """All users and their roles."""
    with answering():
        from sfumato.gateway.setup import Setup

        people = Setup.read(setup).people
        told = {name: sorted(people.roles(name)) for name in people}
        answer(form, {"users": told}, lambda: "\n".join(f"{name}  {', '.join(roles)}" for name, roles in told.items()))


def parsed_attribute(text: str) -> tuple[str, object]:
    """An attribute as written on the command line: `experience=12`, `office=Rome`, `permanent=true`."""
    from sfumato.errors import UsageError

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError("an attribute is written name=value.")
    if value in ("true", "false"):
        return name.strip(), value == "true"
    for kind in (int, float):
        try:
            return name.strip(), kind(value)
        except ValueError:
            continue
    return name.strip(), value
