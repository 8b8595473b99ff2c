"""`sfumato init FILE`: write a proposed plan for a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.data_source import database_query
from sfumato.cli.options import DataArgument, FormatOption, QueryOption, TableOption, reads_files
from sfumato.cli.outputs import demand_free
from sfumato.engines.read_options import ReadOptions


@reads_files
def init(
    data: DataArgument,
    *,
    table: TableOption = None,
    query: QueryOption = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The plan file to write.")] = Path("plan.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing plan.")] = False,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Write a commented plan for a file: detected types, proposed roles, and a first taxonomy for each quasi column."""
    with answering():
        from sfumato.cli.drawing import proposal_text
        from sfumato.plan.drafting import draft
        from sfumato.plan.proposal import Proposal
        from sfumato.runtime.atomic_files import write_text

        database = database_query(data, table, query)
        demand_free(output, option="--output", inputs=[] if database else [Path(data)], force=force)
        with progress_bar():
            proposal = Proposal.of_file(data, options) if database is None else Proposal.of_database(database)
        write_text(draft(proposal, output), output)
        notes = [f"Warning: column {column.name!r} {column.note}" for column in proposal.columns if column.note]
        notes += [f"Left out: {name!r}, which has no name in the file." for name in proposal.left_out]
        answer(
            form,
            {"plan": str(output), **proposal.to_dict()},
            lambda: "\n\n".join([*notes, proposal_text(proposal, output)]),
            brief=[output],
        )
