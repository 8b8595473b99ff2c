"""Background knowledge: what an attacker may know of a person before seeing a release.

A background gives the groups of published records that an attacker with this knowledge cannot distinguish. `GroupModel`
judges every such grouping. `KnownColumns` is the background for tables; other kinds of data have items, subsequences or
degrees instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View

ViewT = TypeVar("ViewT", bound=View)


class Grouping(NamedTuple):
    """The groups that one piece of knowledge makes; row i of the view is row `number[i]` of the grouped table.

    Without `number` the grouped table is that of the view.
    """

    groups: Groups
    number: NDArray[np.int32] | None = None

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group of every row of the view."""
        labels = self.groups.labels if self.groups.labels is not None else np.zeros(0, dtype=np.int32)
        return labels if self.number is None else labels[self.number]


class Background(ABC, Generic[ViewT]):
    """What an attacker may know; a model must hold for every grouping that it gives."""

    @abstractmethod
    def groupings(self, view: ViewT, asked: tuple[str, ...]) -> Iterator[Grouping]:
        """The groupings of a view for an attacker who wants to learn the values of the columns `asked`."""
