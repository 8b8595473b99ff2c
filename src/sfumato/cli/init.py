"""`sfumato init FILE`: write a proposed plan for a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.data_source import database_query
from sfumato.cli.options import DataArgument, FormatOption, QueryOption, TableOption, reads_files
from sfumato.cli.outputs import demand_free
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.data.schema import Role
    from sfumato.engines.databases.database_query import DatabaseQuery
    from sfumato.plan.proposals.proposal import Proposal


@reads_files
def init(
    data: DataArgument,
    *,
    table: TableOption = None,
    query: QueryOption = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The plan file to write.")] = Path("plan.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing plan.")] = False,
    interactive: Annotated[
        bool,
        typer.Option("--interactive", "-i", help="Ask for the roles of columns of which the proposal is not sure."),
    ] = False,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Write a commented plan for a file: detected types, proposed roles, and a first taxonomy for each quasi column.

    Roles are proposed by the names and values of columns, one by one and together. Every role has a reason. Roles that
    are not sure are listed, marked in the plan, and asked for with --interactive.
    """
    with answering():
        from sfumato.cli.asking import asked_roles
        from sfumato.cli.drawing import proposal_text
        from sfumato.plan.proposals.drafting import draft
        from sfumato.runtime.atomic_files import write_text

        database = database_query(data, table, query)
        if database is None and not Path(data).exists():
            raise DataError(f"there is no file {data!r}.")
        demand_free(output, option="--output", inputs=[] if database else [Path(data)], force=force)
        proposal = _proposal(data, options, database)
        if interactive and proposal.undecided:
            proposal = _proposal(data, options, database, asked_roles(proposal))
        write_text(draft(proposal, output), output)
        notes = [f"Warning: column {column.name!r} {column.note}" for column in proposal.columns if column.note]
        notes += [f"Left out: {name!r}, which has no name in the file." for name in proposal.left_out]
        notes += _replaced(proposal, output)
        answer(
            form,
            {"plan": str(output), **proposal.to_dict()},
            lambda: "\n\n".join([*notes, proposal_text(proposal, output)]),
            brief=[output],
        )


def _proposal(
    data: str, options: ReadOptions, database: DatabaseQuery | None, roles: Mapping[str, Role] | None = None
) -> Proposal:
    """The proposal for a file, or for a table or query of a database, beside roles that are decided."""
    from sfumato.plan.proposals.proposal import Proposal

    with progress_bar():
        if database is None:
            return Proposal.of_file(data, options, roles=roles)
        return Proposal.of_database(database, roles=roles)


def _replaced(proposal: Proposal, plan: Path) -> list[str]:
    """A note about results of another publication that this one would replace."""
    from sfumato.errors import listed
    from sfumato.plan.proposals.drafting import plan_tables

    found = [name for name in plan_tables(proposal, plan)["output"].values() if (plan.parent / name).exists()]
    if not found:
        return []
    verb, them = ("exists", "it") if len(found) == 1 else ("exist", "them")
    return [
        f"Note: {listed(found)} {verb}, and publishing replaces {them}; name other files in [output] to keep {them}."
    ]
