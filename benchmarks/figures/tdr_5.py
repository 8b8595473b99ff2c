"""Figure 5: Adult, numbers discretized and categories suppressed, C4.5 on Top5, Top7 and Top9."""

from __future__ import annotations

from benchmarks.figures.data_sets import adult
from benchmarks.figures.figure import Claim, Figure
from benchmarks.figures.masked_errors import GRID, Errors, MaskedErrors, near, worst
from sfumato.evaluation.learners import C45, GradientBoosting, NaiveBayes
from sfumato.evaluation.workloads import Split

SOME = (20, 60, 100, 180, 200, 500, 1000)
LEARNERS = {"C4.5": C45(), "naive Bayes": NaiveBayes(), "gradient boosting": GradientBoosting()}


def figures() -> list[Figure]:
    """The paper's, the same for Top7 by other protocols, and by other learners."""
    return [_printed(), _protocols(), _learners()]


def _printed() -> Figure:
    data = adult()
    tops = {n: MaskedErrors(data, data.top[:n]) for n in (5, 7, 9)}
    middle = tops[7]
    lines = {"BE": middle.flat(middle.baseline, GRID)}
    lines |= {f"UE Top{n}": each.flat(each.upper, GRID) for n, each in tops.items()}
    lines |= {f"AE Top{n}": each.masked(GRID) for n, each in tops.items()}
    lines["AE Top7, masked by training records"] = MaskedErrors(data, data.top[:7], masking="train").masked(GRID)
    return Figure(
        "tdr_5", "Suppress and discretize TopN in Adult, C4.5", "k", "error, %", lines,
        [
            near("BE is 14.7 %", 14.7, middle.baseline, 0.3),
            near("UE of Top7 is 21.5 %", 21.5, middle.upper, 0.5),
            *_claims(dict(lines["AE Top7"]), middle.baseline, middle.upper),
        ],
        spacing="even",
    )  # fmt: skip


def _claims(errors: dict[float, float], baseline: float, upper: float) -> list[Claim]:
    at, cost = worst(list(errors.items()), baseline)
    highest, before, after = max(errors.values()), errors[180], errors[200]
    return [
        Claim("AE - BE of Top7 is below 2.5 points for 20 <= k <= 1000",
              f"at most {cost:.2f}, at k = {at:.0f} (tolerance 0.1)", cost <= 2.6),
        Claim("AE of Top7 is much lower than UE", f"at most {highest:.2f} %, UE {upper:.2f} %", highest < upper - 2),
        Claim("AE of Top7 drops slightly from k = 180 to 200", f"{before:.2f} % to {after:.2f} %", after < before),
    ]  # fmt: skip


def _protocols() -> Figure:
    """What masking costs Top7, by who takes part in the masking and how often it is tested."""
    data = adult()
    top, total = data.top[:7], data.frame.num_rows
    asked = {
        "masked together, files as given": MaskedErrors(data, top),
        "masked together, 2/3 at random": MaskedErrors(data, top, split=Split.at_random(total)),
        "masked by training records, files as given": MaskedErrors(data, top, masking="train"),
        "masked by training records, 10 folds": MaskedErrors(data, top, masking="train", split=Split.into_folds(total)),
    }
    lines = {name: [(k, e - one.baseline) for k, e in one.masked(SOME)] for name, one in asked.items()}
    return Figure(
        "tdr_5_protocols", "Adult, Top7, C4.5: the cost of masking by protocol", "k", "AE - BE, points", lines,
        notes="Masking all records together lets classes of test records take part; the other two protocols do not.",
        spacing="even",
    )  # fmt: skip


def _learners() -> Figure:
    """One thread: the booster's threads wait for each other in a loop, which takes minutes where cores are shared."""
    from threadpoolctl import threadpool_limits

    data, lines = adult(), dict[str, Errors]()
    for name, learner in LEARNERS.items():
        one = MaskedErrors(data, data.top[:7], learner)
        with threadpool_limits(1):
            lines |= {f"BE {name}": one.flat(one.baseline, GRID), f"AE {name}": one.masked(GRID)}
            lines |= {f"UE {name}": one.flat(one.upper, GRID)}
    return Figure(
        "tdr_5_learners", "Suppress and discretize Top7 in Adult, three learners", "k", "error, %", lines,
        spacing="even",
    )  # fmt: skip
