"""Turns a proposal into the text of a commented plan file. `sfumato init` writes it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import Any

from sfumato.data.schema import Role
from sfumato.engines.databases.database_location import database_file
from sfumato.engines.readable_files import PACKED
from sfumato.engines.writing.sinks import WRITTEN
from sfumato.plan.plan import relative_to
from sfumato.plan.proposals.joint_roles import GROUP, SINGLED_OUT
from sfumato.plan.proposals.missing_codes import question
from sfumato.plan.proposals.proposal import Proposal
from sfumato.plan.proposals.proposed_column import ProposedColumn
from sfumato.plan.writing import plan_text

L, T, LIMIT = 2, 0.2, 0.05

_FEW_VALUES = 3
"""Values of a sensitive column up to which l-diversity promises next to nothing."""
_DOMINATES = 0.5
"""The share of one value from which l-diversity would only force a rare value into every group."""
_MANY_VALUES = 2_000
"""Values of all sensitive columns from which choosing the best of all cuts takes minutes instead of seconds."""
_MOST_SETS = 8
"""How many sets of columns that single out persons are listed."""
_WIDTH = 110

_HEADER = """A plan for publishing {name}. It was proposed from the data: read every line before you use it.

Roles: identifier (names a person; removed, or replaced by a pseudonym if pseudonym = true)
       person     (key of a person who may have several records; models count persons, the key is removed)
       quasi      (others may know it; generalized until records cannot be distinguished)
       sensitive  (others must not learn it about a person; published unchanged)
       target     (what an analysis predicts; published unchanged)
       plain      (published unchanged)
{decide}
Publish with:  sfumato publish {plan}"""

_DECIDE = """
Comments that begin with "decide:" are about what neither names nor values make sure.
"""

_MODELS_COMMENT = """The privacy models that the release must satisfy.
Together the quasi columns distinguish {separated:.1%} of all pairs of records, and they have {distinct:.1%} as many
different combinations as there are records.
{sets}k_anonymity: every record agrees with at least k - 1 others in all quasi columns."""

_SUPPRESSION = """The share of {unit} that may be suppressed, so that the others need less generalization: a few unusual
{unit} would otherwise widen the groups of all."""

_COMMENTS: dict[tuple[str, ...], str] = {
    ("data",): 'A file with columns that this plan does not name is refused (or "publish", "leave out").',
    ("output",): "The files to write; paths are relative to the folder of this plan.",
    ("run",): "The same plan with the same seed gives the same files; algorithms that form buckets ignore the seed.",
}


def draft(proposal: Proposal, plan: Path) -> str:
    """The text of a commented plan file for a proposal; paths in it are relative to the folder of `plan`."""
    comments = dict(_COMMENTS)
    general = proposal.nothing_left or proposal.nothing_sensitive
    decide = _DECIDE if proposal.undecided or proposal.missing_codes or general else ""
    decide += "\n" + fill(f"decide: {general}", _WIDTH) + "\n" if general else ""
    comments[()] = _HEADER.format(name=proposal.path.name, plan=plan.name, decide=decide)
    asked = [f"decide: {question(code, names)}" for code, names in proposal.missing_codes.items()]
    if asked:
        comments["data",] = "\n".join(fill(text, _WIDTH) for text in asked)
    comments["algorithm",] = _algorithm_comment(proposal)
    comments["suppression",] = _SUPPRESSION.format(unit=proposal.unit)
    comments["models", "0"] = _MODELS_COMMENT.format(**proposal.together.__dict__, sets=_sets(proposal))
    for number, column in enumerate(_sensitive_columns(proposal), start=1):
        comments["models", str(number)] = _model_comment(column)
    for column in proposal.columns:
        comments["columns", column.name] = _column_comment(column)
    return plan_text(plan_tables(proposal, plan), comments)


def plan_tables(proposal: Proposal, plan: Path) -> dict[str, Any]:
    """The sections of the same plan, as dictionaries."""
    stem, suffix = output_name(proposal.path) if proposal.database is None else (proposal.path.name, ".csv")
    return {
        "data": {
            **_source(proposal, plan.parent),
            "missing": list(proposal.missing),
            "unnamed_columns": "refuse",
        },
        "columns": {column.name: _column(column) for column in proposal.columns},
        "models": [{"name": "k_anonymity", "k": GROUP}, *map(_model, _sensitive_columns(proposal))],
        "algorithm": {"name": "mondrian", **({"cut": "median"} if _has_many_values(proposal) else {})},
        "suppression": {"limit": LIMIT},
        "output": {
            "path": f"{stem}_release{suffix}",
            "report": f"{stem}_report.html",
            "certificate": f"{stem}_certificate.json",
        },
        "run": {"seed": 0},
    }


def _source(proposal: Proposal, folder: Path) -> dict[str, Any]:
    """The keys of `[data]` that say what is read, and how."""
    database = proposal.database
    if database is None:
        options = {key: value for key, value in asdict(proposal.options).items() if value is not None}
        return {"path": relative_to(proposal.path, folder), **options}
    named, file = database.database.name, database_file(database.database.name)
    if file is not None:
        named = f"{named.partition(':')[0]}:{relative_to(database.database.folder / file, folder)}"
    asked = {"table": database.table} if database.table else {"query": database.query}
    return {"database": named, **asked}


def output_name(path: Path) -> tuple[str, str]:
    """The stem for files that are written, and the suffix of the release: that of the data if it can be written.

    That of a folder is none, so that the release is a folder, too.

    >>> output_name(Path("visits.csv.gz")), output_name(Path("visits.xlsx")), output_name(Path("visits.parquet"))
    (('visits', '.csv'), ('visits', '.csv'), ('visits', '.parquet'))
    """
    if path.is_dir():
        return path.name, ""
    while path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    return path.stem, path.suffix if path.suffix.lower() in WRITTEN else ".csv"


def _column(column: ProposedColumn) -> dict[str, Any]:
    table: dict[str, Any] = {"role": str(column.role)}
    if column.role is Role.QUASI and not column.note:  # a column with a note shall be read in another way
        table["type"] = str(column.kind)
    if column.format:
        table["format"] = column.format
    if column.taxonomy is not None:
        table["taxonomy"] = dict(column.taxonomy)
    return table


def _column_comment(column: ProposedColumn) -> str:
    """Type, reason, note and what is to be decided."""
    parts = [f"{column.kind}, {column.distinct} values; {column.why}."]
    parts += [f"It {column.note}"] if column.note else []
    parts += [f"decide: {column.decide}."] if column.decide else []
    return "\n".join(fill(part, _WIDTH) for part in parts)


def _sets(proposal: Proposal) -> str:
    """The sets of columns that single out persons, one in a line."""
    if not proposal.singling_out:
        return fill(
            f"No set of up to three columns makes {SINGLED_OUT:.0%} or more of the {proposal.unit} unique.", _WIDTH
        ) + ("\n")
    first = proposal.singling_out[:_MOST_SETS]
    lines = [f"  {one.unique:4.0%}  {', '.join(one.columns)}" for one in first]
    more = len(proposal.singling_out) - len(first)
    lines += [f"  and {more} more sets"] if more else []
    return "\n".join([f"Shares of {proposal.unit} that are unique by small sets of columns:", *lines]) + "\n"


def _sensitive_columns(proposal: Proposal) -> list[ProposedColumn]:
    """The sensitive columns of more than one value; a single value is no secret that a model could keep."""
    return [column for column in proposal.named(Role.SENSITIVE) if column.distinct >= L]


def _has_many_values(proposal: Proposal) -> bool:
    return sum(column.distinct for column in _sensitive_columns(proposal)) > _MANY_VALUES


def _algorithm_comment(proposal: Proposal) -> str:
    said = "The algorithm that chooses the release; 'sfumato list algorithms' shows all."
    if _has_many_values(proposal):
        said += (
            " It cuts at medians, because the sensitive columns have many values, with which weighing all cuts takes "
            'long; without cut = "median" it takes longer and generalizes less.'
        )
    return fill(said, _WIDTH)


def _says_little(column: ProposedColumn) -> bool:
    """Whether l-diversity would promise little: there are few values, or one of them dominates."""
    return column.distinct <= _FEW_VALUES or column.frequent > _DOMINATES


def _model(column: ProposedColumn) -> dict[str, Any]:
    if _says_little(column):
        return {"name": "t_closeness", "t": T, "sensitive": column.name}
    return {"name": "distinct_l_diversity", "l": L, "sensitive": column.name}


def _model_comment(column: ProposedColumn) -> str:
    """What the model of a sensitive column promises, and what it does not."""
    if _says_little(column):
        most = min(1.0, column.frequent + T)
        frequent, by = "Its most frequent value makes up", ""
        if column.mostly_missing:
            frequent, by = "It is missing in", "in "
        said = (
            f"t_closeness: no value of {column.name} is more frequent in a group than in all records by more than t. "
            f"{frequent} {column.frequent:.0%} of all records, so {by}up to {most:.0%} of a group, and a rare value "
            f"{by}at most little more than {T:.0%}. "
        )
        if most >= 1:
            said += "That may be all records of a group, because nearly all have it anyway; no model hides that. "
        said += (
            f"distinct_l_diversity is not proposed: with {column.distinct} values, one of them frequent, it would rule "
            "out certainty alone, and 99% would remain possible."
        )
    else:
        said = (
            f"distinct_l_diversity: every group has at least l different values of {column.name}. It rules out "
            f"certainty and no more: of {GROUP} persons, {GROUP - L + 1} may have the same value "
            f"({(GROUP - L + 1) / GROUP:.0%}), and more in larger groups. t_closeness and entropy_l_diversity bound it."
        )
    return fill(said, _WIDTH)
