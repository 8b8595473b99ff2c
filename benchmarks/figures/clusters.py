"""Book, section 7.2.5: how far Adult's clusters are found again, by k, by algorithm, by size and by clusterer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from benchmarks.figures.cluster_samples import CLUSTERS, KS, Agreement, f_line, guided, over_k, point_line, unguided
from benchmarks.figures.figure import Claim, Figure, Line
from sfumato.algorithms import InfoGainMondrian, Mondrian
from sfumato.evaluation.clusterers import BisectingKMeans, Hierarchical, KMeans

GUIDED, UNGUIDED, LOCAL = "TDR, guided", "TDR, unguided", "Mondrian (local), unguided"
GUIDED_LOCAL = "InfoGain Mondrian (local), guided"
SIZES = (1_000, 5_000, 20_000)
NOTES = "The mean of five samples of 5,000 records, nine columns, five clusters by k-means if nothing else is said."


def figures() -> list[Figure]:
    """By k and algorithm twice (both measures of agreement), by size, and with another clusterer afterwards."""
    found = {
        GUIDED: over_k(guided),
        UNGUIDED: over_k(unguided),
        LOCAL: over_k(partial(unguided, algorithm=Mondrian())),
        GUIDED_LOCAL: over_k(partial(guided, algorithm=InfoGainMondrian())),
    }
    return [*by_algorithm(found), by_size(found[GUIDED]), by_clusterer()]


def by_algorithm(found: Mapping[str, Sequence[tuple[int, Agreement]]]) -> list[Figure]:
    """F-measure and match point over k for masking that is guided by clusters and masking that is not."""
    made = []
    measures = (("clusters_f_measure", "F-measure", f_line), ("clusters_match_point", "match point", point_line))
    for name, y, line in measures:
        lines = {key: line(values) for key, values in found.items()}
        title = f"Adult's clusters after masking: {y} by k (book, section 7.2.5.2)"
        claims = [falls(y, lines[GUIDED]), guidance(y, lines, UNGUIDED), guidance(y, lines, LOCAL)]
        made.append(Figure(name=name, title=title, x="k", y=y, lines=lines, claims=claims, notes=NOTES, spacing="even"))
    return made


def falls(what: str, line: Line) -> Claim:
    """Whether the quality is lower at the large thresholds than at the small ones."""
    (least, first), (most, last) = line[0], line[-1]
    ups = sum(late[1] > early[1] + 0.005 for early, late in pairwise(line))
    told = f"{first:.3f} at k = {least:g}, {last:.3f} at k = {most:g}; {ups} of {len(line) - 1} steps go up"
    return Claim(f"guided: {what} falls as k grows", told, last < first - 0.02)


def guidance(what: str, lines: Mapping[str, Line], other: str) -> Claim:
    """Whether guided masking beats another at every k."""
    pairs = [(x, mine, theirs) for (x, mine), (_, theirs) in zip(lines[GUIDED], lines[other], strict=True)]
    lost = [f"{x:g}" for x, mine, theirs in pairs if mine <= theirs]
    ahead = [mine - theirs for _, mine, theirs in pairs]
    told = f"ahead by {min(ahead):.3f} to {max(ahead):.3f}" + (f"; behind at k = {', '.join(lost)}" if lost else "")
    return Claim(f"{what}: guided TDR beats general-purpose masking ({other})", told, not lost)


def by_size(middle: Sequence[tuple[int, Agreement]]) -> Figure:
    """Guided masking of samples of several sizes."""
    found = {size: middle if size == 5_000 else over_k(partial(guided, size=size)) for size in SIZES}
    lines = {f"{size:,} records": f_line(values) for size, values in found.items()}
    fallen = [line[0][1] - line[-1][1] for line in lines.values()]
    told = ", ".join(f"{drop:.3f} with {name}" for name, drop in zip(lines, fallen, strict=True))
    return Figure(
        name="clusters_size",
        title="Adult's clusters after guided masking, by size (book, section 7.2.5.2)",
        x="k",
        y="F-measure",
        lines=lines,
        claims=[
            Claim(
                "quality falls more clearly where the data set is small",
                f"from k = {KS[0]} to {KS[-1]} it falls by {told}",
                fallen == sorted(fallen, reverse=True),
            )
        ],
        notes="The mean of five samples of each size; TDR guided by the clusters.",
        spacing="even",
    )


def by_clusterer() -> Figure:
    """Guided masking with the same clusterer before and after, and with another one after."""
    means, halves, nested = (
        KMeans(clusters=CLUSTERS),
        BisectingKMeans(clusters=CLUSTERS),
        Hierarchical(clusters=CLUSTERS),
    )
    ways = {
        "k-means, then k-means": (means, None),
        "bisecting, then bisecting": (halves, None),
        "hierarchical, then hierarchical": (nested, None),
        "k-means, then hierarchical": (means, nested),
        "hierarchical, then k-means": (nested, means),
    }
    ks = (10, 50, 200)
    lines = {
        name: f_line(over_k(partial(guided, clusterer=first, again=second, seeds=range(3)), ks))
        for name, (first, second) in ways.items()
    }
    return Figure(
        name="clusters_other",
        title="Adult's clusters after guided masking, found by another clusterer (book, section 7.2.5.2)",
        x="k",
        y="F-measure",
        lines=lines,
        claims=[no_guarantee(lines)],
        notes="The mean of three samples of 5,000 records; TDR guided by the clusters of the first clusterer.",
        spacing="even",
    )


def no_guarantee(lines: Mapping[str, Line]) -> Claim:
    """Whether another clusterer misses what the same one would have found, by more than 0.05 somewhere."""
    told, worst = [], 0.0
    for first, second in (("k-means", "hierarchical"), ("hierarchical", "k-means")):
        pairs = zip(lines[f"{first}, then {second}"], lines[f"{first}, then {first}"], strict=True)
        more = [other - same for (_, other), (_, same) in pairs]
        told.append(f"{min(more):+.3f} to {max(more):+.3f} when {second} looks for the clusters of {first}")
        worst = min(worst, *more)
    said = "with another clusterer afterwards there is no guarantee that the clusters are found again"
    return Claim(said, f"F-measure {'; '.join(told)}", worst < -0.05)
