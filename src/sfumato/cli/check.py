"""`sfumato check FILE --quasi a,b --sensitive c --model k_anonymity:k=10`: measure a file and judge it by models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import DOES_NOT_HOLD, Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.data_source import name_in_results, readable_source
from sfumato.cli.options import (
    BlockOption,
    BucketOption,
    DataArgument,
    FormatOption,
    MissingOption,
    ModelOption,
    OriginalEncodingOption,
    OriginalOption,
    PersonOption,
    PopulationOption,
    QueryOption,
    SensitiveTableOption,
    TableOption,
    TaxonomyOption,
    WaiverOption,
    original_options,
    parsed_settings,
    reads_files,
    split_names,
)
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import UsageError

if TYPE_CHECKING:
    from sfumato.models.base import PrivacyModel
    from sfumato.taxonomies.base import TaxonomyBuilder


@reads_files
def check(
    file: DataArgument,
    *,
    table: TableOption = None,
    query: QueryOption = None,
    quasi: Annotated[list[str], typer.Option(help="Columns that others may know, as a,b or repeated.")],
    sensitive: Annotated[
        list[str] | None, typer.Option(help="Columns that must not be learned, as a,b or repeated.")
    ] = None,
    model: ModelOption = None,
    taxonomy: TaxonomyOption = None,
    population: PopulationOption = None,
    bucket: BucketOption = "",
    sensitive_table: SensitiveTableOption = None,
    block: BlockOption = None,
    original: OriginalOption = None,
    original_encoding: OriginalEncodingOption = None,
    waiver: WaiverOption = "",
    person: PersonOption = "",
    missing: MissingOption = None,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Measure how well a file protects the people in it; exit with 1 if a given model does not hold."""
    with answering():
        from sfumato.audit.audit import Audit
        from sfumato.cli.drawing import audit_text
        from sfumato.engines.opening import open_file
        from sfumato.plan.warnings import repeated_keys

        source = readable_source(file, table, query, options)
        models = [parsed_model(text) for text in model or ()]
        with progress_bar():
            audit = Audit.of_file(
                source,
                quasi=split_names(quasi),
                sensitive=split_names(sensitive or ()),
                taxonomies=dict(parsed_taxonomy(text) for text in taxonomy or ()),
                missing=missing or (),
                population=population,
                bucket=bucket,
                blocks=[split_names([text]) for text in block or ()],
                sensitive_table=sensitive_table,
                original=original,
                waiver=waiver,
                person=person,
                options=options,
                original_options=original_options(original, original_encoding),
            )
            for one in models:
                audit = audit.judged(one)
            opened = open_file(source)
            repeated = () if person else repeated_keys(opened, audit.schema, door="command", but=[bucket])
        warnings = [*audit.warnings, *repeated]
        plain = {**audit.to_dict(), "verdicts": [verdict.to_dict() for verdict in audit.verdicts], "warnings": warnings}
        answer(form, {"file": name_in_results(file, source), **plain}, lambda: audit_text(audit, warnings))
        if not audit.holds:
            raise typer.Exit(DOES_NOT_HOLD)


def parsed_model(text: str) -> PrivacyModel:
    """Parse a model as written on the command line: `k_anonymity:k=10`."""
    from sfumato.settings import catalogue

    name, _, rest = text.partition(":")
    said, equals, value = (part.strip() for part in name.partition("="))
    if equals and said in catalogue.names("models"):
        first = next((one.name for one in catalogue.find("models", said).settings() if one.required), "setting")
        raise UsageError(f"a model is written name:setting=value; did you mean {said}:{first}={value}?")
    given = parsed_settings(filter(None, rest.split(",")), name.strip())
    model: PrivacyModel = catalogue.find("models", name.strip()).parse(given)  # type: ignore[assignment]
    return model


def parsed_taxonomy(text: str) -> tuple[str, TaxonomyBuilder]:
    """Parse a taxonomy as written on the command line: a column and a file with levels (.csv) or a tree (any other)."""
    from sfumato.taxonomies import LevelFile, Tree

    column, equals, path = text.rpartition("=")
    if not equals or not column or not path:
        raise UsageError(f"a taxonomy is written column=file; got {text!r}.")
    return column, LevelFile(path=path) if path.lower().endswith(".csv") else Tree(path=path)
