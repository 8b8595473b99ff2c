"""PostgreSQL as a source of the gateway: every purpose has a schema of masked views and a role, created by deployment.

`PostgresSource` runs queries; `deployment_of` derives from a policy what `sfumato gateway deploy` puts into the
database.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from psycopg.conninfo import make_conninfo
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.engines.postgres.clock import during, span, today
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.deployed_names import flat_name, schema_of, tools_name
from sfumato.gateway.engines.postgres.deployment.deployment import Deployment, PurposeSchema
from sfumato.gateway.engines.postgres.deployment.statements import OWNER_SCHEMA
from sfumato.gateway.engines.postgres.engine import CONNECTIONS, Epoch, PostgresEngine
from sfumato.gateway.engines.postgres.ledger_entries import PostgresEntries
from sfumato.gateway.engines.postgres.stored_choices import choice_history, store_choices
from sfumato.gateway.engines.postgres.table_catalogue import constraints_of
from sfumato.gateway.engines.postgres.tools import (
    ToolsView,
    select_permissions,
    tools_refusal,
)
from sfumato.gateway.engines.source import UNATTRIBUTED, Source
from sfumato.gateway.people.choices import ChoiceAuthor, ChoiceRecord
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.engines.entry_store import EntryStore

_MAX_LINKING_COLUMNS = 4
"""Most columns of a table that are shown only if identifiers are hidden; each doubles the views."""

Types = Mapping[str, Mapping[str, ColumnType]]


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


def deployment_of(
    policy: Policy, types: Types, *, day: date, prefix: str = "sfumato", tools: bool = True
) -> Deployment:
    """What a policy puts into a database: masked views and a role for every purpose that a permission allows.

    With `tools`, also flat views and a login for BI tools, wherever every permission allows something in common.
    """
    purposes = purposes_in_use(policy, day)
    names = [name for purpose in purposes for name in (schema_of(purpose, prefix), tools_login(purpose, prefix))]
    if len(set(names)) < len(names):
        raise PolicyError("two purposes would have the same schema; give one a name that differs in letters or digits.")
    made = [_schema(policy, purpose, types, day, prefix, tools=tools) for purpose in purposes]
    return Deployment(
        digest=policy.digest,
        purposes=tuple(schema for schema, _ in made),
        choices=policy.choices,
        choice_columns=tuple(_choice_columns(policy)),
        prefix=prefix,
        notes=tuple(note for _, notes in made for note in notes),
    )


def purposes_in_use(policy: Policy, day: date) -> list[str]:
    """The purposes that a permission to query names, with their descendants; permissions that ended do not count."""
    permissions = [one for one in policy.sections.permissions if one.operation == "select" and not one.has_ended(day)]
    in_use = policy.tree.down([one.purpose for one in permissions])
    return [purpose for purpose in policy.tree.parents if purpose in in_use]


def tools_login(purpose: str, prefix: str) -> str:
    """The login of BI tools for a purpose, which is also the name of the schema of flat views that it reads."""
    return tools_name(schema_of(purpose, prefix))


def tools_logins(policy: Policy, *, day: date, prefix: str) -> list[str]:
    """The logins of BI tools that a policy's permissions let see something."""
    return [
        tools_login(purpose, prefix)
        for purpose in purposes_in_use(policy, day)
        if any(tools_refusal(policy, purpose, table, day) is None for table in policy.sections.tables)
    ]


def _schema(
    policy: Policy, purpose: str, types: Types, day: date, prefix: str, *, tools: bool
) -> tuple[PurposeSchema, list[str]]:
    """What is deployed for one purpose, and the notes about it."""
    schema = schema_of(purpose, prefix)
    views: dict[str, exp.Select] = {}
    flat: dict[str, exp.Select] = {}
    notes: list[str] = []
    for table in policy.sections.tables:
        if all(one.has_ended(day) for one in select_permissions(policy, purpose, table)):
            continue  # no permission to query it is left
        for view in _variants(policy, table, purpose, types[table], day):
            if view.columns:
                views[view.name] = _masked_select(view, policy, day)
            if tools and not view.referencing:
                tools_view = ToolsView(view, schema)
                notes += tools_view.notes()
                if tools_view.refusal is None:
                    flat[flat_name(view.name)] = tools_view.select(views[view.name].named_selects)
    if tools and not flat:
        notes.append(f"no login for tools of {purpose}: there is no view that it could read.")
    return PurposeSchema(purpose=purpose, schema=schema, role=schema, views=views, flat_views=flat), notes


def _variants(
    policy: Policy, table: str, purpose: str, types: Mapping[str, ColumnType], day: date
) -> Iterator[PurposeView]:
    """The views of a table, one for every subset of the columns that are shown only without identifiers."""
    linking = sorted(PurposeView.of(policy, table, purpose, types, day=day, referencing=None).referencing)
    if len(linking) > _MAX_LINKING_COLUMNS:
        raise PolicyError(
            f"{table!r} has {len(linking)} columns that hide identifiers for {purpose!r}; "
            f"up to {_MAX_LINKING_COLUMNS} are offered."
        )
    for size in range(len(linking) + 1):
        for referencing in combinations(linking, size):
            yield PurposeView.of(policy, table, purpose, types, day=day, referencing=frozenset(referencing))


def _masked_select(view: PurposeView, policy: Policy, day: date) -> exp.Select:
    """The SELECT of a masked view; it returns nothing from the next day on which a rule begins or ends.

    Where rows may be dropped, OFFSET 0 keeps PostgreSQL from applying a query's condition, through an index, before
    rows are dropped; the query's duration would otherwise reveal dropped rows. The price is a scan of the table.
    """
    made = view.select(exp.table_(view.table, db=OWNER_SCHEMA, quoted=True), "postgres", today=today())
    _, end = span((change for rule in policy.sections.rules for change in rule.days_of_change), day)
    made = made.where(*during(None, end))
    return made.offset(0) if view.drops_rows else made


def _choice_columns(policy: Policy) -> Iterator[ChoiceColumn]:
    """The columns about which the data subjects choose themselves."""
    for name, table in policy.sections.tables.items():
        for column, settings in table.columns.items():
            if settings.by_choice:
                yield ChoiceColumn(table=name, key=table.key, column=column)
