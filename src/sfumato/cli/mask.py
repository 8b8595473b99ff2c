"""`sfumato mask DATA --with noise --set share=0.1 --column income --out FILE`: mask some columns of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.completion import entries_of
from sfumato.cli.options import (
    FormatOption,
    MissingOption,
    parsed_settings,
    reads_files,
    split_names,
)
from sfumato.cli.outputs import demand_free
from sfumato.engines.read_options import ReadOptions

if TYPE_CHECKING:
    from sfumato.masks.base import Mask


@reads_files
def mask(
    data: Annotated[Path, typer.Argument(help="A CSV or Parquet file.")],
    *,
    name: Annotated[
        str, typer.Option("--with", help="A mask from 'sfumato list masks'.", autocompletion=entries_of("masks"))
    ],
    column: Annotated[list[str], typer.Option(help="Columns to mask, as a,b or repeated.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write, as CSV or Parquet.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the mask, as share=0.1; may be repeated.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="A seed for repeatable tests; leave it out for data that you publish.")
    ] = None,
    missing: MissingOption = None,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Mask columns of a file; other columns, also identifiers, and the order of records stay. No model is checked."""
    with answering():
        from sfumato.masks.files import mask_file

        demand_free(out, option="--out", inputs=[data], force=force)
        chosen, names = parsed_mask(name, setting or ()), split_names(column)
        with progress_bar():
            records = mask_file(data, [(chosen, names)], out, seed=seed, missing=missing or (), options=options)
        plain = {"file": str(data), "out": str(out), "mask": chosen.to_dict(), "columns": names, "records": records}
        done = f"Masked {', '.join(names)} of {records:,} records by {chosen}. Wrote {out}."
        hint = f"\nMeasure the information loss and the risk: sfumato compare {data} {out}"
        answer(form, plain, lambda: done + (hint if chosen.for_kind == "numbers" else ""), brief=[out])


def parsed_mask(name: str, settings: Sequence[str]) -> Mask:
    """Build a mask from its name and settings as written on the command line: `share=0.1`."""
    from sfumato.settings import catalogue

    mask: Mask = catalogue.find("masks", name).parse(parsed_settings(settings, name))  # type: ignore[assignment]
    return mask
