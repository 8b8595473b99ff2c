"""Options that several commands share, defined once so that they have the same names and help texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.answering import Detail, Format, presentation
from sfumato.cli.completion import entries_of
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import UsageError

DataArgument = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A file of data; or sqlite:FILE, duckdb:FILE or postgresql:CONNECTION."),
]
TableOption = Annotated[str | None, typer.Option(help="The table of a database.")]
QueryOption = Annotated[str | None, typer.Option(help="A SELECT to a database, whose rows are read.")]
FormatOption = Annotated[Format, typer.Option("--format", help="The format of the output.")]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        help="A privacy model, as k_anonymity:k=10 or t_closeness:t=0.2,distance=ordered.",
        autocompletion=entries_of("models"),
    ),
]
TaxonomyOption = Annotated[
    list[str] | None,
    typer.Option(help="The taxonomy of a sensitive column, as diagnosis=levels.csv or diagnosis=tree.txt."),
]
RawOption = Annotated[bool, typer.Option("--raw", help="Show sums over all records, too, and not only as shares.")]
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
OriginalEncodingOption = Annotated[
    str | None,
    typer.Option(help="The encoding of the original, such as cp1252, if it is a text file; UTF-8 by default."),
]
PersonOption = Annotated[
    str, typer.Option(help="The column with the person key; persons are counted instead of records.")
]
WaiverOption = Annotated[str, typer.Option(help="The column that states who waives protection; they are left out.")]


def _choose_quiet(given: bool) -> None:
    _choose(Detail.QUIET, given)


def _choose_verbose(given: bool) -> None:
    _choose(Detail.VERBOSE, given)


def _choose(detail: Detail, given: bool) -> None:
    """Change the presentation of the present run."""
    if not given:
        return
    if presentation().detail not in (Detail.NORMAL, detail):
        raise typer.BadParameter("--quiet and --verbose exclude each other; give one of them.")
    presentation().detail = detail


_details = typer.Typer(add_completion=False)


@_details.command()
def _detail_options(
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            callback=_choose_quiet,
            expose_value=False,
            help="Print nothing but errors and the files that were written.",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            callback=_choose_verbose,
            expose_value=False,
            help="Print versions, and every step with its time, to standard error.",
        ),
    ] = False,
) -> None:
    """The options that every command and group has; this command exists only for them, and is never run."""


def detail_options() -> list[Any]:
    """The options `--quiet` and `--verbose`, as `CommandGroup` adds them to every command and group."""
    return [option for option in typer.main.get_command(_details).params if option.name in ("quiet", "verbose")]


class _ValueLabels(StrEnum):
    TEXTS = "texts"
    CODES = "codes"


_READ_OPTIONS: Mapping[str, Any] = {
    "separator": Annotated[str | None, typer.Option(help="The separator of a text file; detected by default.")],
    "encoding": Annotated[
        str | None, typer.Option(help="The encoding of a text file, such as cp1252; UTF-8 by default.")
    ],
    "header": Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first line of a text file has the names of the columns."
        ),
    ],
    "sheet": Annotated[str | None, typer.Option(help="The sheet of a workbook.")],
    "value_labels": Annotated[
        _ValueLabels | None,
        typer.Option(help="Whether coded values of SPSS, Stata and SAS are read as their labels or as codes."),
    ],
}
"""The options of the command line for the fields of `ReadOptions`."""


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of `ReadOptions`; the command gets them as its parameter `options`."""

    @wraps(command)
    def with_options(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in _READ_OPTIONS}
        command(**given, options=ReadOptions(**chosen))

    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        if parameter.name == "options":
            parameters += [
                Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=option)
                for name, option in _READ_OPTIONS.items()
            ]
        else:
            parameters.append(parameter)
    with_options.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


def original_options(original: Path | None, encoding: str | None) -> ReadOptions:
    """How the original beside a release is read; a release and its original may have different encodings."""
    if encoding is not None and original is None:
        raise UsageError("--original-encoding says how an original is read, and none is given; give one by --original.")
    return ReadOptions(encoding=encoding)


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
