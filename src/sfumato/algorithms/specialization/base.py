"""The family of top-down search: what its algorithms share is how a search is set up; each says how columns go down."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.specialization.scores import Named, Score, score_called, score_of
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import SchemaError, nearest
from sfumato.models.base import PrivacyModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.operations.generalize import generalize_values
from sfumato.releases.candidate import Candidate

if TYPE_CHECKING:
    from sfumato.algorithms.specialization.search import Refining
    from sfumato.algorithms.specialization.specialization_paths import Ladder

Counts = NDArray[np.int64]


class Refiner(Algorithm):
    """Base of top-down algorithms; an author writes `_ladder`, and declares the settings named below."""

    needs = frozenset({"kept_by_merging"})
    anytime = True

    goes_for: ClassVar[Named] = "gain_per_loss"
    """The score to go by where something is to be predicted and nothing else is said."""

    score: Named | Score | None
    target: str
    beneficial: bool

    def __post_init__(self) -> None:
        if isinstance(self.score, Mapping):
            object.__setattr__(self, "score", score_of(self.score))
        super().__post_init__()

    def prepare(self) -> None:
        """Compile the kernels, or read them from the cache, by refining a few rows."""
        rows = {"q": [str(number) for number in range(32)], "t": ["a", "b"] * 16}
        table = Table.of_rows(Schema.of(quasi=["q"], target=["t"]), rows)
        type(self)().refined(table, KAnonymity(k=1))

    def refined(self, table: Table, model: PrivacyModel) -> Refining:
        """The search, carried out: its `steps` one after the other, and the `cuts` it came to."""
        from sfumato.algorithms.specialization.constraint_checks import RefinedRows
        from sfumato.algorithms.specialization.leaf_guard import LeafGuard
        from sfumato.algorithms.specialization.requirements import guards_of
        from sfumato.algorithms.specialization.search import Refining

        known = {name for member in model.measured() for name in member.background(table.schema).columns}
        names = tuple(name for name in table.schema.quasi if name in known)
        rows, score = RefinedRows(table, names), self._aim(table.schema)
        ladders = {name: self._ladder(at, table, name, self._counts(table, name)) for at, name in enumerate(names)}
        whole = LeafGuard(rows, range(len(names)), ()) if score.weighs_groups else None
        beneficial = self.beneficial and score.weighs_gain
        search = Refining(ladders, guards_of(rows, model), score, beneficial=beneficial, whole=whole)
        search.run()
        return search

    def _publish(self, table: Table, model: PrivacyModel, suppression: float, random: np.random.Generator) -> Candidate:
        return generalize_values(table, self.refined(table, model).cuts())

    @abstractmethod
    def _ladder(self, place: int, table: Table, name: str, counts: Counts) -> Ladder:
        """How one column goes down; `counts[code, class]` are the records of every value and class."""

    def _aim(self, schema: Schema) -> Score:
        """What makes one refinement better than another: as set, or by whether something is to be predicted."""
        return score_called(self.score or (self.goes_for if self._predicts(schema) is not None else "discernment"))

    def _predicts(self, schema: Schema) -> str | None:
        """The column whose value is to be predicted: the named one, or the only target; None if there is none."""
        if not self.target:
            return schema.one_target() if schema.targets else None
        offered = (*schema.targets, *schema.sensitive)
        if self.target not in offered:
            raise SchemaError(f"{self.target!r} is neither target nor sensitive; {nearest(self.target, offered)}")
        return self.target

    def _counts(self, table: Table, name: str) -> Counts:
        """The records of every value of a column, by class; one class where nothing is to be predicted."""
        from sfumato.algorithms.specialization.loops.leaves import class_counts

        target = self._predicts(table.schema)
        if target is None:
            return table.histogram(name)[:, None]
        sizes = len(table.domains[name]), len(table.domains[target])
        codes, classes = (table.codes[column].view(np.uint32) for column in (name, target))
        return class_counts(codes, classes, table.weights, *sizes)
