"""Publish numbers as numbers: means of small groups against noise, by what they cost and what they give away."""

from __future__ import annotations

import sfumato
from sfumato.algorithms import Mdav, PartitionImprover
from sfumato.attacks import DistanceLinkage
from sfumato.datasets import employees
from sfumato.engines.frames.paired_sources import side_by_side
from sfumato.masks import Noise
from sfumato.metrics import CorrelationError, SquaredError

NUMBERS = ["age", "years", "pay"]


def main() -> None:
    """Microaggregate, improve, mask the same columns by noise, and compare."""
    frame = employees(1000, seed=3)
    table = sfumato.Table.from_frame(frame, sfumato.Schema.of(quasi=NUMBERS))
    published = {"noise": Noise(share=0.1).mask(frame, NUMBERS, seed=3)}
    for algorithm in (Mdav(), PartitionImprover(start="mdav")):
        published[algorithm.name()] = algorithm.anonymize(table, sfumato.KAnonymity(k=5)).frame()
    for name, after in published.items():
        pair = side_by_side(frame, after, NUMBERS)
        found = DistanceLinkage().run(pair)
        print(
            f"{name}: {SquaredError().measure(pair):.2f} % of the variation lost, "
            f"correlations off by {CorrelationError().measure(pair):.4f}, {found.rate:.1%} of the people found"
        )


if __name__ == "__main__":
    main()
