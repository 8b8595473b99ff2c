"""Background: what an attacker may know of a person before seeing a release.

A background answers one question: how does it group the records that are seen? Known columns of a table are the first
kind; items, subsequences and degrees of other kinds of data answer the same question.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.disclosure.groups import Groups
from sfumato.disclosure.view import View


class Grouping(NamedTuple):
    """Records as one piece of knowledge groups them: row i of the view is row `number[i]` of the grouped table."""

    groups: Groups
    number: NDArray[np.int32] | None = None

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group of every row of the view."""
        labels = self.groups.labels if self.groups.labels is not None else np.zeros(0, dtype=np.int32)
        return labels if self.number is None else labels[self.number]


class Background(ABC):
    """What an attacker may know. Every grouping that it gives must satisfy a model."""

    @abstractmethod
    def groupings(self, view: View, asked: tuple[str, ...]) -> Iterator[Grouping]:
        """The ways in which it groups what is seen, by somebody who asks for the values of some columns."""
