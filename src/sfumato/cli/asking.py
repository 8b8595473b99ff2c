"""Asks for the roles that a proposal marks as not sure; `sfumato init --interactive` calls it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from sfumato.data.schema import Role
from sfumato.errors import UsageError, nearest

if TYPE_CHECKING:
    from sfumato.plan.proposals.proposal import Proposal
    from sfumato.plan.proposals.proposed_column import ProposedColumn

_ROLES = tuple(str(role) for role in Role if role is not Role.WAIVER)


def asked_roles(proposal: Proposal) -> dict[str, Role]:
    """The roles that somebody gives to the columns that are not sure, by column; the questions go to standard error.

    An empty answer keeps the proposed role. A series of columns, as the questions of a survey, is asked for once.
    """
    from sfumato.plan.proposals.column_series import series_name, series_of

    found: dict[str, Role] = {}
    questions = series_of(proposal.undecided)
    for number, columns in enumerate(questions, start=1):
        one = columns[0]
        typer.echo(f"{number} of {len(questions)}: {series_name(columns)}, {one.kind}, {one.distinct} values", err=True)
        typer.echo(f"  {one.why}.\n  {one.decide}.", err=True)
        role = _answer(columns, taken=Role.PERSON in found.values())
        found |= {column.name: role for column in columns}
    return found


def _answer(columns: Sequence[ProposedColumn], *, taken: bool) -> Role:
    """One role; asks again until the answer is one that the columns can have."""
    proposed = str(columns[0].role)
    while True:
        typer.echo(f"  Role ({', '.join(_ROLES)}) [{proposed}]: ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            typer.echo(err=True)
            raise UsageError(
                "--interactive asks for roles, and the input ended before all were answered; nothing was written. "
                "Answer in a terminal, or leave --interactive out and correct the plan."
            )
        text = line.strip().lower() or proposed
        if text not in _ROLES:
            typer.echo(f"  {text!r} is no role; {nearest(text, _ROLES)}", err=True)
        elif text == Role.PERSON and (taken or len(columns) > 1):
            typer.echo("  only one column can be the key of persons.", err=True)
        else:
            return Role(text)
