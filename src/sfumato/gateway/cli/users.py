"""`sfumato gateway users add|remove|renew|disable|enable|list`: manages users, their roles and their tokens."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.options import FormatOption, split_names
from sfumato.gateway.cli.options import SetupOption, login

if TYPE_CHECKING:
    from sfumato.gateway.log.audit_entries import UsersEntry
    from sfumato.gateway.people.people import Expiry, People

_Action = Literal["added", "removed", "renewed", "disabled", "enabled"]
users = typer.Typer(help="Manage users, their roles and their tokens.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="The name of the user.")]
ExpiresOption = Annotated[
    str | None,
    typer.Option(
        help="When the token expires: the last day, as 2027-01-31 or 90d, a time, as 2027-01-31T12:00Z, or never."
    ),
]


@users.callback()
def _users() -> None:
    """Manage users, their roles and their tokens."""


@users.command()
def add(
    name: NameArgument,
    *,
    role: Annotated[list[str] | None, typer.Option(help="A role of the policy, as a,b or repeated.")] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(help="An attribute for conditions of roles, as experience=12; may be repeated.")
    ] = None,
    account: Annotated[str | None, typer.Option(help="The account that the user shares with others.")] = None,
    expires: ExpiresOption = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Add a user and show the token, only once, because only its hash is stored."""
    with answering():
        from sfumato.gateway.people.authority import Authority
        from sfumato.gateway.people.people import People
        from sfumato.gateway.setup.setup import Setup

        loaded = Setup.read(setup)
        authority = Authority.of(loaded.policy.sections)
        roles = [authority.require_role(one) for one in split_names(role or ())]
        people = loaded.people if loaded.users.exists() else People()
        known = dict(parse_attribute(text) for text in attribute or ())
        token = people.add(
            name, roles, known, expires=None if expires is None else parse_expiry(expires), account=account
        )
        _save(people, _log_entry(people, name, "added"), setup)
        said = f"Added {name}. The token is shown only once:\n{token}"
        answer(form, {"name": name, "token": token}, lambda: said, brief=[token])


@users.command()
def remove(name: NameArgument, *, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Remove a user, whose token is not accepted any more."""
    with answering():
        from sfumato.gateway.setup.setup import Setup

        people = Setup.read(setup).people
        entry = _log_entry(people, name, "removed")
        people.remove(name)
        _save(people, entry, setup)
        answer(form, {"name": name}, lambda: f"Removed {name}.")


@users.command()
def renew(
    name: NameArgument,
    *,
    expires: ExpiresOption = None,
    setup: SetupOption = Path("gateway.toml"),
    form: FormatOption = Format.TEXT,
) -> None:
    """Give a user a new token, by default with the same expiry; the old one is not accepted any more."""
    with answering():
        from sfumato.gateway.setup.setup import Setup

        people = Setup.read(setup).people
        token = people.renew(name) if expires is None else people.renew_until(name, parse_expiry(expires))
        _save(people, _log_entry(people, name, "renewed"), setup)
        answer(form, {"name": name, "token": token}, lambda: f"The token is shown only once:\n{token}", brief=[token])


@users.command()
def disable(name: NameArgument, *, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Refuse the token of a user until the user is enabled again."""
    _change_user(name, lambda people: people.disable(name), "disabled", setup, form)


@users.command()
def enable(name: NameArgument, *, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """Accept the token of a disabled user again."""
    _change_user(name, lambda people: people.enable(name), "enabled", setup, form)


@users.command("list")
def list_users(*, setup: SetupOption = Path("gateway.toml"), form: FormatOption = Format.TEXT) -> None:
    """All users: their roles, whether they are disabled, and when their tokens expire."""
    with answering():
        from sfumato.gateway.setup.setup import Setup

        people = Setup.read(setup).people
        listed = {
            name: {
                "roles": sorted(people.roles(name)),
                "account": people.account(name),
                "disabled": people.disabled(name),
                "expires": None if (end := people.expires(name)) is None else end.isoformat(),
                "expired": people.expired(name),
            }
            for name in people
        }
        answer(form, {"users": listed}, lambda: "\n".join(_user_line(people, name) for name in people))


def _change_user(name: str, change: Callable[[People], None], done: _Action, setup: Path, form: Format) -> None:
    """Change a user in the file of users, and log it."""
    with answering():
        from sfumato.gateway.setup.setup import Setup

        people = Setup.read(setup).people
        change(people)
        _save(people, _log_entry(people, name, done), setup)
        answer(form, {"name": name}, lambda: f"{done.capitalize()} {name}.")


def _log_entry(people: People, name: str, done: _Action) -> UsersEntry:
    """The log entry of a change."""
    from sfumato.gateway.log.audit_entries import UsersEntry

    roles, end = tuple(sorted(people.roles(name))), people.expires(name)
    return UsersEntry(done=done, who=name, roles=roles, expires="" if end is None else end.isoformat(), login=login())


def _save(people: People, entry: UsersEntry, setup: Path) -> None:
    """Write the log entry first, then the file of users.

    A user who is removed or disabled is locked out first, so that the lock-out does not depend on the log.
    """
    from sfumato.gateway.local.client import commands_for
    from sfumato.gateway.setup.setup import Setup

    commands, path = commands_for(setup), Setup.read(setup).users
    if entry.done in ("removed", "disabled"):
        people.write(path)
        commands.note_user(entry)
    else:
        commands.note_user(entry)
        people.write(path)


def _user_line(people: People, name: str) -> str:
    """One user as a line of the list: name and roles, and account, state and expiry if they are set."""
    account, end = people.account(name), people.expires(name)
    parts = [name, ", ".join(sorted(people.roles(name)))]
    parts += [] if account is None else [f"account {account}"]
    parts += ["disabled"] if people.disabled(name) else []
    parts += [] if end is None else [f"{'expired' if people.expired(name) else 'expires'} {end.isoformat()}"]
    return "  ".join(parts)


def parse_expiry(text: str, *, today: date | None = None) -> Expiry | None:
    """When a token expires, as written on the command line: a date, a timestamp, a number of days, or never.

    >>> parse_expiry("90d", today=date(2026, 11, 2))
    datetime.date(2027, 1, 31)
    >>> parse_expiry("2027-01-31T12:00Z")
    datetime.datetime(2027, 1, 31, 12, 0, tzinfo=datetime.timezone.utc)
    """
    from sfumato.errors import UsageError

    if text == "never":
        return None
    try:
        if text.endswith("d"):
            return (today or datetime.now(UTC).date()) + timedelta(days=int(text[:-1]))
        return date.fromisoformat(text) if len(text) <= len("2027-01-31") else datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise UsageError(
            "a token expires on a day, as 2027-01-31, at a time, as 2027-01-31T12:00Z, after days, as 90d, or never."
        ) from None


def parse_attribute(text: str) -> tuple[str, object]:
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
