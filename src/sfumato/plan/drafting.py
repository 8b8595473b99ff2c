"""A proposal written down as a plan that a newcomer can read, correct and run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sfumato.data.schema import Role
from sfumato.plan.proposal import Proposal, ProposedColumn
from sfumato.plan.writing import plan_text

K, L, LIMIT = 5, 2, 0.05

_TOP = """A plan for publishing {name}. It was proposed from the data: read every line before you use it.

Roles: identifier (names a person; left out of the release, or replaced when pseudonym = true)
       person     (the key of a person who may have several records; persons are counted, the key is left out)
       quasi      (others may know it; made vaguer until people cannot be told apart)
       sensitive  (must not be learned about a person; published as it is)
       target     (what an analysis wants to predict; published as it is)
       plain      (published as it is)
Publish with:  sfumato publish {plan}"""

_TOGETHER = """The models say what the release must satisfy.
Together the quasi columns tell {separated:.1%} of all pairs of records apart, and there are {distinct:.1%} as many
different combinations of them as records.
k_anonymity: every record looks like at least k - 1 others in its quasi columns."""

_COMMENTS: dict[tuple[str, ...], str] = {
    ("algorithm",): "How to choose what to publish; 'sfumato list algorithms' shows the others.",
    ("suppression",): "The share of records that may be left out where making them vaguer would cost too much.",
    ("output",): "The files to write, seen from the folder of this plan.",
    ("run",): "The same plan with the same seed gives the same bytes; buckets draw fresh chance.",
}


def draft(proposal: Proposal, plan: Path) -> str:
    """The text of a commented plan file that will lie at `plan`."""
    comments = dict(_COMMENTS)
    comments[()] = _TOP.format(name=proposal.path.name, plan=plan.name)
    comments["models", "0"] = _TOGETHER.format(**proposal.together.__dict__)
    for number, column in enumerate(_protected(proposal), start=1):
        what = f"distinct_l_diversity: every group shows at least l different values of {column.name}."
        comments["models", str(number)] = what
    for column in proposal.columns:
        comments["columns", column.name] = f"{column.kind}, {column.distinct} values; {column.why}."
    return plan_text(tables(proposal, plan), comments)


def tables(proposal: Proposal, plan: Path) -> dict[str, Any]:
    """The same as plain tables."""
    dialect = {"separator": proposal.separator, "encoding": proposal.encoding}
    said = {key: value for key, value in dialect.items() if value is not None}
    diverse = [{"name": "distinct_l_diversity", "l": L, "sensitive": column.name} for column in _protected(proposal)]
    stem = proposal.path.stem
    return {
        "data": {"path": _relative(proposal.path, plan), **said, "missing": list(proposal.missing)},
        "columns": {column.name: _column(column) for column in proposal.columns},
        "models": [{"name": "k_anonymity", "k": K}, *diverse],
        "algorithm": {"name": "mondrian"},
        "suppression": {"limit": LIMIT},
        "output": {
            "path": f"{stem}_release{proposal.path.suffix}",
            "report": f"{stem}_report.html",
            "certificate": f"{stem}_certificate.json",
        },
        "run": {"seed": 0},
    }


def _column(column: ProposedColumn) -> dict[str, Any]:
    table: dict[str, Any] = {"role": str(column.role)}
    if column.role is Role.QUASI:
        table["type"] = str(column.kind)
    if column.taxonomy is not None:
        table["taxonomy"] = dict(column.taxonomy)
    return table


def _protected(proposal: Proposal) -> list[ProposedColumn]:
    return [column for column in proposal.named(Role.SENSITIVE) if column.distinct >= L]


def _relative(path: Path, plan: Path) -> str:
    """The data as seen from the plan's folder; a whole path where there is no way from one to the other."""
    try:
        return Path(os.path.relpath(path, plan.parent)).as_posix()
    except ValueError:
        return path.absolute().as_posix()
