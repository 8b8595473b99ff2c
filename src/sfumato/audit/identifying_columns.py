"""Which columns of an original identify persons, for audits that have no plan in which somebody has said it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.data.schema import Role
from sfumato.engines.base import BESIDE, Counted, Engine
from sfumato.plan.proposals.column_roles import finding
from sfumato.plan.proposals.distinguishability import Separation
from sfumato.plan.proposals.proposal import domain_of

_ENOUGH = 10
"""Records from which different values in nearly all of them are no chance."""


def why_identifying(source: Engine, column: str, counted: Counted, missing: Sequence[str]) -> str:
    """Why a column of the original identifies persons, by the rules of `sfumato init`; empty if it does not.

    In a few records all values differ by chance, so there only names and contents of columns count.
    """
    name, records = column.removeprefix(BESIDE), int(counted.counts.sum())
    domain = domain_of(name, counted.raw[column], source.kind(column), missing)
    often = np.bincount(counted.codes[column], weights=counted.counts)
    separation = Separation.of_columns(counted, [column])
    found = finding(name, domain, separation, own=float((often == 1).sum() / max(records, 1)))
    by_chance = found.by == "uniqueness" and records < _ENOUGH
    return found.why if found.role is Role.IDENTIFIER and not by_chance else ""
