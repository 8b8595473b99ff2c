"""What any kind of data must answer, whatever its records look like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from sfumato.data.schema import Schema
    from sfumato.engines.base import Engine


class Data(ABC):
    """Records about persons, with roles and a source. `Table` is the first kind.

    `kind` names the kind of data; models, algorithms, metrics and attacks declare in `serves` which kinds they are for.
    """

    kind: ClassVar[str]

    schema: Schema
    source: Engine | None

    @property
    @abstractmethod
    def records(self) -> int:
        """How many records there are."""

    @property
    @abstractmethod
    def persons(self) -> int:
        """How many persons the records are about: as many as records where no column is the person's key."""
