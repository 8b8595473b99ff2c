"""`sfumato compare ORIGINAL MASKED`: what became of every column of a release, beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.check import parsed_taxonomy
from sfumato.cli.options import FormatOption, MissingOption, RawOption, reads_files, split_names
from sfumato.engines.read_options import ReadOptions


@reads_files
def compare(
    original: Annotated[Path, typer.Argument(help="The records before masking, as CSV or Parquet.")],
    masked: Annotated[Path, typer.Argument(help="The same records in the same order after masking.")],
    *,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Columns to compare, as a,b or repeated; by default all that both files have."),
    ] = None,
    taxonomy: Annotated[
        list[str] | None,
        typer.Option(help="The taxonomy by which a column is generalized, as job=levels.csv or job=tree.txt."),
    ] = None,
    missing: MissingOption = None,
    raw: RawOption = False,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Compare records before and after masking: what every column lost, and the success of attacks on numbers.

    Options of reading are those of the original. The masked file is read as UTF-8 if it is, and with the given
    separator if its first line has it.
    """
    with answering():
        from sfumato.audit.release_comparison import ReleaseComparison
        from sfumato.cli.drawing import comparison_text

        with progress_bar():
            found = ReleaseComparison.of_files(
                original,
                masked,
                split_names(column or ()) or None,
                taxonomies=dict(parsed_taxonomy(text) for text in taxonomy or ()),
                missing=missing or (),
                options=options,
            )
        plain = {"original": str(original), "masked": str(masked), **found.to_dict()}
        answer(form, plain, lambda: comparison_text(found, raw=raw))
