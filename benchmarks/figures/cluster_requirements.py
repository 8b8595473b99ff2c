"""Book, section 7.2.5: how far Adult's clusters are found again, by what is asked for.

By how many columns could be known, by how many clusters are looked for, and by whether several attackers are kept apart
or one who knows all that they know.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from itertools import pairwise
from operator import and_
from statistics import fmean
from time import perf_counter

import numpy as np

from benchmarks.figures.cluster_samples import (
    ATTACKERS,
    CLUSTERS,
    COLUMNS,
    KS,
    RECORDS,
    SEEDS,
    Agreement,
    f_line,
    guided,
    over_k,
    sample,
    unguided,
)  # fmt: skip
from benchmarks.figures.figure import Claim, Figure, Line
from sfumato.algorithms import Mondrian, TopDownRefinement
from sfumato.evaluation.clusterers import KMeans
from sfumato.evaluation.workloads import ClusterAnalysis
from sfumato.models import KAnonymity
from sfumato.models.base import PrivacyModel

K = 100
DRAWN_KS, DRAWS = (50, 100), 30
NOTES = f"The mean of {len(SEEDS)} samples of {RECORDS:,} records, all nine columns clustered by k-means."


def figures() -> list[Figure]:
    """By columns that could be known, by number of clusters, and one against several quasi-identifiers."""
    return [by_columns(), by_clusters(), by_attackers(), at_random()]


def by_columns() -> Figure:
    """The same nine columns are clustered; more and more of them must be masked."""
    many = range(3, len(COLUMNS) + 1)
    models = {size: KAnonymity(k=K, quasi=f"first_{size}") for size in many}
    lines = {
        "TDR, guided": f_line([(size, guided(model)) for size, model in models.items()]),
        "TDR, unguided": f_line([(size, unguided(model)) for size, model in models.items()]),
    }
    first, last = lines["TDR, guided"][0][1], lines["TDR, guided"][-1][1]
    told = f"{first:.3f} with {many[0]} columns, {last:.3f} with {many[-1]}; {_rises(lines['TDR, guided'])} steps go up"
    return Figure(
        name="clusters_qid",
        title="Adult's clusters by how many of nine columns could be known, k = 100 (book, section 7.2.5.2)",
        x="columns of the quasi-identifier",
        y="F-measure",
        lines=lines,
        claims=[Claim("quality falls as the quasi-identifier grows", told, last < first - 0.02)],
        notes=NOTES,
    )


def by_clusters() -> Figure:
    """From two to ten clusters."""
    model, several = KAnonymity(k=K), range(2, 11)
    steered = [(many, guided(model, clusterer=KMeans(clusters=many))) for many in several]
    local = [(many, unguided(model, algorithm=Mondrian(), clusters=many)) for many in several]
    return Figure(
        name="clusters_number",
        title="Adult's clusters by how many there are, k = 100 (book, section 7.2.5.2)",
        x="clusters",
        y="F-measure",
        lines={"TDR, guided": f_line(steered), "Mondrian (local), unguided": f_line(local)},
        claims=[no_trend("F-measure", f_line(steered)), no_trend("match point", _points(steered))],
        notes=NOTES,
    )


def no_trend(what: str, line: Line) -> Claim:
    """Whether a measure goes neither up nor down with the number of clusters (rank correlation)."""
    from scipy.stats import spearmanr

    found = spearmanr([x for x, _ in line], [y for _, y in line])
    told = f"rank correlation {found.statistic:+.2f} (p = {found.pvalue:.3f}), {line[0][1]:.3f} to {line[-1][1]:.3f}"
    return Claim(f"{what} has no obvious trend with the number of clusters", told, bool(found.pvalue > 0.05))


def by_attackers() -> Figure:
    """Three quasi-identifiers, each with k, against their union with the same k."""
    several = [(k, guided(kept_apart(k))) for k in KS]
    one = over_k(guided)
    pairs = [(k, mine.f_measure, theirs.f_measure) for (k, mine), (_, theirs) in zip(several, one, strict=True)]
    lost = [str(k) for k, mine, theirs in pairs if mine < theirs]
    ahead = [mine - theirs for _, mine, theirs in pairs]
    told = f"ahead by {min(ahead):.3f} to {max(ahead):.3f}" + (f"; behind at k = {', '.join(lost)}" if lost else "")
    return Figure(
        name="clusters_multi_qid",
        title="Adult's clusters: three quasi-identifiers or their union (book, section 7.2.5.2)",
        x="k",
        y="F-measure",
        lines={"three quasi-identifiers": f_line(several), "one, of all their columns": f_line(one)},
        claims=[Claim("several quasi-identifiers keep more than their union", told, not lost), slower()],
        notes=f"{NOTES} The three are of four columns each: {', '.join(ATTACKERS)}.",
        spacing="even",
    )


def at_random() -> Figure:
    """Requirements drawn at random: three to seven quasi-identifiers of two to six columns, and their unions."""
    lines = {
        f"k = {k}": [(one, several) for several, one in map(partial(drawn_pair, k), range(DRAWS))] for k in DRAWN_KS
    }
    return Figure(
        name="clusters_random_qid",
        title="Adult's clusters: random quasi-identifiers against their union (book, section 7.2.5.2)",
        x="F-measure with the union",
        y="F-measure with several quasi-identifiers",
        lines=lines,
        claims=[mostly_above(name, line) for name, line in lines.items()],
        notes=f"{DRAWS} requirements for each k, on one sample of {RECORDS:,} records.",
        drawn="points",
    )


def mostly_above(name: str, line: Line) -> Claim:
    """Whether most points lie above the diagonal."""
    above, ties = sum(y > x for x, y in line), sum(y == x for x, y in line)
    means = f"mean {fmean(y for _, y in line):.3f} against {fmean(x for x, _ in line):.3f}"
    told = f"more in {above} of {len(line)} draws (as much in {ties}); {means}"
    return Claim(f"{name}: several quasi-identifiers keep more than their union", told, above > len(line) / 2)


def drawn_pair(k: int, seed: int) -> tuple[float, float]:
    """The F-measures with several quasi-identifiers drawn at random, and with their union."""
    random = np.random.default_rng(seed)
    length = int(random.integers(2, 7))
    drawn = {tuple(sorted(random.choice(COLUMNS, length, replace=False))) for _ in range(random.integers(3, 8))}
    named = {f"drawn_{at}": found for at, found in enumerate(sorted(drawn))}
    union = tuple(name for name in COLUMNS if any(name in found for found in drawn))
    table = sample(0)
    table = replace(table, schema=replace(table.schema, quasi_identifiers={**named, "union": union}))
    apart = reduce(and_, (KAnonymity(k=k, quasi=name) for name in named))
    analysis = ClusterAnalysis(clusterer=KMeans(clusters=CLUSTERS))
    several, one = (
        analysis.measure(table, TopDownRefinement(), model).f_measure
        for model in (apart, KAnonymity(k=k, quasi="union"))
    )
    return several, one


def kept_apart(k: int) -> PrivacyModel:
    """Each of the three attackers finds at least k records."""
    return reduce(and_, (KAnonymity(k=k, quasi=name) for name in ATTACKERS))


def slower() -> Claim:
    """Seconds of masking alone, for one and for three quasi-identifiers."""
    one, three = (min(_seconds(model) for _ in range(3)) for model in (KAnonymity(k=10), kept_apart(10)))
    told = f"{1000 * one:.0f} ms for one, {1000 * three:.0f} ms for three ({RECORDS:,} records, k = 10)"
    return Claim("efficient for one quasi-identifier, less so for several", told, three > one)


def _seconds(model: PrivacyModel) -> float:
    start = perf_counter()
    TopDownRefinement().anonymize(sample(0), model)
    return perf_counter() - start


def _points(found: list[tuple[int, Agreement]]) -> Line:
    return [(x, agreement.match_point) for x, agreement in found]


def _rises(line: Line) -> int:
    return sum(late[1] > early[1] + 0.005 for early, late in pairwise(line))
