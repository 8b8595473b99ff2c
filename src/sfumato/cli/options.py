"""Options that several commands have, said once, so that they read alike everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format

FormatOption = Annotated[Format, typer.Option("--format", help="How to write the result.")]
SeparatorOption = Annotated[str | None, typer.Option(help="What separates values in a text file; guessed if not said.")]
EncodingOption = Annotated[str | None, typer.Option(help="The encoding of a text file; UTF-8 if not said.")]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(help="A model to judge by, as k_anonymity:k=10 or t_closeness:t=0.2,distance=ordered."),
]
TaxonomyOption = Annotated[
    list[str] | None,
    typer.Option(help="How a sensitive column's values belong together, as diagnosis=levels.csv or =tree.txt."),
]
MissingOption = Annotated[
    list[str] | None, typer.Option(help="A text that stands for a missing value; may be repeated.")
]
PopulationOption = Annotated[
    Path | None, typer.Option(help="A file of the population, with the same columns published the same way.")
]
BucketOption = Annotated[str, typer.Option(help="The column that names the bucket, in a bucketized release.")]
SensitiveTableOption = Annotated[
    Path | None, typer.Option(help="The file with the secrets by bucket, where they have one of their own.")
]
BlockOption = Annotated[
    list[str] | None, typer.Option(help="Columns that stay together in a sliced release, as a,b; one option a block.")
]
OriginalOption = Annotated[
    Path | None, typer.Option(help="The records a release was made from; without buckets, in the same order.")
]
PersonOption = Annotated[
    str, typer.Option(help="The key of the person that a record is about; persons are counted, not records.")
]
WaiverOption = Annotated[str, typer.Option(help="The column that says who waives protection; they are left out.")]


def split_names(given: Sequence[str]) -> list[str]:
    """Column names from `a,b` and repeated options; a name with a comma is written in double quotes."""
    import csv

    names = [name for text in given for name in next(csv.reader([text], skipinitialspace=True), [])]
    return list(dict.fromkeys(name for name in names if name))
