"""The contract of a view: what an attacker sees of a release, for any kind of data.

Models judge views and attacks read them, whether the release is a candidate in memory or a file that was read back.
`TableView` is the view of tables. Other kinds of data derive their own view, and a `Background` groups what it shows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from sfumato.data.base import Data
from sfumato.disclosure.linkage import Linkage

if TYPE_CHECKING:
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table
    from sfumato.disclosure.account import Account


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class View(ABC):
    """What somebody sees of a release; a kind of data defines `data`, the published records of protected persons.

    `linkage` says which columns still belong to one record, and `account` what the algorithm spent of a privacy budget,
    if it kept an account.
    """

    linkage: Linkage = field(default_factory=Linkage)
    account: Account | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.data!r}>"

    @property
    @abstractmethod
    def data(self) -> Data:
        """The published records, without those of persons who waive protection and without suppressed ones."""

    @property
    def schema(self) -> Schema:
        """The roles of the columns."""
        return self.data.schema

    @property
    def people(self) -> Data | None:
        """The same records with their original values, or None if these are not available."""
        return None

    @property
    def truth_known(self) -> bool:
        """Whether `people` tells which sensitive value and which original numbers belong to whom."""
        return False

    @property
    def view(self) -> Self:
        """The view itself; so a release that was read back can be attacked like one that was just made."""
        return self

    def with_derived_columns(self, names: Sequence[str], derive: Callable[[Table], Table], model: str) -> Self:
        """The view with those of the columns `names` that `derive` computes from original values, for a model.

        Only tables have derived columns; other views return themselves.
        """
        return self
