"""TopN: in which order C4.5 finds the columns of Adult, CRX and German useful (section 5.A)."""

from __future__ import annotations

from benchmarks.figures.data_sets import DataSet, adult, crx, german
from benchmarks.figures.figure import Claim, Figure
from sfumato.evaluation.learners import C45, Features, rank


def figures() -> list[Figure]:
    """One for each data set."""
    return [_figure(data, _claims(data, ranking(data))) for data in (adult(), crx(), german())]


def ranking(data: DataSet, how_many: int = 0) -> list[str]:
    """The columns by use, found on the training records; all that tell classes apart, or so many."""
    train = data.frame.slice(0, data.first)
    classes = train.column(data.target).combine_chunks().dictionary_encode().indices.to_numpy().astype("int32")
    return rank(C45(), Features.of_frame(train, data.columns), classes, how_many or len(data.columns))


def _figure(data: DataSet, claims: list[Claim]) -> Figure:
    found = ranking(data)
    names = [*data.top, *(name for name in data.columns if name not in data.top)]
    printed = [(at, at) for at in range(1, len(data.top) + 1)]
    measured = [(at, found.index(name) + 1) for at, name in enumerate(names, 1) if name in found]
    return Figure(
        f"top_n_{data.name.lower()}",
        f"Order in which C4.5 takes the columns of {data.name}",
        "column, in the paper's order",
        "rank",
        {"paper": printed, "measured": measured},
        claims,
        x_names={at: data.shortened([name]) for at, name in enumerate(names, 1)},
        drawn="points",
    )


def _claims(data: DataSet, found: list[str]) -> list[Claim]:
    """The order agrees if it is the same but for columns that no learner can tell apart."""
    best, count = found[: len(data.top)], len(data.top)
    said = f"the Top{count} of {data.name} are {data.shortened(data.top)}, in that order"
    apart = [(ours, theirs) for ours, theirs in zip(best, data.top, strict=True) if ours != theirs]
    twins = [f"; {theirs} and {ours} say the same" for ours, theirs in apart if _twins(data, ours, theirs)]
    told = f"{data.shortened(best)}; {count - len(apart)} of {count} in their places{''.join(twins)}"
    return [Claim(said, told, len(twins) == len(apart))]


def _twins(data: DataSet, one: str, other: str) -> bool:
    """Whether each value of one column always comes with the same value of the other, both ways."""
    pairs = set(zip(data.frame.column(one).to_pylist(), data.frame.column(other).to_pylist(), strict=True))
    return len(pairs) == len({left for left, _ in pairs}) == len({right for _, right in pairs})
