"""`sfumato knowledge mine|show`: what somebody could know about the people of a table, as rules to read and edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.check import parsed_taxonomy
from sfumato.cli.options import EncodingOption, FormatOption, MissingOption, SeparatorOption, split_names

if TYPE_CHECKING:
    from sfumato.data.table import Table
    from sfumato.knowledge import Knowledge

knowledge = typer.Typer(help="What somebody could know about people before seeing a release.", no_args_is_help=True)


@knowledge.callback()
def _knowledge() -> None:
    """What somebody could know about people before seeing a release."""


@knowledge.command()
def mine(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file, or a plan whose data and columns are used.")],
    *,
    quasi: Annotated[list[str] | None, typer.Option(help="Columns others may know, as a,b or repeated.")] = None,
    sensitive: Annotated[str, typer.Option(help="The column the rules are about; the only one, if not said.")] = "",
    taxonomy: Annotated[
        list[str] | None, typer.Option(help="How a column's values grow vaguer, as job=levels.csv or =tree.txt.")
    ] = None,
    min_expectation: Annotated[float, typer.Option(help="How surprising the absence of a value must be.")] = 0.9,
    min_confidence: Annotated[float, typer.Option(help="How few exceptions a rule may have; 1 allows none.")] = 1.0,
    max_items: Annotated[int, typer.Option(help="The most columns a rule may speak of.")] = 1,
    everything: Annotated[bool, typer.Option("--all", help="Also rules that follow from a more general one.")] = False,
    fuzziness: Annotated[float, typer.Option(help="How far intervals reach beyond their ends, in widths.")] = 0.0,
    membership: Annotated[str, typer.Option(help="How they reach beyond: trapezoid or triangle.")] = "trapezoid",
    positive: Annotated[bool, typer.Option("--positive", help="Also what is likelier of some than of others.")] = False,
    min_support: Annotated[float, typer.Option(help="Least share of records for a positive rule.")] = 0.05,
    min_conviction: Annotated[float, typer.Option(help="Least conviction of a positive rule.")] = 1.1,
    statistics: Annotated[bool, typer.Option("--statistics", help="Also the share of every value.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file of rules to write.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file of rules that is there.")] = False,
    missing: MissingOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Find what is never true of some people although it should be, and print it or write it as TOML."""
    with answering():
        from sfumato.errors import UsageError
        from sfumato.knowledge import Miner

        miner = Miner.build({
            "min_expectation": min_expectation, "min_confidence": min_confidence, "max_items": max_items,
            "most_general": not everything, "fuzziness": fuzziness, "membership": membership, "positive": positive,
            "min_support": min_support, "min_conviction": min_conviction, "statistics": statistics,
        })  # fmt: skip
        if output is not None and output.exists() and not force:
            raise UsageError(f"the file {output.name!r} exists; choose another name with --output, or say --force.")
        given = {"missing": missing, "separator": separator, "encoding": encoding}
        with progress_bar():
            if quasi and file.suffix.lower() == ".toml":
                raise UsageError("a plan names its quasi columns itself; leave --quasi out.")
            table = _table(file, split_names(quasi) if quasi else None, sensitive, taxonomy or [], given)
            found = miner.mine(table, sensitive)
        _told(found, output, form)


