"""Formats the results of commands as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import shortened
from sfumato.report.figures import counted, figure, percent

if TYPE_CHECKING:
    from sfumato.attacks.base import AttackResult
    from sfumato.attacks.risk import Risk
    from sfumato.audit.audit import Audit
    from sfumato.audit.release_comparison import ReleaseComparison
    from sfumato.data.schema import Schema
    from sfumato.disclosure.linkage import Linkage
    from sfumato.disclosure.paired_labels import PairedLabels
    from sfumato.knowledge.item import Item
    from sfumato.plan import Outcome
    from sfumato.plan.proposals.proposal import Proposal
    from sfumato.releases.verdict import Verdict
    from sfumato.report.cost import Cost
    from sfumato.settings.catalogue import Entry
    from sfumato.settings.params import Setting

_SCALE = "0% as the original, 100% as all records in one group"
_COSTS = ("ncp", "squared_error", "average_group_size", "discernibility", "suppressed_share")
_MOST_SETS = 5
_MOST_NAMES = 6


def outcome_text(outcome: Outcome, *, raw: bool = False) -> str:
    """The outcome of a plan: verdicts, costs, risks, warnings and the written files; with `raw`, sums of costs, too."""
    audit = outcome.certificate.audit
    total = audit.records + audit.suppressed + audit.waived
    groups = counted(audit.groups, "buckets" if audit.linkage.cut else "groups")
    least = f"{audit.smallest:,}" if audit.persons is None else counted(audit.smallest, "persons")
    head = f"Published {audit.records + audit.waived:,} of {total:,} records in {groups} of at least {least}."
    if audit.persons is not None:
        head += f" They are about {audit.persons:,} persons; groups, models and risks count persons."
    if audit.waived:
        head += f" {audit.waived:,} of them are in no group: these persons waive protection."
    certificate = outcome.certificate
    costs = [cost for cost in certificate.costs if certificate.plan.get("metrics") or cost.name in _COSTS]
    return "\n\n".join(
        [
            head,
            *_left_out(outcome.release.original.schema),
            *([_blocks(audit.linkage)] if audit.linkage.cut else []),
            *(f"Warning: {warning}" for warning in outcome.release.provenance["warnings"]),
            titled("Privacy models, checked on the written file", _verdicts(outcome.verdicts)),
            *_confidences(audit),
            _costs(costs, raw=raw),
            titled(_risk_title(audit), _risk(audit.risk, audit.unit)),
            *([attacks_text(certificate.attacks)] if certificate.attacks else []),
            *_tables(outcome),
            *([titled("Files", [[name, str(path)] for name, path in outcome.files.items()])] if outcome.files else []),
            "Seconds: " + ", ".join(f"{name} {value:.2f}" for name, value in outcome.seconds.items()),
        ]
    )


def _tables(outcome: Outcome) -> list[str]:
    """The tables that were written, and their database; a connection is not shown."""
    from sfumato.engines.databases.database_location import database_file

    if not outcome.tables:
        return []
    database = outcome.certificate.plan["output"]["database"]
    named = database if database_file(database) else database.partition(":")[0]
    return [titled(f"Tables of {named}", [[name, table] for name, table in outcome.tables.items()])]


def _costs(costs: Sequence[Cost], *, raw: bool, title: str = "What it cost") -> str:
    """The results of metrics, with a line that explains their scale if one of them has it."""
    rows = [
        [cost.described, cost.shown(raw=raw), f"{cost.better} is better", cost.reading, cost.meaning] for cost in costs
    ]
    aid = "" if all(cost.share is None for cost in costs) else f" ({_SCALE})"
    return titled(title + aid, rows)


def _confidences(audit: Audit) -> list[str]:
    """How sure somebody may be of a sensitive value who finds the group of a person."""
    rows = [[column, percent(found.confidence)] for column, found in audit.diversity.items()]
    return [titled("Highest confidence in a sensitive value", rows)] if rows else []


def _left_out(schema: Schema) -> list[str]:
    """Which columns are not published, by their roles in the plan."""
    from sfumato.plan.proposals.column_series import shortened_series

    found = [name for name in schema.identifiers if not schema.column(name).pseudonym]
    return [f"Left out, as the plan says: {', '.join(shortened_series(found))}."] if found else []


def audit_text(audit: Audit, warnings: Sequence[str]) -> str:
    """The results of an audit, its warnings, and the verdicts of the models by which it was judged."""
    more = ((audit.suppressed, "is suppressed", "are suppressed"), (audit.waived, "waives", "waive"))
    excluded = " and ".join(f"{count:,} more {one if count == 1 else many}" for count, one, many in more if count)
    excluded += " protection" if audit.waived else ""
    left_out = f" ({excluded})" if excluded else ""
    about = "" if audit.persons is None else f" about {counted(audit.persons, 'persons')}, who are counted,"
    bucketized = audit.linkage.cut
    kind, least = ("buckets", f" of at least {audit.smallest:,}") if bucketized else ("groups", f": k = {audit.k:,}")
    parts = [
        f"{counted(audit.records, 'records')}{left_out}{about} in {counted(audit.groups, kind)}{least}",
        *(f"Warning: {warning}" for warning in warnings),
        *([titled("Privacy models", _verdicts(audit.verdicts))] if audit.verdicts else []),
        *(
            titled(f"Reasons why {verdict.described} fails", [[reason] for reason in verdict.reasons])
            for verdict in audit.verdicts
            if verdict.reasons
        ),
    ]
    for column, found in audit.diversity.items():
        c = "no c" if found.recursive is None else f"every c > {figure(found.recursive)}"
        rows = [
            ["distinct l-diversity", f"l = {found.distinct}"],
            ["entropy l-diversity", f"l = {figure(found.entropy)}"],
            ["recursive (c, 2)-diversity", c],
            ["highest confidence in a value", percent(found.confidence)],
            *([f"t-closeness, {name} distance", f"t = {figure(t)}"] for name, t in found.closeness.items()),
        ]
        parts.append(titled(f"Sensitive column {column}", rows))
    worst = [
        [counted(row["groups"], kind), f"of {counted(row[audit.unit], audit.unit)}"]
        for row in audit.to_dict()["worst_groups"]
    ]
    return "\n\n".join(
        [*parts, titled(f"Smallest {kind}", worst), titled(_risk_title(audit), _risk(audit.risk, audit.unit))]
    )


def attacks_text(results: Sequence[AttackResult]) -> str:
    """The success rate of each attack, and the rates without it."""
    rows = []
    for result in results:
        low, high = result.interval
        found = f"{percent(result.rate)} of {result.people:,} records ({percent(low)} to {percent(high)})"
        control = "" if result.control is None else f", without the release {percent(result.control)}"
        without = f"baseline {percent(result.baseline)}{control}"
        rows.append([result.described, f"learns {result.learns}", found, without])
    return titled("Attacks", rows)


def comparison_text(found: ReleaseComparison, *, raw: bool = False) -> str:
    """What became of every column, the information loss of masked numbers, and the success rates of attacks."""
    pair = found.numbers
    gone = f" ({found.suppressed:,} of them suppressed in every column)" if found.suppressed else ""
    parts = [*(f"Warning: {warning}" for warning in found.warnings), f"{found.rows:,} records{gone}"]
    if found.left_out:
        parts.append(titled("Columns left out", [[name, why] for name, why in found.left_out.items()]))
    if found.labels:
        parts.append(titled("Columns published under labels", [_of_labels(column) for column in found.labels]))
    if any(column.unclear for column in found.labels):
        parts.append(
            "Unclear: labels that no rule reads. Give the taxonomy by --taxonomy COLUMN=FILE if they are its nodes."
        )
    if pair.columns:
        columns = "columns" if len(pair.columns) > 1 else "column"
        incomplete = f" ({pair.incomplete:,} more miss a number and are left out)" if pair.incomplete else ""
        head = f"{pair.people:,} records{incomplete}, {columns} {', '.join(pair.columns)}"
        parts += [_costs(found.costs, raw=raw, title=f"What it cost as numbers, {head}"), attacks_text(found.attacks)]
    return "\n\n".join(parts)


def _of_labels(column: PairedLabels) -> list[str]:
    """The shares of cells of one column, its loss, and how many labels are false or unclear."""
    shares = {
        "unchanged": column.unchanged,
        "generalized": column.generalized,
        "suppressed": column.suppressed,
    }
    odd = {"not true of their record": column.false, "unclear": column.unclear}
    return [
        column.column,
        *(f"{name} {percent(count / column.cells)}" for name, count in shares.items()),
        "loss unknown" if column.loss is None else f"loss {percent(column.loss)}",
        ", ".join(f"{count:,} {name}" for name, count in odd.items() if count),
    ]


def estimate_text(found: Mapping[str, Any], where: Sequence[Item]) -> str:
    """A query and its answer: certain bounds, an interval if there is one, the expected value, and what they assume."""
    query = f"{found['asked'].capitalize()} of {found['column']}" if found["column"] else "Records"
    whose = ", ".join(map(str, where)) or "everybody"
    rows = [["certain", _range(found["certain"])]]
    if found["certain"]["low"] < found["certain"]["high"]:
        interval = found["interval"]
        rows += [[f"{percent(interval['level'])}, if random buckets", _range(interval)]] if interval else []
        rows += [["expected, if independent", figure(found["value"])]]
    suppressed = found["suppressed"]
    are = "is" if suppressed == 1 else "are"
    left_out = f" ({suppressed:,} more {are} suppressed and not counted)" if suppressed else ""
    over = f"Over {found['records']:,} records{left_out}."
    return "\n\n".join([titled(f"{query}: {whose}", rows), *_assumptions(found), over])


def _range(ends: Mapping[str, float]) -> str:
    return f"{figure(ends['low'])} to {figure(ends['high'])}"


def _assumptions(found: Mapping[str, Any]) -> list[str]:
    """What the numbers of an estimate need to be true, in one sentence each."""
    if found["certain"]["low"] >= found["certain"]["high"]:
        return []
    said = ["The certain bounds assume nothing: the true value lies between them."]
    if found["interval"]:
        said.append(f"The {percent(found['interval']['level'])} interval assumes that {found['interval']['assumes']}.")
    else:
        said.append("Nothing shorter is known to hold; --random-buckets is for buckets that were drawn at random.")
    said.append(f"The expected value assumes that, {found['value_assumes']}; real data seldom are.")
    return ["\n".join(said)]


def proposal_text(proposal: Proposal, plan: Path) -> str:
    """The proposed roles with reasons, what is to be decided, and the next step; series of columns in one line."""
    from sfumato.plan.proposals.column_series import series_name, series_of

    rows = [
        [series_name(columns), str(columns[0].role), str(columns[0].kind), columns[0].why]
        for columns in series_of(proposal.columns)
    ]
    together = proposal.together
    separation = (
        f"Together the quasi columns distinguish {percent(together.separated)} of all pairs of records "
        f"(in a sample of {proposal.sampled:,} records)."
    )
    markers = ", ".join(repr(marker) for marker in proposal.missing)
    missing = [f"Taken as missing, in all columns: {markers}. Correct `missing` in the plan if one of them is a value."]
    return "\n\n".join(
        [
            titled("Proposed roles", rows),
            *(missing if markers else []),
            separation,
            *_singling_out(proposal),
            *_decisions(proposal),
            f"Wrote {plan}. Read and correct it, then: sfumato publish {plan}",
        ]
    )


def _singling_out(proposal: Proposal) -> list[str]:
    """The small sets of columns that make most persons unique."""
    rows = [[percent(one.unique), ", ".join(one.columns)] for one in proposal.singling_out[:_MOST_SETS]]
    return [titled(f"Unique {proposal.unit}, by small sets of columns", rows)] if rows else []


def _decisions(proposal: Proposal) -> list[str]:
    """What somebody who knows the data must decide; the same decision about several columns in one line."""
    from sfumato.plan.proposals.missing_codes import question

    columns: dict[tuple[str, str], list[str]] = {}
    for one in proposal.undecided:
        columns.setdefault((str(one.role), one.decide), []).append(one.name)
    rows = [[_first_of(names), f"{role}: {decide}"] for (role, decide), names in columns.items()]
    asked = proposal.nothing_left or proposal.nothing_sensitive
    general = [f"Decide: {asked}"] if asked else []
    general += [f"Decide: {question(code, names)}" for code, names in proposal.missing_codes.items()]
    return [*general, *([titled("Decide", rows)] if rows else [])]


def _first_of(names: Sequence[str]) -> str:
    """Some names, a series of them as one, and how many more there are."""
    from sfumato.plan.proposals.column_series import shortened_series

    return shortened(shortened_series(names), _MOST_NAMES)


def listing_text(found: Mapping[str, Iterable[Entry]]) -> str:
    """The names and summaries of catalogue entries, by kind and family."""
    return "\n\n".join(_families(kind, list(entries)) for kind, entries in found.items())


def _families(kind: str, entries: Sequence[Entry]) -> str:
    families = sorted({entry.thing.family for entry in entries})
    parts = [
        titled(
            f"{kind}: {family}" if family else kind,
            [[entry.name, entry.thing.summary()] for entry in entries if entry.thing.family == family],
        )
        for family in families
    ]
    return "\n\n".join(parts)


def entry_text(entry: Entry) -> str:
    """The docstring and the settings of one catalogue entry."""
    rows = [[item.name, item.allowed, item.doc + _default_text(item)] for item in entry.thing.settings()]
    return "\n\n".join([f"{entry.name} ({entry.kind})", entry.doc, titled("Settings", rows)])


def _default_text(item: Setting) -> str:
    if item.required:
        return ""
    return " (optional)" if item.default is None else f" (default: {item.default})"


def _verdicts(verdicts: Iterable[Verdict]) -> list[list[str]]:
    rows = []
    for verdict in verdicts:
        sign = ">=" if verdict.better == "higher" else "<="
        where = counted(verdict.failing_groups, "groups"), counted(verdict.failing_records, verdict.unit)
        failing = f"fails in {', '.join(where)}"
        required = f"required {sign} {figure(verdict.required)}"
        rows.append(
            [verdict.described, required, f"found {figure(verdict.level)}", "holds" if verdict.holds else failing]
        )
    return rows


def _blocks(linkage: Linkage) -> str:
    """The structure of a bucketized release, which `sfumato check` needs as options."""
    blocks = " | ".join(", ".join(block) for block in linkage.blocks)
    return f"Column {linkage.bucket_column!r} names the bucket. Within a bucket these columns stay together: {blocks}."


def _risk_title(audit: Audit) -> str:
    """The title of the risks; where links are cut, models of sensitive columns do not limit them."""
    title = "Re-identification risk"
    return f"{title}, by values that are not generalized" if audit.linkage.cut else title


def _risk(risk: Risk, unit: str) -> list[list[str]]:
    rows = []
    for name, found in (("prosecutor", risk.prosecutor), ("journalist", risk.journalist)):
        above = f"{percent(found.share_above)} of {unit} above {percent(risk.threshold)}"
        rows.append([name, f"at worst {percent(found.highest)}", f"on average {percent(found.average)}", above])
    return [*rows, ["marketer", "", f"on average {percent(risk.marketer)}", ""]]


def titled(title: str, rows: Sequence[Sequence[str]]) -> str:
    """A title above aligned rows; the last cell of a row has no limit."""
    most = max(map(len, rows), default=0)
    width = [max((len(row[place]) for row in rows if place < len(row) - 1), default=0) for place in range(most)]
    lines = ["  ".join(cell.ljust(width[place]) for place, cell in enumerate(row)).rstrip() for row in rows]
    return "\n".join([title, *(f"  {line}" for line in lines or ["none"])])
