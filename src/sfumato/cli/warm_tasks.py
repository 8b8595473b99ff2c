"""Small tasks that compile the loops of everything that is no algorithm; `sfumato warm` runs them.

A task uses a part of the library on a few records in all ways that need loops of their own. It computes nothing that
anybody reads.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, get_args

from sfumato.errors import SfumatoError

if TYPE_CHECKING:
    from sfumato.data.table import Table
    from sfumato.settings.params import Declared

_RECORDS = 24


def use_masks() -> None:
    """Mask numbers and texts with every mask that needs no settings."""
    from sfumato.datasets import patients
    from sfumato.settings import catalogue

    frame = patients(_RECORDS, seed=0)
    for name in catalogue.names("masks"):
        for column in ("age", "sex"):
            with suppress(SfumatoError, TypeError):  # it does not serve this type, or has settings without defaults
                catalogue.find("masks", name)().mask(frame, [column], seed=0)  # type: ignore[attr-defined]


def use_learners() -> None:
    """Grow, prune and query decision trees."""
    import numpy as np

    from sfumato.datasets import patients
    from sfumato.evaluation.learners.c45 import C45
    from sfumato.evaluation.learners.features import Features

    features = Features.of_frame(patients(_RECORDS, seed=0), ["age", "sex"])
    # the first classes follow the order of the records, the second alternate
    for classes in (np.arange(_RECORDS) < _RECORDS // 2, np.arange(_RECORDS) % 2):
        C45(fewest=1).fit(features, classes.astype(np.int32)).predict(features)


def use_knowledge() -> None:
    """Mine, publish against knowledge by all models and strategies, and attack what was published."""
    from sfumato.algorithms import Anatomy, Injector, KMember
    from sfumato.attacks import BackgroundKnowledge
    from sfumato.knowledge import Item, Knowledge, Miner, Rule
    from sfumato.models import BoundedBelief, DistinctLDiversity, KAnonymity, MatchingLDiversity

    table, known = _table(), Knowledge("ill", (Rule((Item("sex", "m"),), "x"),))
    Miner(min_expectation=0.5).mine(table)
    BackgroundKnowledge().run(Anatomy().anonymize(table, DistinctLDiversity(l=2)), known)
    for way in _literals(BoundedBelief, "inference"):
        KMember().anonymize(table, KAnonymity(k=2) & BoundedBelief(c=1.0, knowledge=known, inference=way))
    for strategy in _literals(Injector, "strategy"):
        Injector(strategy=strategy).anonymize(table, MatchingLDiversity(l=2, knowledge=known))
    KMember().anonymize(table, MatchingLDiversity(l=2, knowledge=known))


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
    """Extend what follows from answered sums by one more sum, as the audit of sums does."""
    from sfumato.gateway.statistics.linear_span import LinearSpan
    from sfumato.gateway.statistics.modular_arithmetic import Residues
    from sfumato.gateway.statistics.record_sets import RecordSet

    LinearSpan.empty(Residues.random()).extended(RecordSet.of([0, 1, 2]))


TASKS: dict[str, Callable[[], None]] = {
    "masks": use_masks,
    "learners": use_learners,
    "knowledge": use_knowledge,
    "insertion": use_insertion,
    "aggregates": use_aggregates,
}
"""Every task by its name."""


def _literals(thing: type[Declared], name: str) -> tuple[Any, ...]:
    """The values that a setting may have."""
    return next(get_args(setting.type) for setting in thing.settings() if setting.name == name)


def _table(more: int = 0) -> Table:
    """A small table, with so many of its first records once more at the end."""
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table

    numbers = [*range(_RECORDS), *range(more)]
    schema = Schema.of(quasi=["age", "sex"], sensitive=["ill"])
    ages = [str(20 + 2 * number) for number in numbers]
    sexes = ["mf"[number % 2] for number in numbers]
    ills = ["xyz"[number % 3] if number % 2 else "yz"[number // 2 % 2] for number in numbers]  # no man has x
    return Table.of_rows(schema, {"age": ages, "sex": sexes, "ill": ills})
