"""`Source`: the interface of the gateway to a database; the DuckDB and PostgreSQL sources implement it.

`Gateway` prepares masked relations and runs queries through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from sfumato.errors import UsageError
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord
from sfumato.gateway.sql.compiling import unqualified_table
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.engines.entry_store import EntryStore
    from sfumato.gateway.transforms.column_types import ColumnType


UNATTRIBUTED = ChoiceAuthor()
"""Choices of which it is not recorded who entered them."""


class Source(ABC):
    """A database with private data and masked relations; queries run where only the masked relations exist."""

    engine: ClassVar[str]

    @abstractmethod
    def types(self, table: str) -> Mapping[str, ColumnType]:
        """The columns of a table and their types."""

    def stored_table(self, view: PurposeView) -> exp.Table:
        """The table or view under which the engine holds the rows of a masked relation."""
        return unqualified_table(view)

    @property
    def parallel_queries(self) -> int:
        """How many queries for one purpose may run at once."""
        return 4

    @property
    def parallel_queries_per_person(self) -> int:
        """How many of them may belong to one person, so that others are still served."""
        return max(1, self.parallel_queries // 2)

    def constraints(self, table: str) -> Constraints:
        """The constraints that the database enforces on a table; none are known of files and views."""
        return Constraints()

    def ledger_name(self, table: str) -> str:
        """The name of a table's data in their ledger, however a policy spells the table."""
        return table

    @abstractmethod
    def entries(self, table: str) -> EntryStore:
        """The store of the ledger of answered aggregates of a table, which lies with the data."""

    @abstractmethod
    def ready(self, views: Sequence[PurposeView]) -> None:
        """Make sure that the masked relations of these views exist and show the current data."""

    @abstractmethod
    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        """Run SQL where only the masked relations of the purpose exist."""

    @abstractmethod
    def choose(self, table: str, choices: Sequence[pa.Table], entered: ChoiceAuthor = UNATTRIBUTED) -> None:
        """Store choices of data subjects, all or none; each table holds keys and choice numbers for one column.

        The same transaction records what changed in the history, with who entered it.
        """

    def choice_history(self, table: str, key: str) -> list[ChoiceRecord]:
        """The choices of the person with a key over time, the oldest first."""
        raise UsageError("this source keeps no history of choices.")

    @abstractmethod
    def close(self) -> None:
        """Close all connections and end all processes."""
