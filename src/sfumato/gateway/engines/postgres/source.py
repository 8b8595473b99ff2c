"""PostgreSQL as a source of the gateway: every purpose has a schema of masked views and a role, created by deployment.

`deployment/policy_deployment.py` derives that deployment from a policy.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from psycopg.conninfo import make_conninfo
from sqlglot import exp

from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.engines.postgres.deployment.deployed_names import schema_of
from sfumato.gateway.engines.postgres.engine import CONNECTIONS, Epoch, PostgresEngine
from sfumato.gateway.engines.postgres.ledger_entries import PostgresEntries
from sfumato.gateway.engines.postgres.stored_choices import choice_history, store_choices
from sfumato.gateway.engines.postgres.table_catalogue import constraints_of
from sfumato.gateway.engines.source import UNATTRIBUTED, Source
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.engines.entry_store import EntryStore


class PostgresSource(Source):
    """Runs queries as the role of their purpose, which can read the masked views of that purpose and nothing else.

    `conninfo` is the gateway's connection without a user; the role of the purpose is added. `owner` connects as the
    owner of the tables, to look up column types and constraints, to store choices and to keep the ledger.
    """

    engine: ClassVar[str] = "postgres"

    def __init__(self, policy: Policy, conninfo: str, *, owner: str, prefix: str = "sfumato") -> None:
        self._policy = policy
        self._conninfo = conninfo
        self._owner = owner
        self._prefix = prefix
        self._engines: dict[str, PostgresEngine] = {}
        self._types: dict[str, Mapping[str, ColumnType]] = {}
        self._entries = PostgresEntries(owner)
        self._lock = threading.Lock()

    @property
    def parallel_queries(self) -> int:
        """One query per connection."""
        return CONNECTIONS

    def types(self, table: str) -> Mapping[str, ColumnType]:
        """The columns of a table and their types, without the columns that hold choices."""
        if table not in self._types:
            self._types[table] = owner_types(self._owner, table)
        return self._types[table]

    def constraints(self, table: str) -> Constraints:
        """The constraints of a table, read every time, because they can change while the gateway runs."""
        return constraints_of(self._owner, table)

    def entries(self, table: str) -> EntryStore:
        """The ledger is in the database; only the owner can read it."""
        return self._entries

    def stored_table(self, view: PurposeView) -> exp.Table:
        """A view in the schema of its purpose."""
        return exp.table_(view.name, db=schema_of(view.purpose, self._prefix), quoted=True)

    def ready(self, views: Sequence[PurposeView]) -> None:
        """Nothing to do: views show current data, and the answer is checked against the deployed policy."""

    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        """Run a query as the role of the purpose; an answer from another deployment is discarded."""
        # The views in the database enforce the policy that was deployed. An
        # answer under another policy than this gateway's may show too much.
        epoch = Epoch(schema_of(purpose, self._prefix), self._policy.digest)
        engine = self._engine(purpose)
        return engine.ask(sql, parameters, seconds=limits.seconds, rows=limits.rows, epoch=epoch)

    def choose(self, table: str, choices: Sequence[pa.Table], entered: ChoiceAuthor = UNATTRIBUTED) -> None:
        """Store choices beside the values in the owner's table, as the owner."""
        store_choices(self._owner, table, self._policy.table(table).key, choices, entered)

    def choice_history(self, table: str, key: str) -> list[ChoiceRecord]:
        """The choices of the person with a key over time, the oldest first."""
        return choice_history(self._owner, self._prefix, table, key)

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for engine in self._engines.values():
                engine.close()
            self._engines.clear()

    def _engine(self, purpose: str) -> PostgresEngine:
        with self._lock:
            if purpose not in self._engines:
                role = schema_of(purpose, self._prefix)
                self._engines[purpose] = PostgresEngine(make_conninfo(self._conninfo, user=role), owner=self._owner)
            return self._engines[purpose]


def owner_types(owner: str, table: str) -> Mapping[str, ColumnType]:
    """The columns of one of the owner's tables and their types, without the columns that hold choices."""
    with PostgresEngine(owner, owner=owner) as engine:
        types = engine.types(table)
    return {name: ColumnType.of_postgres(kind) for name, kind in types.items() if not name.endswith(".choice")}
