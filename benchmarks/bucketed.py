"""What the buckets benchmarks measure, called as a user would call it; runs in measuring processes only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import repeated, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato.data.table import Table
    from sfumato.evaluation.workloads.query_error import Query
    from sfumato.models.base import PrivacyModel
    from sfumato.releases.table_release import TableRelease


def read(path: str) -> Table:
    """Six quasi columns with the taxonomies of the paper's experiment, and the occupation as the secret."""
    from sfumato.data.table import Table
    from sfumato.datasets.adult_occupations import adult_occupations_schema

    return Table.read(path, adult_occupations_schema())


def asked(l: int, min_expectation: float = 0.9) -> PrivacyModel:
    """Matching l-diversity against rules of one item."""
    from sfumato.knowledge import Miner
    from sfumato.models import MatchingLDiversity

    return MatchingLDiversity(l=l, knowledge=Miner(min_expectation=min_expectation))


def mine(*, path: str, items: int, repeat: int) -> dict[str, Any]:
    """Rules of up to so many items, counting included."""
    from sfumato.knowledge import Miner

    table, miner = read(path), Miner(max_items=items)
    miner.mine(table)
    lap = repeated(lambda: miner.mine(table), repeat)
    return {"wall": lap.wall, "cpu": lap.cpu, "rules": len(miner.mine(table))}


def share_out(*, path: str, l: int, repeat: int) -> dict[str, Any]:
    """Choosing buckets alone, with rules mined and noted before."""
    from sfumato.algorithms.bucketization.guarded_members import guarded_buckets
    from sfumato.algorithms.bucketization.records import Records

    table = read(path)
    model = asked(l).with_knowledge(table)
    table = model.with_derived_columns(table)
    records = Records.of(table, np.repeat(np.arange(len(table)), table.counts), model)
    buckets = guarded_buckets(records, l)
    lap = repeated(lambda: guarded_buckets(records, l), repeat)
    sizes = np.bincount(buckets[buckets >= 0])
    return {
        "wall": lap.wall,
        "left": int((buckets < 0).sum()),
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
    }


def anatomize(*, path: str, l: int, repeat: int) -> dict[str, Any]:
    """Anatomy, chosen and judged."""
    from sfumato.algorithms import Anatomy
    from sfumato.models import DistinctLDiversity

    table, model = read(path), DistinctLDiversity(l=l)
    Anatomy().anonymize(table, model)
    lap = repeated(lambda: Anatomy().anonymize(table, model), repeat)
    return {"wall": lap.wall}


def grow(*, path: str, l: int, repeat: int) -> dict[str, Any]:
    """Seconds of every way, from a coded table to a judged release; small files need some records left out."""
    from sfumato.algorithms import Anatomy, Injector
    from sfumato.knowledge import Miner
    from sfumato.models import DistinctLDiversity

    table = read(path)
    model, plain = asked(l).with_knowledge(table), DistinctLDiversity(l=l)
    steps: dict[str, Callable[[], Any]] = {
        "mining, one item": lambda: Miner().mine(table),
        "mining, up to three": lambda: Miner(max_items=3).mine(table),
        "anatomy, l=6": lambda: Anatomy().anonymize(table, plain, suppression=0.1),
        "guarded, l=6": lambda: Injector(strategy="guarded").anonymize(table, model, suppression=0.1),
        "near, l=6": lambda: Injector().anonymize(table, model, suppression=0.1),
    }
    found: dict[str, Any] = {"distinct": len(table)}
    for name, step in steps.items():
        step()
        found[name] = repeated(step, repeat).wall
    return found


