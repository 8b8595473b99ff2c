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
from sfumato.plan.proposal import Proposal, ProposedColumn
from sfumato.plan.writing import plan_text

K, L, LIMIT = 5, 2, 0.05

_HEADER = """A plan for publishing {name}. It was proposed from the data: read every line before you use it.

Roles: identifier (names a person; removed, or replaced by a pseudonym if pseudonym = true)
       person     (key of a person who may have several records; models count persons, the key is removed)
       quasi      (others may know it; generalized until records cannot be distinguished)
       sensitive  (others must not learn it about a person; published unchanged)
       target     (what an analysis predicts; published unchanged)
       plain      (published unchanged)
Publish with:  sfumato publish {plan}"""

_MODELS_COMMENT = """The privacy models that the release must satisfy.
Together the quasi columns distinguish {separated:.1%} of all pairs of records, and they have {distinct:.1%} as many
different combinations as there are records.
k_anonymity: every record agrees with at least k - 1 others in all quasi columns."""

_COMMENTS: dict[tuple[str, ...], str] = {
    ("algorithm",): "The algorithm that chooses the release; 'sfumato list algorithms' shows all.",
    ("suppression",): "The share of {unit} that may be suppressed, so that the others need less generalization.",
    ("output",): "The files to write; paths are relative to the folder of this plan.",
    ("run",): "The same plan with the same seed gives the same files; algorithms that form buckets ignore the seed.",
}


def draft(proposal: Proposal, plan: Path) -> str:
    """The text of a commented plan file for a proposal; paths in it are relative to the folder of `plan`."""
    comments = dict(_COMMENTS)
    comments[()] = _HEADER.format(name=proposal.path.name, plan=plan.name)
    unit = "persons" if proposal.named(Role.PERSON) else "records"
    comments["suppression",] = comments["suppression",].format(unit=unit)
    comments["models", "0"] = _MODELS_COMMENT.format(**proposal.together.__dict__)
    for number, column in enumerate(_sensitive_columns(proposal), start=1):
        comment = f"distinct_l_diversity: every group has at least l different values of {column.name}."
        comments["models", str(number)] = comment
    for column in proposal.columns:
        comments["columns", column.name] = f"{column.kind}, {column.distinct} values; {column.why}."
        if column.note:
            comments["columns", column.name] += "\n" + fill(f"It {column.note}", 110)
    return plan_text(plan_tables(proposal, plan), comments)


def plan_tables(proposal: Proposal, plan: Path) -> dict[str, Any]:
    """The sections of the same plan, as dictionaries."""
    diverse = [
        {"name": "distinct_l_diversity", "l": L, "sensitive": column.name} for column in _sensitive_columns(proposal)
    ]
    stem, suffix = output_name(proposal.path) if proposal.database is None else (proposal.path.name, ".csv")
    return {
        "data": {**_source(proposal, plan.parent), "missing": list(proposal.missing)},
        "columns": {column.name: _column(column) for column in proposal.columns},
        "models": [{"name": "k_anonymity", "k": K}, *diverse],
        "algorithm": {"name": "mondrian"},
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
    if column.role is Role.QUASI:
        table["type"] = str(column.kind)
    if column.format:
        table["format"] = column.format
    if column.taxonomy is not None:
        table["taxonomy"] = dict(column.taxonomy)
    return table


def _sensitive_columns(proposal: Proposal) -> list[ProposedColumn]:
    """The sensitive columns with enough values for distinct l-diversity."""
    return [column for column in proposal.named(Role.SENSITIVE) if column.distinct >= L]
