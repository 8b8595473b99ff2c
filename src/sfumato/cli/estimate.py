"""`sfumato estimate FILE --quasi a,b --sensitive s --where "age=[20, 29]"`: ask a bucketized release a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.options import (
    BlockOption,
    BucketOption,
    EncodingOption,
    FormatOption,
    MissingOption,
    SensitiveTableOption,
    SeparatorOption,
    split_names,
)

if TYPE_CHECKING:
    from sfumato.disclosure.published_view import PublishedView
    from sfumato.evaluation.queries.estimate import Estimate
    from sfumato.evaluation.queries.estimator import Estimator
    from sfumato.knowledge.item import Item
    from sfumato.releases.files import ReleaseFiles


def estimate(
    file: Annotated[Path, typer.Argument(help="A bucketized release, as CSV or Parquet.")],
    *,
    quasi: Annotated[list[str], typer.Option(help="Columns others may know, as a,b or repeated.")],
    sensitive: Annotated[list[str], typer.Option(help="Columns that were torn off, as a,b.")],
    bucket: BucketOption = "group",
    sensitive_table: SensitiveTableOption = None,
    block: BlockOption = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="What must be true of a record, as sex=Male or 'age=[20, 29]'; repeated, all must be."),
    ] = None,
    total: Annotated[str, typer.Option("--sum", help="Add up this column over those records.")] = "",
    average: Annotated[str, typer.Option(help="The average of this column over those records.")] = "",
    level: Annotated[float, typer.Option(help="How probable the likely interval is to have the truth.")] = 0.95,
    missing: MissingOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Count records, or add up or average a column: a value, what is certain of it, and what is likely."""
    with answering():
        from sfumato.cli.drawing import estimate_text
        from sfumato.evaluation.queries.estimator import Estimator
        from sfumato.releases.files import ReleaseFiles

        blocks = [split_names([text]) for text in block or ()]
        files = ReleaseFiles(file, bucket, blocks, sensitive_table, None, separator, encoding)
        with progress_bar():
            published = _published(files, split_names(quasi), split_names(sensitive), missing or ())
            estimator = Estimator.of_published(published)
            items = [parsed_item(text, estimator) for text in where or ()]
            found = _answered(estimator, items, total, average)
        plain = {
            "file": str(file),
            "records": published.table.records,
            "suppressed": published.suppressed,
            "asked": "sum" if total else "average" if average else "count",
            "column": total or average or None,
            "where": list(where or ()),
            **found.to_dict(level),
        }
        answer(form, plain, lambda: estimate_text(plain, items))


def parsed_item(text: str, estimator: Estimator) -> Item:
    """A condition as written on the command line, `sex=Male`; refuses one that no published value fulfils."""
    from sfumato.errors import UsageError
    from sfumato.knowledge.item import Item

    splits = [place for place, letter in enumerate(text) if letter == "="]
    if not splits:
        raise UsageError("a condition is written column=value or column=[low, high].")
    known = [place for place in splits if text[:place] in estimator.records.domains]
    place = (known or splits)[0]
    item = Item(text[:place], text[place + 1 :].strip())
    domain = estimator.records.domain(item.column)
    if not item.text.startswith(("[", "(")) and not item.true_of(domain).any():
        raise UsageError(f"column {item.column!r} has no such value as its condition asks for; compare the spelling.")
    return item


def _published(files: ReleaseFiles, quasi: list[str], sensitive: list[str], missing: Sequence[str]) -> PublishedView:
    from sfumato.data.schema import Schema
    from sfumato.disclosure.published_view import PublishedView

    source, schema = files.opened(sensitive), Schema.of(quasi=quasi, sensitive=sensitive, missing=missing)
    linkage = files.linkage(source, sensitive, quasi)
    return PublishedView.of_source(source, schema, nulls=files.typed, linkage=linkage)


def _answered(estimator: Estimator, where: Sequence[Item], total: str, average: str) -> Estimate:
    from sfumato.errors import UsageError

    if total and average:
        raise UsageError("one question at a time: --sum or --average.")
    if total:
        return estimator.sum(total, *where)
    return estimator.average(average, *where) if average else estimator.count(*where)
