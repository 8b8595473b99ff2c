"""`sfumato explore plan.toml`: all combinations of taxonomy levels, and the plan that publishes one of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.options import FormatOption, split_names
from sfumato.cli.outputs import demand_free
from sfumato.errors import UsageError

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.solution_space import Solution, SolutionSpace

_SHOWN = 12


def explore(
    plan: Annotated[Path, typer.Argument(help="The plan file: data, taxonomies, models and the suppression limit.")],
    *,
    metric: Annotated[
        list[str] | None, typer.Option(help="Metrics to compare by, as a,b or repeated; the first one decides.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write all combinations to a file, a row each, as CSV or Parquet.")
    ] = None,
    choose: Annotated[
        str | None, typer.Option(help="The levels to publish, as age=3,sex=0; columns not named stay as they are.")
    ] = None,
    chosen: Annotated[
        Path | None, typer.Option(help="The plan to write for --choose; by default NAME_chosen.toml beside the plan.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Look at no more than so many combinations.")] = 100_000,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Look at all combinations of taxonomy levels: where the models hold, what they suppress, lose and risk."""
    with answering():
        from sfumato.plan import Plan
        from sfumato.plan.exploration import chosen as plan_of
        from sfumato.plan.exploration import explore as explore_plan

        levels = _levels(choose) if choose is not None else None
        target = chosen or plan.with_name(f"{plan.stem}_chosen.toml")
        if levels is None and chosen is not None:
            raise UsageError("--chosen names the plan for --choose, and no levels are given; add --choose age=3,sex=0.")
        if levels is not None:
            if target.resolve().parent != plan.resolve().parent:
                raise UsageError("--chosen names a file in the folder of the plan, because its paths start there.")
            demand_free(target, option="--chosen", inputs=[plan], force=force)
        if out is not None:
            demand_free(out, option="--out", inputs=[plan, *([target] if levels is not None else [])], force=force)
        read = Plan.read(plan)
        with progress_bar():
            space = explore_plan(read, metrics=split_names(metric or ()) or ("ncp",), most=most)
        files = []
        if levels is not None:
            files.append(plan_of(read, space, levels).write(target))
        if out is not None:
            _write(space, out)
            files.append(out)
        answer(form, _plain(space, files), lambda: _text(space, files))


def _levels(text: str) -> dict[str, int]:
    """The levels of `age=3,sex=0`."""
    found = {}
    for part in text.split(","):
        name, equals, level = part.partition("=")
        if not equals or not level.strip().isdigit():
            raise UsageError("--choose takes levels of columns, as age=3,sex=0: a whole number for each column.")
        found[name.strip()] = int(level)
    return found


def _write(space: SolutionSpace, path: Path) -> None:
    import numpy as np

    from sfumato.engines.writing.sinks import sink_for
    from sfumato.runtime.atomic_files import Staging, demand_table_possible

    demand_table_possible(path)
    frame = space.frame()
    with Staging([path]) as staging:
        with sink_for(staging.place(path), frame.schema, ",") as sink:
            for batch in frame.to_batches():
                sink.write(batch, np.zeros(batch.num_rows, dtype=bool))
        staging.commit()


def _plain(space: SolutionSpace, files: list[Path]) -> dict[str, Any]:
    holding = [one for one in space if one.holds]
    return {
        "combinations": space.size,
        "looked_at": space.looked_at,
        "holding": len(holding),
        "best": {name: _solution(space.best(name)) for name in space.metrics} if holding else {},
        "front": [_solution(one) for one in space.front()] if holding else [],
        "files": [str(file) for file in files],
    }


def _solution(one: Solution) -> dict[str, Any]:
    return {
        "levels": dict(one.levels),
        "suppressed": one.suppressed,
        "metrics": dict(one.losses),
        "prosecutor": one.prosecutor,
        "marketer": one.marketer,
    }


def _text(space: SolutionSpace, files: list[Path]) -> str:
    """The best combination of each metric, and those that no other one beats both in risk and in loss."""
    from sfumato.cli.drawing import titled
    from sfumato.report.figures import percent

    space.best()  # raises an error that says what to do if no combination holds
    metric = next(iter(space.metrics))
    front = space.front()
    best = {tuple(space.best(name).levels.items()): name for name in space.metrics}
    shown = [*front[: _SHOWN // 2], *front[max(_SHOWN // 2, len(front) - _SHOWN // 2) :]]
    columns = list(shown[0].levels)
    rows = [
        [
            *(str(level) for level in one.levels.values()),
            f"{one.suppressed:,}",
            percent(one.prosecutor),
            *(f"{one.losses[name]:.4g}" for name in space.metrics),
            f"best {best[tuple(one.levels.items())]}" if tuple(one.levels.items()) in best else "",
        ]
        for one in shown
    ]
    head = [*columns, "suppressed", "highest risk", *space.metrics, ""]
    left = f" ({len(front) - len(shown)} between them are not shown)" if len(front) > len(shown) else ""
    table = titled(f"Combinations that no other one beats both in risk and in {metric}{left}", [head, *rows])
    said = [f"{repr(space)[1:-1].removeprefix('SolutionSpace: ')}.", table, *(f"Written: {file}" for file in files)]
    return "\n\n".join(said)
