"""`sfumato knowledge mine|show`: background knowledge about the persons of a table, as rules to read and edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.check import parsed_taxonomy
from sfumato.cli.options import FormatOption, MissingOption, reads_files, split_names
from sfumato.cli.outputs import demand_free
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import PlanError, UsageError

if TYPE_CHECKING:
    from sfumato.data.table import Table
    from sfumato.knowledge import Knowledge

knowledge = typer.Typer(help="What an attacker may know before seeing a release.", no_args_is_help=True)


@knowledge.callback()
def _knowledge() -> None:
    """What an attacker may know before seeing a release."""


@knowledge.command()
@reads_files
def mine(
    file: Annotated[
        Path, typer.Argument(help="A CSV or Parquet file, or a plan file whose data and columns are used.")
    ],
    *,
    quasi: Annotated[list[str] | None, typer.Option(help="Columns others may know, as a,b or repeated.")] = None,
    sensitive: Annotated[str, typer.Option(help="The sensitive column of the rules; by default the only one.")] = "",
    taxonomy: Annotated[
        list[str] | None, typer.Option(help="The taxonomy of a column, as job=levels.csv or job=tree.txt.")
    ] = None,
    min_expectation: Annotated[
        float, typer.Option(help="Least probability that the value would occur by chance.")
    ] = 0.9,
    min_confidence: Annotated[float, typer.Option(help="Least confidence of a rule; 1 allows no exceptions.")] = 1.0,
    max_items: Annotated[int, typer.Option(help="Largest number of columns in a rule.")] = 1,
    everything: Annotated[bool, typer.Option("--all", help="Also rules that follow from a more general one.")] = False,
    fuzziness: Annotated[float, typer.Option(help="How far intervals extend beyond their ends, in widths.")] = 0.0,
    membership: Annotated[str, typer.Option(help="Shape of the extended ends: trapezoid or triangle.")] = "trapezoid",
    positive: Annotated[bool, typer.Option("--positive", help="Also positive rules: values likely for some.")] = False,
    min_support: Annotated[float, typer.Option(help="Least support of a positive rule.")] = 0.05,
    min_conviction: Annotated[float, typer.Option(help="Least conviction of a positive rule.")] = 1.1,
    statistics: Annotated[bool, typer.Option("--statistics", help="Also the share of every value.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file of rules to write.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file of rules.")] = False,
    missing: MissingOption = None,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Mine rules, such as values that never occur for some records, those that expose most first, as TOML."""
    with answering():
        from sfumato.knowledge import Miner
        from sfumato.knowledge.exposure import by_exposure

        miner = Miner.build({
            "min_expectation": min_expectation, "min_confidence": min_confidence, "max_items": max_items,
            "most_general": not everything, "fuzziness": fuzziness, "membership": membership, "positive": positive,
            "min_support": min_support, "min_conviction": min_conviction, "statistics": statistics,
        })  # fmt: skip
        if output is not None:
            demand_free(output, option="--output", inputs=[file], force=force)
        with progress_bar():
            if quasi and file.suffix.lower() == ".toml":
                raise UsageError("the quasi columns are those of the plan; leave --quasi out.")
            table = _table(
                file, split_names(quasi) if quasi else None, sensitive, taxonomy or [], missing or [], options
            )
            mined = miner.mine_and_count(table, sensitive)
            found = by_exposure(mined.knowledge, table)
        _output_rules(found, mined.implied, output, form)


