"""Small tasks that compile the loops of everything that is no algorithm; `sfumato warm` runs them.

A task uses a part of the library on a few records in all ways that need loops of their own. It computes nothing that
anybody reads.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.data.table import Table

_AGES = (21, 22, 24, 25, 31, 33, 34, 38, 41, 42, 45, 47)
_SEXES = "mfmfmfmfmfmf"
_ILLS = "xyzxyzxyzxyz"


def use_masks() -> None:
    """Mask numbers and texts with every mask that needs no settings."""
    import pyarrow as pa

    from sfumato.errors import SfumatoError
    from sfumato.settings import catalogue

    frame = pa.table({"age": list(_AGES), "pay": [float(age) for age in _AGES], "sex": list(_SEXES)})
    for name in catalogue.names("masks"):
        for columns in (["age", "pay"], ["sex"]):
            with suppress(SfumatoError, TypeError):  # it does not serve this type, or has settings without defaults
                catalogue.find("masks", name)().mask(frame, columns, seed=0)  # type: ignore[attr-defined]


def use_learners() -> None:
    """Grow, prune and ask decision trees."""
    import numpy as np
    import pyarrow as pa

    from sfumato.evaluation.learners.c45 import C45
    from sfumato.evaluation.learners.features import Features

    frame = pa.table({"age": list(_AGES), "sex": list(_SEXES)})
    features = Features.of_frame(frame, ["age", "sex"])
    for classes in ([age > 35 for age in _AGES], [sex == "m" for sex in _SEXES]):
        C45(fewest=1).fit(features, np.array(classes, dtype=np.int32)).predict(features)


def use_knowledge() -> None:
    """Publish against mined knowledge by all models and strategies, and attack what was published."""
    from sfumato.algorithms import Anatomy, Injector, Mondrian
    from sfumato.attacks import BackgroundKnowledge
    from sfumato.errors import SfumatoError
    from sfumato.knowledge import Miner
    from sfumato.models import BoundedBelief, DistinctLDiversity, KAnonymity, MatchingLDiversity

    table = _table()
    known = Miner(min_expectation=0.5).mine(table)
    BackgroundKnowledge().run(Anatomy().anonymize(table, DistinctLDiversity(l=2)), known)
    for way in ("exact", "omega", "maximum_entropy"):
        with suppress(SfumatoError):
            Mondrian().anonymize(table, KAnonymity(k=2) & BoundedBelief(c=0.9, knowledge=known, inference=way))
    for strategy in ("near", "guarded", "three_phases"):
        with suppress(SfumatoError):
            Injector(strategy=strategy).anonymize(table, MatchingLDiversity(l=2, knowledge=known))
    with suppress(SfumatoError):
        Mondrian().anonymize(table, MatchingLDiversity(l=2, knowledge=known))


def use_insertion() -> None:
    """Insert a person into releases with ranges and sets, by both choices."""
    from sfumato.algorithms import KMember, Mondrian
    from sfumato.models import KAnonymity
    from sfumato.republishing.insertion import insert

    model = KAnonymity(k=2)
    for algorithm in (Mondrian(), KMember()):
        release = algorithm.anonymize(_table(), model)
        for choice in ("least_loss", "bayes"):
            insert(release, _table(more=1), model, choice=choice)


def use_aggregates() -> None:
    """Multiply and subtract rows of residues, as the audit of sums does."""
    import numpy as np

    from sfumato.gateway.statistics.residue_rows import multiply, subtract

    rows = np.ones((2, 3), dtype=np.int64)
    subtract(rows, np.ones(2, dtype=np.int64), multiply(rows[0], 2, 7), 7)


TASKS: dict[str, Callable[[], None]] = {
    "masks": use_masks,
    "learners": use_learners,
    "knowledge": use_knowledge,
    "insertion": use_insertion,
    "aggregates": use_aggregates,
}
"""Every task by its name."""


def _table(more: int = 0) -> Table:
    """A small table, with so many of its first records once more at the end."""
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table

    schema = Schema.of(quasi=["age", "sex"], sensitive=["ill"])
    columns = {"age": [str(age) for age in _AGES], "sex": list(_SEXES), "ill": list(_ILLS)}
    return Table.of_rows(schema, {name: [*values, *values[:more]] for name, values in columns.items()})
