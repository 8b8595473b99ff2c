"""What is measured of microaggregation and clustering, called as a user would; runs in measuring processes only."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import repeated, timed

if TYPE_CHECKING:
    from sfumato.algorithms.microaggregation.base import Microaggregation

REFERENCE = {"census": "census_1080x13.csv", "tarragona": "tarragona_834x13.csv", "eia": "eia_4092x11.csv"}
NOISE = 0.05
COLUMNS, IN_BLOCKS = 6, 2000
THRESHOLD = 0.05

Points = NDArray[np.float64]


def reference(name: str) -> Points:
    """One of the three data sets of the literature, every column with mean 0 and variance 1."""
    from sfumato.datasets.adult import data_folder

    values = np.loadtxt(data_folder() / "microaggregation" / REFERENCE[name], delimiter=",", skiprows=1)
    return np.ascontiguousarray((values - values.mean(axis=0)) / values.std(axis=0))


def many(rows: int, columns: int) -> Points:
    """Records of Census drawn again and again, with a little noise, so that no two are the same."""
    random = np.random.default_rng(1)
    census = reference("census")[:, :columns]
    drawn = census[random.integers(0, len(census), rows)] + random.normal(0, NOISE, (rows, columns))
    return np.ascontiguousarray(drawn)


def loss(points: Points, labels: NDArray[np.int32]) -> float:
    """100 SSE / SST."""
    sizes, left = np.bincount(labels), 0.0
    for values in points.T:
        left += float(((values - (np.bincount(labels, values) / sizes)[labels]) ** 2).sum())
    return 100 * left / float(((points - points.mean(axis=0)) ** 2).sum())


def way(name: str, **settings: Any) -> Microaggregation:
    """A way of microaggregation by its name."""
    from sfumato.settings import catalogue

    return catalogue.find("algorithms", name).build({"patient": True, **settings})  # type: ignore[return-value]


def group(*, name: str, rows: int, columns: int, k: int, repeat: int, at_once: int | None = None) -> dict[str, Any]:
    """CPU and wall seconds to choose groups, the loss, and one pass that measures it, to compare with."""
    points, chosen = many(rows, columns), way(name, rows_at_once=at_once)
    chosen._group_points(many(1000, columns), k, np.random.default_rng(0))
    labels = chosen._group_points(points, k, np.random.default_rng(0))
    lap = repeated(lambda: chosen._group_points(points, k, np.random.default_rng(0)), repeat)
    floor = repeated(lambda: loss(points, labels), 3)
    sizes = np.bincount(labels)
    return {"wall": lap.wall, "cpu": lap.cpu, "loss": loss(points, labels), "smallest": int(sizes.min()),
            "largest": int(sizes.max()), "floor": floor.wall}  # fmt: skip


def improve(*, name: str, k: int, seconds: float) -> dict[str, Any]:
    """The loss after so many seconds of search from MDAV, and the loss that no groups of k can go below."""
    from sfumato.algorithms.improvement.lower_bound import lower_bound
    from sfumato.algorithms.improvement.simulated_annealing import improve_groups, load_loops

    points = reference(name)
    begun = way("mdav")._group_points(points, k, np.random.default_rng(0))
    load_loops()
    labels = improve_groups(points, begun, k, effort=float("inf"), seed=0, seconds=seconds)
    with timed() as lap:
        bound = 100 * lower_bound(points, k) / float((points**2).sum())
    return {"begun": loss(points, begun), "loss": loss(points, labels), "bound": bound, "bounding": lap.wall,
            "smallest": int(np.bincount(labels).min())}  # fmt: skip


def cluster(
    *, name: str, path: str, k: int, seconds: float | None = None, at_once: int | None = None, repeat: int = 1
) -> dict[str, Any]:
    """Seconds to publish by clustering, or by clustering and a search of so many seconds, and what is lost."""
    from benchmarks.subject import model, schema
    from sfumato import Table
    from sfumato.algorithms import PartitionImprover
    from sfumato.metrics import Ncp
    from sfumato.settings import catalogue

    table, asked = Table.read(path, schema()), model(k)
    settings: dict[str, Any] = {} if at_once is None else {"rows_at_once": at_once}
    settings |= {"threshold": THRESHOLD} if name == "loukides_shao" else {}
    chosen: Any = catalogue.find("algorithms", name).build(settings)
    if seconds is not None:
        chosen = PartitionImprover(start=name, settings_of_start=settings or None, effort=1e9, seconds=seconds)
    few = PartitionImprover(start=name, effort=1) if seconds is not None else chosen
    few.anonymize(table.rows_at(np.arange(0, len(table), max(len(table) // 500, 1))), model(k=5))
    laps, losses = [], []
    for seed in range(repeat):
        begun, used = time.perf_counter(), time.process_time()
        release = chosen.anonymize(table, asked, seed=seed)
        laps.append((time.perf_counter() - begun, time.process_time() - used))
        losses.append(Ncp().measure(release))
    return {"wall": float(np.median([lap[0] for lap in laps])), "cpu": float(np.median([lap[1] for lap in laps])),
            "ncp": float(max(losses)), "groups": len(release.groups), "distinct": len(table)}  # fmt: skip


def grow(*, name: str, rows: int, k: int) -> dict[str, Any]:
    """Wall seconds to choose groups of so many records with six columns; in blocks beyond what it starts on unasked."""
    from sfumato.algorithms.microaggregation.base import method_named

    limit = method_named(name)._limit()
    at_once = IN_BLOCKS if limit is not None and rows > limit else None
    columns = 1 if name == "hansen_mukherjee" else COLUMNS
    chosen, points = way(name, rows_at_once=at_once), many(rows, columns)
    chosen._group_points(many(200, columns), k, np.random.default_rng(0))
    with timed() as lap:
        labels = chosen._group_points(points, k, np.random.default_rng(0))
    return {"wall": lap.wall, "loss": loss(points, labels), "limit": limit, "blocks": at_once}


def grow_on_codes(*, name: str, path: str, k: int) -> dict[str, Any]:
    """The same for clustering, on the eight quasi columns of Adult."""
    from benchmarks.subject import schema
    from sfumato import Table
    from sfumato.algorithms.clustering.base import Clustering
    from sfumato.settings import catalogue

    found: type[Clustering] = catalogue.find("algorithms", name)  # type: ignore[assignment]
    records = Table.read(path, schema(sensitive=False)).records
    at_once = IN_BLOCKS if records > found.most_rows else None
    told = cluster(name=name, path=path, k=k, at_once=at_once)
    return {"wall": told["wall"], "loss": 100 * told["ncp"], "limit": found.most_rows, "blocks": at_once}


def ways_on_offer() -> dict[str, list[str]]:
    """The names of all ways to measure growth of: on points, and on codes."""
    from sfumato import algorithms
    from sfumato.algorithms.clustering.base import Clustering
    from sfumato.algorithms.microaggregation.base import methods

    offered = [getattr(algorithms, one) for one in algorithms.__all__]
    return {"points": sorted(methods()), "codes": sorted(one.name() for one in offered if issubclass(one, Clustering))}