@knowledge.command()
@reads_files
def show(
    rules: Annotated[Path, typer.Argument(help="A file of rules.")],
    *,
    data: Annotated[
        Path | None,
        typer.Option(help="A CSV or Parquet file, or a plan file: count its records for each rule."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also rules that follow from a more general one.")] = False,
    missing: MissingOption = None,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """List the rules of a file; with data, also the records that each applies to and the values ruled out."""
    with answering():
        from sfumato.knowledge import Knowledge

        known = Knowledge.read(rules)
        used = dict.fromkeys(item.column for rule in known.rules for item in rule.when)
        if data is None:
            answer(form, known.to_dict(), lambda: _rules_text(known, None, everything=everything))
            return
        with progress_bar():
            counts = _rule_counts(known, _table(data, list(used), known.sensitive, [], missing or [], options))
        answer(form, {**known.to_dict(), "seen": counts}, lambda: _rules_text(known, counts, everything=everything))


def _table(
    file: Path,
    quasi: list[str] | None,
    sensitive: str,
    taxonomies: list[str],
    missing: list[str],
    options: ReadOptions,
) -> Table:
    """The table of a plan file, or of a data file with the given columns."""
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table
    from sfumato.engines.opening import open_file

    if file.suffix.lower() == ".toml":
        if taxonomies or missing or options != ReadOptions():
            raise UsageError(
                "a plan file has its own taxonomies, missing values and options for reading; leave these options out."
            )
        return _table_of_plan(file)
    if quasi is None or not sensitive:
        raise UsageError("a data file needs --quasi a,b and --sensitive c.")
    schema = Schema.of(
        quasi=quasi,
        sensitive=[sensitive],
        taxonomies=dict(parsed_taxonomy(text) for text in taxonomies),
        missing=missing,
    )
    source = open_file(file, options)
    return Table.from_source(source, schema)


def _table_of_plan(file: Path) -> Table:
    from sfumato.data.table import Table
    from sfumato.engines.opening import open_file
    from sfumato.plan import Plan

    plan = Plan.read(file)
    data = plan.sections.data
    if data.gateway is not None:
        raise PlanError("rules are mined from files and databases, and the data of this plan come from a gateway.")
    database = plan.database()
    source = open_file(plan.folder / str(data.path), data.options) if database is None else open_file(database.read())
    return Table.from_source(source, plan.schema())


def _output_rules(found: Knowledge, implied: int, output: Path | None, form: Format) -> None:
    """Print the rules, or write them to a file and print their number; and how many others follow from them."""
    follow = "rule follows" if implied == 1 else "rules follow"
    more = f"{implied:,} more specific {follow} from these; --all has them too."
    counted = {"implied": implied} if implied else {}
    if output is None:
        comment = f"\n\n# {more}" if implied else ""
        rules = found.text().rstrip("\n")
        answer(form, found.to_dict() | counted, lambda: rules + comment, brief=[rules])
        return
    found.write(output)
    counts = {"never": len(found.never), "likely": len(found.likely), "share": len(found.shares)}
    words = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count) or "no rules"
    said = f"Rules about {found.sensitive} in {output}: {words}." + (f" {more}" if implied else "")
    answer(form, {"rules": str(output), **counts, **counted}, lambda: said, brief=[output])


def _rule_counts(known: Knowledge, table: Table) -> dict[str, Any]:
    """For each rule the records that it applies to and those with its value; and how many values are ruled out."""
    import numpy as np

    domain, rules = table.domain(known.sensitive), []
    out = known.ruled_out(table).sum(axis=1)
    for rule in known.rules:
        about, code = known.rows_where(table, rule.when), domain.code_of(rule.value)
        having = about & (table.codes[known.sensitive] == (-1 if code is None else code))
        rules.append({"records": int(table.counts[about].sum()), "having": int(table.counts[having].sum())})
    spread = np.bincount(out, weights=table.counts, minlength=1).astype(int)
    ruled_out = {str(count): records for count, records in enumerate(spread.tolist()) if records}
    return {"records": table.records, "values": len(domain), "rules": rules, "ruled_out": ruled_out}


def _rules_text(known: Knowledge, counts: dict[str, Any] | None, *, everything: bool) -> str:
    """The rules as text, with the numbers of `_rule_counts` if there are any; without those that others imply."""
    from sfumato.knowledge.folding import folded

    head = f"{len(known):,} {'rule' if len(known) == 1 else 'rules'} about {known.sensitive}"
    shown = [(rule, 0) for rule in known.rules]
    if not everything:
        shown = [*folded(known.never, known.likely), *((rule, 0) for rule in known.shares)]
    seen = {} if counts is None else dict(zip(known.rules, counts["rules"], strict=True))
    rows = []
    for rule, more in shown:
        one = seen.get(rule)
        number = "" if one is None else f"{one['records']:,} records, {one['having']:,} with the value"
        rest = f"and {more:,} more specific {'rule' if more == 1 else 'rules'}" if more else ""
        rows.append((str(rule), ", ".join(filter(None, (number, rest)))))
    width = max((len(line) for line, _ in rows), default=0)
    lines = [f"  {line:<{width}}  {said}".rstrip() for line, said in rows]
    if counts is None:
        return "\n".join([f"{head}.", *lines])
    spread = [f"  {count:>4} for {records:,} records" for count, records in counts["ruled_out"].items()]
    title = f"How many of the {counts['values']} values are ruled out"
    return "\n".join([f"{head}, and {counts['records']:,} records.", *lines, title, *spread])
