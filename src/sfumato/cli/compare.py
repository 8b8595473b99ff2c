"""`sfumato compare ORIGINAL MASKED`: information loss and disclosure risk of masked numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.options import FormatOption, MissingOption, reads_files, split_names
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError

if TYPE_CHECKING:
    from sfumato.disclosure.paired_numbers import PairedNumbers


@reads_files
def compare(
    original: Annotated[Path, typer.Argument(help="The records before masking, as CSV or Parquet.")],
    masked: Annotated[Path, typer.Argument(help="The same records in the same order after masking.")],
    *,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Columns of numbers to compare, as a,b or repeated; by default all that both files have."),
    ] = None,
    missing: MissingOption = None,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Compare numbers before and after masking: the information loss, and the success of attacks with the original."""
    with answering():
        from sfumato.attacks.base import suitable_attacks
        from sfumato.cli.drawing import comparison_text
        from sfumato.engines.frames.paired_sources import files_side_by_side

        names = split_names(column or ()) or None
        with progress_bar():
            pair = files_side_by_side(original, masked, names, missing=missing or (), options=options)
            if not pair.columns or not pair.people:
                raise DataError("the two files have no record with a number in every column that both have as numbers.")
            costs = costs_of_masking(pair)
            results = [attack.run(pair) for attack in suitable_attacks(pair)]
        plain = {
            "original": str(original),
            "masked": str(masked),
            "columns": list(pair.columns),
            "records": pair.people,
            "incomplete": pair.incomplete,
            "metrics": {name: cost["value"] for name, cost in costs.items()},
            "attacks": [result.to_dict() for result in results],
        }
        answer(form, plain, lambda: comparison_text(pair, costs, results))


def costs_of_masking(pair: PairedNumbers) -> dict[str, dict[str, Any]]:
    """The results of all metrics of numbers that have enough columns here."""
    from sfumato.metrics.base import NumberMetric
    from sfumato.settings.catalogue import without_required_settings

    metrics = [thing() for thing in without_required_settings("metrics", NumberMetric)]  # type: ignore[type-abstract]
    return {
        metric.name(): {"value": metric.measure(pair), "better": metric.better, "meaning": metric.summary()}
        for metric in metrics
        if metric.needs_numbers <= len(pair.columns)
    }