def end_to_end(*, path: str, small: str, folder: str, l: int) -> dict[str, Any]:
    """Read, mine, bucketize, judge, and write records and secrets; a small file before that loads everything."""
    from sfumato.algorithms import Injector

    algorithm = Injector(strategy="guarded", tables="two")

    def published(name: str) -> TableRelease:
        release = algorithm.anonymize(read(name), asked(l))
        release.write(Path(folder) / "records.parquet", sensitive_table=Path(folder) / "secrets.parquet")
        return release

    published(small)
    with timed() as lap:
        release = published(path)
    return {"wall": lap.wall, "cpu": lap.cpu, "holds": release.holds}


def keep_promises(*, path: str) -> dict[str, Any]:
    """Every l from 3 to 7 and every least expectation of the paper: what is left to an attacker, and how buckets are.

    A record may have fewer than l values that the rules leave open to it. It cannot be published, so it is counted.
    """
    from sfumato.algorithms import Injector

    table, found = read(path), {"vulnerable": 0, "odd": 0, "larger": 0, "impossible": 0, "suppressed": 0, "settings": 0}
    for strategy in ("guarded", "near"):
        for l in range(3, 8):
            for min_expectation in (0.75, 0.8, 0.85, 0.9, 0.95):
                model: Any = asked(l, min_expectation).with_knowledge(table)
                release = Injector(strategy=strategy, effort=0.1).anonymize(table, model, suppression=0.001)
                sizes = release.groups.sizes
                found["vulnerable"] += model.vulnerable(release.groups)
                found["odd"] += int(((sizes < l) | (sizes > l + 1)).sum())
                found["larger"] += max(int((sizes == l + 1).sum()) - (l - 1), 0)
                few = (~model.knowledge.ruled_out(table)).sum(axis=1) < l
                found["impossible"] += int(table.counts[few].sum())
                found["suppressed"] += release.candidate.suppressed_records
                found["settings"] += 1
    return found


def use(*, path: str, l: int, effort: float = 1.0) -> dict[str, Any]:
    """How well near buckets serve 1,000 questions, as a share of the error that Anatomy makes on the same ones."""
    from benchmarks.figures.injected_queries import sized_queries
    from sfumato.algorithms import Anatomy, Injector
    from sfumato.datasets import nine_patients
    from sfumato.models import DistinctLDiversity

    table = read(path)
    model: Any = asked(l).with_knowledge(table)
    Injector().anonymize(nine_patients(), asked(2))
    with timed() as lap:
        release = Injector(effort=effort).anonymize(table, model)
    anatomized = Anatomy().anonymize(table, DistinctLDiversity(l=l), seed=1)
    queries = sized_queries(table)
    return {
        "wall": lap.wall,
        "error": _error(release, queries),
        "anatomy": _error(anatomized, queries),
        "prey": _prey(release),
        "anatomy_prey": _prey(anatomized),
        "vulnerable": model.vulnerable(release.groups),
        "commonest": int(release.groups.histogram("occupation").counts.max()),
    }


def rules(*, path: str, l: int) -> dict[str, Any]:
    """By how much the confidence of positive rules is wrong, in percent."""
    from benchmarks.figures.injected_rules import confidence_error
    from benchmarks.figures.injected_rules import rules as positive
    from sfumato.algorithms import Anatomy, Injector
    from sfumato.models import DistinctLDiversity

    table = read(path)
    model = asked(l).with_knowledge(table)
    found = {
        "near": Injector().anonymize(table, model),
        "anatomy": Anatomy().anonymize(table, DistinctLDiversity(l=l), seed=1),
        "paper": Injector(strategy="three_phases").anonymize(table, model),
    }
    return {way: confidence_error(release, positive()) for way, release in found.items()}


def _error(release: TableRelease, queries: Sequence[Query]) -> float:
    from sfumato.evaluation.queries import Estimator
    from sfumato.evaluation.workloads import QueryError

    return float(QueryError().errors(Estimator.of_release(release), queries).mean())


def _prey(release: TableRelease) -> float:
    """The share of people whose secret is guessed right by what all buckets together say."""
    from sfumato.attacks import NaiveBayesInference

    return NaiveBayesInference().run(release).rate