@knowledge.command()
def show(
    rules: Annotated[Path, typer.Argument(help="A file of rules.")],
    *,
    data: Annotated[
        Path | None, typer.Option(help="A CSV or Parquet file, or a plan, to say how many records each rule is about.")
    ] = None,
    missing: MissingOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """List the rules of a file; with data, also how many records they are true of and what they rule out."""
    with answering():
        from sfumato.knowledge import Knowledge

        known = Knowledge.read(rules)
        used = dict.fromkeys(item.column for rule in _all(known) for item in rule.when)
        given = {"missing": missing, "separator": separator, "encoding": encoding}
        if data is None:
            answer(form, known.to_dict(), lambda: _listing(known, None))
            return
        with progress_bar():
            seen = _seen(known, _table(data, list(used), known.sensitive, [], given))
        answer(form, {**known.to_dict(), "seen": seen}, lambda: _listing(known, seen))


def _table(file: Path, quasi: list[str] | None, sensitive: str, taxonomies: list[str], given: dict[str, Any]) -> Table:
    """The table of a plan, or of a file with the columns that were named."""
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table
    from sfumato.engines.opening import open_file
    from sfumato.errors import UsageError

    if file.suffix.lower() == ".toml":
        if taxonomies or any(given.values()):
            raise UsageError("a plan says itself how its data are read and its values grow vaguer; leave that out.")
        return _planned(file)
    if quasi is None or not sensitive:
        raise UsageError("a data file needs --quasi a,b and --sensitive c; a plan file names its columns itself.")
    schema = Schema.of(
        quasi=quasi,
        sensitive=[sensitive],
        taxonomies=dict(parsed_taxonomy(text) for text in taxonomies),
        missing=given["missing"] or (),
    )
    source = open_file(file, separator=given["separator"], encoding=given["encoding"])
    return Table.from_source(source, schema)


def _planned(file: Path) -> Table:
    from sfumato.data.table import Table
    from sfumato.engines.opening import open_file
    from sfumato.errors import PlanError
    from sfumato.plan import Plan

    plan = Plan.read(file)
    data = plan.sections.data
    if data.path is None:
        raise PlanError("rules are mined from files; this plan asks a gateway.")
    source = open_file(plan.folder / data.path, separator=data.separator, encoding=data.encoding)
    return Table.from_source(source, plan.schema())


def _told(found: Knowledge, output: Path | None, form: Format) -> None:
    """The rules themselves, or where they are now."""
    if output is None:
        answer(form, found.to_dict(), lambda: found.text().rstrip("\n"))
        return
    found.write(output)
    counts = {"never": len(found.never), "likely": len(found.likely), "share": len(found.shares)}
    words = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count) or "no rules"
    answer(form, {"rules": str(output), **counts}, lambda: f"Rules about {found.sensitive} in {output}: {words}.")


def _all(known: Knowledge) -> list[Any]:
    return [*known.never, *known.likely, *known.shares]


def _seen(known: Knowledge, table: Table) -> dict[str, Any]:
    """How many records each rule is about and has the value, and how many values are ruled out for how many."""
    import numpy as np

    domain, rules = table.domain(known.sensitive), []
    out = known.ruled_out(table).sum(axis=1)
    for rule in _all(known):
        about, code = known.rows_where(table, rule.when), domain.code_of(rule.value)
        having = about & (table.codes[known.sensitive] == (-1 if code is None else code))
        rules.append({"records": int(table.counts[about].sum()), "having": int(table.counts[having].sum())})
    spread = np.bincount(out, weights=table.counts, minlength=1).astype(int)
    ruled_out = {str(count): records for count, records in enumerate(spread.tolist()) if records}
    return {"records": table.records, "values": len(domain), "rules": rules, "ruled_out": ruled_out}


def _listing(known: Knowledge, seen: dict[str, Any] | None) -> str:
    head = f"{len(known):,} {'rule' if len(known) == 1 else 'rules'} about {known.sensitive}"
    lines = [str(rule) for rule in _all(known)]
    if seen is None:
        return "\n".join([f"{head}.", *(f"  {line}" for line in lines)])
    width = max(map(len, lines), default=0)
    numbers = [f"{one['records']:,} records, {one['having']:,} with the value" for one in seen["rules"]]
    spread = [f"  {count:>4} for {records:,} records" for count, records in seen["ruled_out"].items()]
    return "\n".join(
        [
            f"{head}, and {seen['records']:,} records.",
            *(f"  {line:<{width}}  {number}" for line, number in zip(lines, numbers, strict=True)),
            f"How many of the {seen['values']} values are ruled out",
            *spread,
        ]
    )
