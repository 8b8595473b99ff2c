"""The base class of top-down algorithms, which sets up a search; a subclass says how each column is refined."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.specialization.scores import Score, ScoreName, score_from_dict, score_named
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import SchemaError, nearest
from sfumato.models.group_model import GroupModel
from sfumato.models.k_anonymity import KAnonymity
from sfumato.operations.generalize import generalize_values
from sfumato.releases.table_candidate import TableCandidate

if TYPE_CHECKING:
    from sfumato.algorithms.specialization.search import TopDownSearch
    from sfumato.algorithms.specialization.specialization_paths import SpecializationPath

Counts = NDArray[np.int64]


class Refiner(TableAlgorithm):
    """Base of top-down algorithms; a subclass implements `_path` and declares the settings named below."""

    needs = frozenset({"kept_by_merging"})
    anytime = True

    default_score: ClassVar[ScoreName] = "gain_per_loss"
    """The score where a column is to be predicted and no score is set."""

    score: ScoreName | Score | None
    target: str
    beneficial: bool

    def __post_init__(self) -> None:
        if isinstance(self.score, Mapping):
            object.__setattr__(self, "score", score_from_dict(self.score))
        super().__post_init__()

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by refining a few rows."""
        rows = {"q": [str(number) for number in range(32)], "t": ["a", "b"] * 16}
        table = Table.of_rows(Schema.of(quasi=["q"], target=["t"]), rows)
        type(self)().refined(table, KAnonymity(k=1))

    def refined(self, table: Table, model: GroupModel) -> TopDownSearch:
        """The search after it has run: its `steps` in order, and the `cuts` that it reached."""
        from sfumato.algorithms.specialization.constraint_checks import RefinedRows
        from sfumato.algorithms.specialization.leaf_guard import LeafGuard
        from sfumato.algorithms.specialization.requirements import guards_of
        from sfumato.algorithms.specialization.search import TopDownSearch

        # Columns that no model depends on need no generalization and are published as they are.
        known = {name for member in model.measured() for name in member.known_columns(table.schema).columns}
        names = tuple(name for name in table.schema.quasi if name in known)
        rows, score = RefinedRows(table, names), self._chosen_score(table.schema)
        paths = {name: self._path(at, table, name, self._counts(table, name)) for at, name in enumerate(names)}
        whole = LeafGuard(rows, range(len(names)), ()) if score.weighs_groups else None
        beneficial = self.beneficial and score.weighs_gain
        search = TopDownSearch(paths, guards_of(rows, model), score, beneficial=beneficial, whole=whole)
        search.run()
        return search

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        return generalize_values(table, self.refined(table, model).cuts())

    @abstractmethod
    def _path(self, place: int, table: Table, name: str, counts: Counts) -> SpecializationPath:
        """How one column is refined; `counts[code, class]` is the number of records of each value and class."""

    def _chosen_score(self, schema: Schema) -> Score:
        """The score that ranks refinements: as set, or a default that depends on whether there is a target."""
        return score_named(self.score or (self.default_score if self._predicts(schema) is not None else "discernment"))

    def _predicts(self, schema: Schema) -> str | None:
        """The column whose value is to be predicted: the named one, or the only target; None if there is none."""
        if not self.target:
            return schema.one_target() if schema.targets else None
        known = (*schema.targets, *schema.sensitive)
        if self.target not in known:
            raise SchemaError(f"{self.target!r} is neither target nor sensitive; {nearest(self.target, known)}")
        return self.target

    def _counts(self, table: Table, name: str) -> Counts:
        """The number of records of each value of a column, by class; a single class if nothing is to be predicted."""
        from sfumato.algorithms.specialization.loops.leaves import class_counts

        target = self._predicts(table.schema)
        if target is None:
            return table.histogram(name)[:, None]
        sizes = len(table.domains[name]), len(table.domains[target])
        codes, classes = (table.codes[column].view(np.uint32) for column in (name, target))
        return class_counts(codes, classes, table.weights, *sizes)
