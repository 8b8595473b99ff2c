"""Options that several commands share, defined once so that they have the same names and help texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.answering import Format
from sfumato.errors import UsageError

FormatOption = Annotated[Format, typer.Option("--format", help="The format of the output.")]
SeparatorOption = Annotated[str | None, typer.Option(help="The separator of a text file; detected by default.")]
EncodingOption = Annotated[str | None, typer.Option(help="The encoding of a text file; UTF-8 by default.")]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(help="A privacy model, as k_anonymity:k=10 or t_closeness:t=0.2,distance=ordered."),
]
TaxonomyOption = Annotated[
    list[str] | None,
    typer.Option(help="The taxonomy of a sensitive column, as diagnosis=levels.csv or diagnosis=tree.txt."),
]
MissingOption = Annotated[list[str] | None, typer.Option(help="A text that means a missing value; may be repeated.")]
PopulationOption = Annotated[
    Path | None, typer.Option(help="A file of the population, with the same columns generalized the same way.")
]
BucketOption = Annotated[str, typer.Option(help="The column with the bucket, in a bucketized release.")]
SensitiveTableOption = Annotated[
    Path | None, typer.Option(help="The file with the sensitive values by bucket, if it is separate.")
]
BlockOption = Annotated[
    list[str] | None, typer.Option(help="Columns that stay together in a sliced release, as a,b; one option per block.")
]
OriginalOption = Annotated[
    Path | None, typer.Option(help="The original records; in the order of the release, unless it has buckets.")
]
PersonOption = Annotated[
    str, typer.Option(help="The column with the person key; persons are counted instead of records.")
]
WaiverOption = Annotated[str, typer.Option(help="The column that states who waives protection; they are left out.")]


def split_names(given: Sequence[str]) -> list[str]:
    """Split column names given as `a,b` or by repeated options; a name with a comma is written in double quotes."""
    import csv

    names = [name for text in given for name in next(csv.reader([text], skipinitialspace=True), [])]
    return list(dict.fromkeys(name for name in names if name))


def parsed_settings(given: Iterable[str], thing: str) -> dict[str, str]:
    """Read settings of a model or mask, each written as `name=value`; a setting that is given twice is refused."""
    found: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"a setting of {thing} is written name=value; got {text!r}.")
        if key.strip() in found:
            raise UsageError(f"{thing} has the setting {key.strip()!r} twice; give it once.")
        found[key.strip()] = value.strip()
    return found
