"""`sfumato estimate FILE --quasi a,b --sensitive s --where "age=[20, 29]"`: query a bucketized release."""

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
    FormatOption,
    MissingOption,
    SensitiveTableOption,
    reads_files,
    split_names,
)
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import UsageError, nearest

if TYPE_CHECKING:
    from sfumato.disclosure.published_view import PublishedView
    from sfumato.evaluation.queries.estimate import Estimate
    from sfumato.evaluation.queries.estimator import Estimator
    from sfumato.knowledge.item import Item
    from sfumato.releases.files import ReleaseFiles


@reads_files
def estimate(
    file: Annotated[Path, typer.Argument(help="A bucketized release, as CSV or Parquet.")],
    *,
    quasi: Annotated[list[str], typer.Option(help="Columns that others may know, as a,b or repeated.")],
    sensitive: Annotated[list[str], typer.Option(help="Columns separated from the records, as a,b.")],
    bucket: BucketOption = "group",
    sensitive_table: SensitiveTableOption = None,
    block: BlockOption = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="A condition on records, as sex=Male or 'age=[20, 29]'; if repeated, all must hold."),
    ] = None,
    total: Annotated[str, typer.Option("--sum", help="The sum of this column over the selected records.")] = "",
    average: Annotated[str, typer.Option(help="The average of this column over the selected records.")] = "",
    random_buckets: Annotated[
        bool,
        typer.Option(
            "--random-buckets",
            help="State that buckets were drawn at random given the sensitive values, without regard to other columns, "
            "as anatomy and permutation draw them; adds an interval that assumes it.",
        ),
    ] = False,
    level: Annotated[float, typer.Option(help="The probability that this interval contains the true value.")] = 0.95,
    missing: MissingOption = None,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Estimate a count, sum or average from a bucketized release.

    The certain bounds assume nothing. The interval of --random-buckets assumes that buckets were drawn at random. The
    expected value assumes that values of different blocks are independent within a bucket, which real data seldom are.
    """
    with answering():
        from sfumato.cli.drawing import estimate_text
        from sfumato.evaluation.queries.estimator import Estimator
        from sfumato.releases.files import ReleaseFiles

        blocks = [split_names([text]) for text in block or ()]
        files = ReleaseFiles(file, bucket, blocks, sensitive_table, None, options)
        with progress_bar():
            view = _view(files, split_names(quasi), split_names(sensitive), missing or ())
            estimator = Estimator.of_published(view, random_buckets=random_buckets)
            _demand_named(view, [total, average, *(text.partition("=")[0] for text in where or ())])
            items = [parsed_item(text, estimator) for text in where or ()]
            found = _estimate(estimator, items, total, average)
        plain = {
            "file": str(file),
            "records": view.table.records,
            "suppressed": view.suppressed,
            "asked": "sum" if total else "average" if average else "count",
            "column": total or average or None,
            "where": list(where or ()),
            **found.to_dict(level),
        }
        answer(form, plain, lambda: estimate_text(plain, items))


def parsed_item(text: str, estimator: Estimator) -> Item:
    """Parse a condition as written on the command line, `sex=Male`; refuses one that no published value satisfies."""
    from sfumato.knowledge.item import Item

    splits = [place for place, letter in enumerate(text) if letter == "="]
    if not splits:
        raise UsageError("a condition is written column=value or column=[low, high].")
    known = [place for place in splits if text[:place] in estimator.records.domains]
    place = (known or splits)[0]
    item = Item(text[:place], text[place + 1 :].strip())
    domain = estimator.records.domain(item.column)
    if not item.text.startswith(("[", "(")) and not item.true_of(domain).any():
        raise UsageError(f"column {item.column!r} has no such value; check the spelling of the condition.")
    return item


def _view(files: ReleaseFiles, quasi: list[str], sensitive: list[str], missing: Sequence[str]) -> PublishedView:
    """Read the files of a release."""
    from sfumato.data.schema import Schema
    from sfumato.disclosure.published_view import PublishedView
    from sfumato.engines.opening import columns_of

    if files.bucket not in (columns := columns_of(files.release)):
        raise UsageError(
            f"{files.release.described} has no column {files.bucket!r} that names buckets, and estimates are made from "
            f"releases in buckets, as those of anatomy; name it by --bucket ({nearest(files.bucket, columns)}) "
            "or, if the release has generalized values, count its records directly."
        )
    source, schema = files.opened(sensitive), Schema.of(quasi=quasi, sensitive=sensitive, missing=missing)
    linkage = files.linkage(source, sensitive, quasi)
    return PublishedView.of_source(source, schema, nulls=files.release.typed, linkage=linkage)


def _demand_named(view: PublishedView, columns: Sequence[str]) -> None:
    """Raise an error for a column of a query that is published and that no option names."""
    published = () if view.table.source is None else view.table.source.columns
    for name in columns:
        if name in published and name not in view.table.codes:
            named = ",".join([*view.schema.quasi, name])
            raise UsageError(f"column {name!r} is published, but no option names it; name it, too: --quasi {named}.")


def _estimate(estimator: Estimator, where: Sequence[Item], total: str, average: str) -> Estimate:
    """The sum or average of a column, or the number of records that satisfy the conditions."""
    if total and average:
        raise UsageError("--sum and --average cannot be combined; give one of them.")
    if total:
        return estimator.sum(total, *where)
    return estimator.average(average, *where) if average else estimator.count(*where)
