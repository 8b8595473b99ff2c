"""Where the gateway's data lie: the contract that DuckDB and PostgreSQL fulfil."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from sfumato.errors import UsageError
from sfumato.gateway.answers.limits import Limits
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.people.choosing import ChoiceAuthor, ChoiceRecord
from sfumato.gateway.sql.compiling import unqualified_table
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.statistics.ledger import EntryStore
    from sfumato.gateway.transforms.column_types import ColumnType


ENTERED_BY_NOBODY = ChoiceAuthor()


class Source(ABC):
    """A database with raw data on one side and masked relations on the other; questions run on the other side."""

    engine: ClassVar[str]

    @abstractmethod
    def types(self, table: str) -> Mapping[str, ColumnType]:
        """The columns of a table and their types."""

    def place(self, view: PurposeView) -> exp.Table:
        """Where the masked relation of a view is."""
        return unqualified_table(view)

    @property
    def at_once(self) -> int:
        """How many questions for one purpose are worth to be asked at once."""
        return 4

    @property
    def of_one_person(self) -> int:
        """How many of them may be one person's, so that something is left for others."""
        return max(1, self.at_once // 2)

    def constraints(self, table: str) -> Constraints:
        """What the database makes sure of in a table; nothing is known of files and views."""
        return Constraints()

    def ledger_name(self, table: str) -> str:
        """What the data of a table are called in their ledger, however a policy spells the table."""
        return table

    @abstractmethod
    def entries(self, table: str) -> EntryStore:
        """Where the ledger of aggregates that were answered of a table lies: with the data themselves."""

    @abstractmethod
    def ready(self, views: Sequence[PurposeView]) -> None:
        """Make sure that the masked relations of these views are there and show the data of this moment."""

    @abstractmethod
    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        """Run SQL where there is nothing but masked relations."""

    @abstractmethod
    def choose(self, table: str, choices: Sequence[pa.Table], entered: ChoiceAuthor = ENTERED_BY_NOBODY) -> None:
        """Keep what people chose: tables of their keys and the places of choices, all of them or none.

        What changes by that is kept as history in the same transaction, with who entered it.
        """

    def choice_history(self, table: str, key: str) -> list[ChoiceRecord]:
        """What the person with a key chose when, the oldest first."""
        raise UsageError("this source keeps no history of choices.")

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""
