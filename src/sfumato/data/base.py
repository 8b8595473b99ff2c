"""The contract of data: what every kind of data provides, whatever its records look like.

`Table` implements it; models, algorithms, metrics and attacks take any kind of data that they declare to serve.
"""

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
        """The number of records."""

    @property
    @abstractmethod
    def persons(self) -> int:
        """The number of persons that the records are about; the number of records if no column is a person key."""

    def __repr__(self) -> str:
        """How much data it is; a representation ends up in notebooks and logs, so it shows no value."""
        about = f" of {self.persons:,} persons" if self.schema.person else ""
        return f"<{type(self).__name__}: {self.records:,} records{about}>"

    @property
    def repeats_persons(self) -> bool:
        """Whether some person has several records, so that counting persons and counting records differ."""
        return self.persons < self.records
