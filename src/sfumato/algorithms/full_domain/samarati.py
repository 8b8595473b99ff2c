"""Samarati's search: binary search for the least height of the lattice at which the model holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sfumato.algorithms.full_domain.lattice import Lattice, Levels
from sfumato.algorithms.full_domain.lattice_search import (
    LatticeSearch,
    objective_metric,
    prepare_search,
    refuse_large_lattice,
)
from sfumato.data.table import Table
from sfumato.models.group_model import GroupModel
from sfumato.runtime.progress import advance
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sfumato.algorithms.full_domain.nodes import LatticeNodes, Node


@dataclass(frozen=True, kw_only=True)
class Samarati(LatticeSearch):
    """Generalizes by the fewest steps: a binary search finds the least height at which the model holds.

    The height of a combination of levels is their sum. Records of groups that fail are suppressed as long as the limit
    allows. Among the combinations of the least height at which the model holds, `objective` chooses. One of a greater
    height can lose less, because levels of different columns lose differently; `incognito` and `optimal_lattice` find
    it.

    If the model holds at no node of a height, binary search leaves out all lower heights. That is right if the number
    of records to be left out never grows with generalization: for k-anonymity and distinct l-diversity, and without
    suppression for all models that unions of groups keep. For other models, a group that is suppressed at one node can
    be part of a group at a node above, and make it fail. The lower heights are then searched as well: more nodes are
    looked at, and the height is the least one for every model.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import KAnonymity
    >>> release = Samarati().anonymize(hospital(), KAnonymity(k=2), suppression=1 / 7)
    >>> release.recoding.levels
    {'Job': 0, 'Sex': 0, 'Age': 1}
    >>> release.provenance["search"]
    {'nodes': 18, 'checked': 9, 'height': 1, 'safe_at_height': 2}

    References: Samarati (2001), "Protecting respondents' identities in microdata release"; book, section 5.1.1.1.
    """

    counts_persons: ClassVar[bool] = True

    objective: str = param("minimal_distortion", doc="name of the metric that chooses among nodes of the least height")
    most: int = param(1_000_000, doc="largest lattice it will search", at_least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        objective_metric(self.objective)

    def prepare(self) -> None:
        """Compile the loops, or load them from the cache, by generalizing two rows."""
        prepare_search(Samarati())

    def _choose_levels(
        self, lattice: Lattice, table: Table, model: GroupModel, suppression: float
    ) -> tuple[Levels, dict[str, Any]]:
        from sfumato.algorithms.full_domain.nodes import LatticeNodes

        refuse_large_lattice(lattice, self.name(), self.most)
        search = _HeightSearch(LatticeNodes(lattice, table, model, suppression, objective_metric(self.objective)))
        search.run()
        facts: dict[str, Any] = {"nodes": lattice.size, "checked": search.checked}
        if not search.safe:
            return lattice.top, facts
        best = min(search.safe, key=lambda node: node.order).levels
        return best, facts | {"height": sum(best), "safe_at_height": len(search.safe)}


class _HeightSearch:
    """The search for the least height at which the model holds; `safe` are all nodes of this height where it does."""

    def __init__(self, nodes: LatticeNodes) -> None:
        self.nodes = nodes
        self.safe: list[Node] = []
        self.checked = 0

    def run(self) -> None:
        """Find the least height; all columns at their roots are looked at only if nothing less general holds."""
        most = sum(self.nodes.lattice.heights)
        if not self._below(0, most):
            self.safe = self._at_height(most)[0]

    def _below(self, low: int, high: int) -> bool:
        """Find the least height from `low` to one below `high`, and return whether there is one."""
        if low >= high:
            return False
        middle = (low + high) // 2
        safe, none_below = self._at_height(middle)
        if safe:
            self.safe = safe
            self._below(low, middle)
            return True
        # The model holds nowhere at this height. Unless it is known to hold nowhere below,
        # the least height may still be a lower one.
        return (not none_below and self._below(low, middle)) or self._below(middle + 1, high)

    def _at_height(self, height: int) -> tuple[list[Node], bool]:
        """The nodes of a height at which the model holds, and whether it is known to hold at no lower height."""
        safe, none_below = [], True
        for levels in self.nodes.lattice.at_height(height):
            advance("searching", self.checked, self.nodes.lattice.size)
            self.checked += 1
            node, nothing_below = self.nodes.check(levels)
            none_below &= nothing_below
            if node is not None:
                safe.append(node)
        return safe, none_below
