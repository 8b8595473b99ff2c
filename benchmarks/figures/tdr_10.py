"""Figure 10: top-down refinement against a genetic search for the loss metric (LM) or the classification metric (CM).

Only the eight columns of the quasi-identifier and the class are kept of Adult's training file. Each of ten folds is
masked by its training records, and the test records are masked by what was decided on those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.figures.data_sets import ADULT, adult
from benchmarks.figures.figure import Claim, Figure
from benchmarks.figures.masked_errors import Errors
from benchmarks.measure import timed
from sfumato.algorithms import Genetic, TopDownRefinement
from sfumato.datasets.adult_trees import adult_trees
from sfumato.models import KAnonymity
from sfumato.schema import Schema
from sfumato.table import Table
from sfumato.workloads import Classification, Split

QUASI = tuple(ADULT[short] for short in ("Ag", "W", "E", "M", "O", "Ra", "S", "N"))
KS = (10, 25, 50, 75, 100, 150, 200, 500)
SOME = (10, 50, 100, 200, 500)
FURTHER = (600, 700, 800, 900, 1000)
EVALUATIONS, STALL = 6_000, 2_000


def figure() -> Figure:
    """AE by ten-fold cross-validation; the genetic search may suppress records, which its metrics charge for."""
    frame = adult().frame.slice(0, adult().first).select([*QUASI, adult().target])
    split, lm, cm = Split.into_folds(frame.num_rows), _searched("lm"), _searched("cm")
    raw = Classification()
    baseline, upper = (100 * raw.error(frame, adult().target, split, without=gone) for gone in ((), QUASI))
    lines = {
        "BE": [(k, baseline) for k in (*KS, *FURTHER)],
        "UE": [(k, upper) for k in (*KS, *FURTHER)],
        "TDR": errors(frame, split, TopDownRefinement(), (*KS, *FURTHER)),
        "LM": errors(frame, split, lm, KS, suppression=1.0),
        "CM": errors(frame, split, cm, KS, suppression=1.0),
        "LM, nothing suppressed": errors(frame, split, lm, SOME),
        "CM, nothing suppressed": errors(frame, split, cm, SOME),
    }
    claims = [*_claims(lines), _times(frame)]
    notes = (
        f"The genetic search looks at no more than {EVALUATIONS:,} recodings a fold. Suppressed records are not "
        "trained on; a suppressed test record is predicted from nothing. Trees are not those of the paper."
    )
    return Figure("tdr_10", "Adult, eight columns: refinement and genetic search, C4.5 in ten folds", "k", "error, %",
                  lines, claims, notes, spacing="even")  # fmt: skip


def errors(frame: Any, split: Split, algorithm: Any, ks: Sequence[int], *, suppression: float = 0.0) -> Errors:
    """AE in percent for every k."""
    found = Classification(masking="train")
    return [
        (k, 100 * found.measure(frame, _schema(), algorithm, KAnonymity(k=k), split, suppression=suppression).masked)
        for k in ks
    ]


def _schema() -> Schema:
    """Age has no taxonomy: it is cut into intervals."""
    trees = {name: tree for name, tree in adult_trees().items() if name in QUASI}
    return Schema.of(quasi=list(QUASI), target=[adult().target], taxonomies=trees)


def _searched(objective: Any) -> Genetic:
    """Longer runs gain next to nothing: 30,000 recodings bring either metric down by less than half a percent."""
    return Genetic(objective=objective, evaluations=EVALUATIONS, stall=STALL)


def _claims(lines: dict[str, Errors]) -> list[Claim]:
    tdr = dict(lines["TDR"])
    lm = {k: error - tdr[k] for k, error in lines["LM"]}
    plain = {k: error - tdr[k] for k, error in lines["LM, nothing suppressed"]}
    cm = {k: error - tdr[k] for k, error in lines["CM"]}
    ahead = sum(cm.values()) / len(cm)
    return [
        Claim("TDR has a lower error than LM, clearly so for k >= 100",
              f"{_told(lm)}; nothing suppressed: {_told(plain)}",
              all(more > 0 for found in (lm, plain) for k, more in found.items() if k >= 100)),
        Claim("TDR is slightly better than CM", f"{_told(cm)}; {ahead:+.2f} on average", ahead > 0),
        Claim("TDR goes on performing well from k = 500 to 1000",
              f"{tdr[500]:.2f} % at 500, {tdr[1000]:.2f} % at 1000", tdr[1000] < tdr[500] + 1),
    ]  # fmt: skip


def _told(more: dict[float, float]) -> str:
    return "points more " + ", ".join(f"{points:+.2f} (k = {k:.0f})" for k, points in more.items())


def _times(frame: Any) -> Claim:
    """Once over all records, from a frame to a masked frame, at k = 100, with compiled kernels."""
    seconds = []
    for algorithm in (TopDownRefinement(), Genetic()):
        algorithm.prepare()
        with timed() as lap:
            algorithm.anonymize(Table.from_frame(frame, _schema()), KAnonymity(k=100), suppression=1.0).frame()
        seconds.append(lap.wall)
    told = f"{seconds[0]:.2f} s and {seconds[1]:.1f} s, in memory ({Genetic().evaluations:,} recodings looked at)"
    return Claim("TDR took 7 s with reading and writing, the genetic algorithm 18 hours", told, seconds[0] < seconds[1])
