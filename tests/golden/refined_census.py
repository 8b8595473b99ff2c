"""Top-down refinement on public data: what a plain reference run gives on Adult, CRX and German credit.

All records of a data set are refined together by information gain per anonymity loss, numbers cut and categories shown
one by one. Names are those of the files; the quasi-identifier TopN is the first N columns, in the order in which a
decision tree has them at its root (Fung, Wang and Yu 2007, section 5).
"""

from __future__ import annotations

from typing import NamedTuple

ADULT = (
    "capital-gain", "age", "marital-status", "education-num", "relationship", "hours-per-week", "sex", "education",
    "occupation",
)  # fmt: skip
CRX = ("A9", "A11", "A10", "A8", "A15", "A7", "A14", "A6", "A5")
GERMAN = (
    "credit_amount", "status", "duration_months", "credit_history", "savings", "other_installment_plans", "purpose",
    "other_debtors", "property",
)  # fmt: skip


class Run(NamedTuple):
    """One run: which data and quasi-identifier, k, and what came of it; `top` are the columns never refined."""

    data: str
    columns: tuple[str, ...]
    k: int
    steps: int
    groups: int
    smallest: int
    top: tuple[str, ...]


def _named(columns: tuple[str, ...], *short: int) -> tuple[str, ...]:
    return tuple(columns[place] for place in short)


RUNS = (
    Run("adult", ADULT[:5], 20, 6, 24, 21, _named(ADULT, 1, 4)),
    Run("adult", ADULT[:5], 100, 3, 8, 173, _named(ADULT, 1, 4)),
    Run("adult", ADULT[:5], 500, 5, 12, 687, _named(ADULT, 0, 1)),
    Run("adult", ADULT[:7], 20, 5, 24, 29, _named(ADULT, 1, 4, 6)),
    Run("adult", ADULT[:7], 60, 4, 16, 77, _named(ADULT, 1, 4, 6)),
    Run("adult", ADULT[:7], 100, 3, 8, 173, _named(ADULT, 1, 4, 5, 6)),
    Run("adult", ADULT[:7], 180, 9, 48, 192, _named(ADULT, 0, 4, 5, 6)),
    Run("adult", ADULT[:7], 200, 6, 24, 234, _named(ADULT, 0, 4, 5, 6)),
    Run("adult", ADULT[:7], 500, 4, 12, 695, _named(ADULT, 0, 1, 4, 6)),
    Run("adult", ADULT[:7], 1000, 3, 8, 1822, _named(ADULT, 0, 1, 4, 6)),
    Run("adult", ADULT[:9], 20, 13, 32, 23, _named(ADULT, 1, 4, 5, 6, 8)),
    Run("adult", ADULT[:9], 100, 9, 30, 125, _named(ADULT, 0, 4, 5, 6, 8)),
    Run("adult", ADULT[:9], 500, 6, 20, 639, _named(ADULT, 0, 1, 4, 6, 8)),
    Run("crx", CRX[:5], 20, 4, 4, 64, _named(CRX, 1, 3, 4)),
    Run("crx", CRX[:7], 20, 5, 8, 26, _named(CRX, 1, 3, 4, 6)),
    Run("crx", CRX[:7], 100, 3, 4, 116, _named(CRX, 1, 2, 3, 4, 6)),
    Run("crx", CRX[:7], 300, 2, 2, 304, _named(CRX, 1, 2, 3, 4, 5, 6)),
    Run("german", GERMAN[:7], 20, 4, 12, 29, _named(GERMAN, 0, 4, 5, 6)),
    Run("german", GERMAN[:7], 100, 3, 6, 108, _named(GERMAN, 0, 3, 4, 5, 6)),
    Run("german", GERMAN[:7], 300, 1, 2, 394, _named(GERMAN, 0, 2, 3, 4, 5, 6)),
)
"""Golden C9."""

FIRST_STEPS = {
    ("adult", 7, 60): ["marital-status=Married-civ-spouse", "education-num at 13", "capital-gain at 7262",
                       "hours-per-week at 42"],
    ("adult", 7, 500): ["marital-status=Married-civ-spouse", "education-num at 13", "hours-per-week at 42",
                        "marital-status=Never-married"],
    ("german", 7, 20): ["status=A14", "status=A11", "duration_months at 16"],
}  # fmt: skip
