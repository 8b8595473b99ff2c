"""PostgreSQL as a source: every purpose has a schema of masked views and a role, made by `gateway deploy`."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from psycopg.conninfo import make_conninfo
from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.answers.limits import Limits
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.engines.postgres.clock import during, span, today
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.deployment import Deployment, PurposeSchema
from sfumato.gateway.engines.postgres.engine import CONNECTIONS, Epoch, PostgresEngine
from sfumato.gateway.engines.postgres.ledger_entries import PostgresEntries
from sfumato.gateway.engines.postgres.shapes import constraints_of
from sfumato.gateway.engines.postgres.stored_choices import choice_history, store_choices
from sfumato.gateway.engines.postgres.tools import (
    ToolsView,
    days_of_change,
    has_ended,
    select_permissions,
    tools_refusal,
)
from sfumato.gateway.engines.source import ENTERED_BY_NOBODY, Source
from sfumato.gateway.people.choosing import ChoiceMade, Entered
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.statistics.ledger import EntryStore

_MAX_LINKING_COLUMNS = 4
"""So many columns of a table may be shown on the condition that whose they are is hidden; each doubles the views."""

Types = Mapping[str, Mapping[str, ColumnType]]


class PostgresSource(Source):
    """Asks as the role of a purpose, which can read the masked views of that purpose and nothing else.

    `conninfo` is how the gateway connects, without a user: it connects as the role of the purpose. `owner` is how the
    owner of the tables does, who is asked for the types of columns and keeps what people choose.
    """

    engine: ClassVar[str] = "postgres"

    def __init__(self, policy: Policy, conninfo: str, *, owner: str, home: str = "sfumato") -> None:
        self._policy = policy
        self._conninfo = conninfo
        self._owner = owner
        self._home = home
        self._engines: dict[str, PostgresEngine] = {}
        self._types: dict[str, Mapping[str, ColumnType]] = {}
        self._entries = PostgresEntries(owner)
        self._lock = threading.Lock()

    @property
    def at_once(self) -> int:
        """One for every connection."""
        return CONNECTIONS

    def types(self, table: str) -> Mapping[str, ColumnType]:
        """The columns of a table and their types, without those in which choices are kept."""
        if table not in self._types:
            self._types[table] = owner_types(self._owner, table)
        return self._types[table]

    def constraints(self, table: str) -> Constraints:
        """What PostgreSQL makes sure of now; somebody may change it while the gateway runs."""
        return constraints_of(self._owner, table)

    def entries(self, table: str) -> EntryStore:
        """In the database, where its owner alone can read it."""
        return self._entries

    def place(self, view: PurposeView) -> exp.Table:
        """A view in the schema of its purpose."""
        return exp.table_(view.name, db=schema_of(view.purpose, self._home), quoted=True)

    def ready(self, views: Sequence[PurposeView]) -> None:
        """Views always show the data of this moment; that they are of this policy is seen with the answer."""

    def ask(self, purpose: str, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        """Ask as the role of the purpose; an answer of another deployment is thrown away."""
        epoch = Epoch(schema_of(purpose, self._home), self._policy.digest)
        engine = self._engine(purpose)
        return engine.ask(sql, parameters, seconds=limits.seconds, rows=limits.rows, epoch=epoch)

    def choose(self, table: str, choices: Sequence[pa.Table], entered: Entered = ENTERED_BY_NOBODY) -> None:
        """Beside the values in the owner's table, as its owner."""
        store_choices(self._owner, table, self._policy.table(table).key, choices, entered)

    def choice_history(self, table: str, key: str) -> list[ChoiceMade]:
        """What the person with a key chose when, the oldest first."""
        return choice_history(self._owner, self._home, table, key)

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for engine in self._engines.values():
                engine.close()
            self._engines.clear()

    def _engine(self, purpose: str) -> PostgresEngine:
        with self._lock:
            if purpose not in self._engines:
                role = schema_of(purpose, self._home)
                self._engines[purpose] = PostgresEngine(make_conninfo(self._conninfo, user=role), owner=self._owner)
            return self._engines[purpose]


def owner_types(owner: str, table: str) -> Mapping[str, ColumnType]:
    """The columns of one of the owner's tables and their types, without those in which choices are kept."""
    with PostgresEngine(owner, owner=owner) as engine:
        found = engine.types(table)
    return {name: ColumnType.of_postgres(kind) for name, kind in found.items() if not name.endswith(".choice")}


@cache
def schema_of(purpose: str, home: str) -> str:
    """The schema of a purpose, and the role that reads it.

    >>> schema_of("Third-Party", "sfumato")
    'sfumato_third_party'
    """
    return f"{home}_{re.sub(r'[^a-z0-9]+', '_', purpose.lower())}"


def deployment_of(policy: Policy, types: Types, *, day: date, home: str = "sfumato", tools: bool = True) -> Deployment:
    """What a policy puts into a database: views and a role of the gateway for every purpose that somebody may ask for.

    With `tools` also flat views and a login for other tools, where every permission lets see something.
    """
    purposes = purposes_in_use(policy, day)
    names = [name for purpose in purposes for name in (schema_of(purpose, home), tools_login(purpose, home))]
    if len(set(names)) < len(names):
        raise PolicyError("two purposes would have the same schema; give one a name that differs in letters or digits.")
    made = [_schema(policy, purpose, types, day, home, tools=tools) for purpose in purposes]
    return Deployment(
        digest=policy.digest,
        purposes=tuple(schema for schema, _ in made),
        choices=policy.choices,
        choice_columns=tuple(_choice_columns(policy)),
        home=home,
        notes=tuple(note for _, notes in made for note in notes),
    )


def purposes_in_use(policy: Policy, day: date) -> list[str]:
    """The purposes that a permission to ask names, and those below; not by permissions that have ended."""
    permissions = [one for one in policy.sections.permissions if one.operation == "select" and not has_ended(one, day)]
    in_use = policy.tree.down([one.purpose for one in permissions])
    return [purpose for purpose in policy.tree.parents if purpose in in_use]


def tools_login(purpose: str, home: str) -> str:
    """The login of other tools for a purpose, and the schema of flat views that it reads."""
    return f"{schema_of(purpose, home)}_bi"


def tools_logins(policy: Policy, *, day: date, home: str) -> list[str]:
    """The logins of other tools that a policy lets see something, by its permissions alone."""
    return [
        tools_login(purpose, home)
        for purpose in purposes_in_use(policy, day)
        if any(tools_refusal(policy, purpose, table, day) is None for table in policy.sections.tables)
    ]


def _schema(
    policy: Policy, purpose: str, types: Types, day: date, home: str, *, tools: bool
) -> tuple[PurposeSchema, list[str]]:
    """What is deployed for a purpose, and what is to be said about it."""
    schema = schema_of(purpose, home)
    views: dict[str, exp.Select] = {}
    flat: dict[str, exp.Select] = {}
    notes: list[str] = []
    for table in policy.sections.tables:
        if all(has_ended(one, day) for one in select_permissions(policy, purpose, table)):
            continue  # nobody may ask it
        for view in _variants(policy, table, purpose, types[table], day):
            if view.columns:
                views[view.name] = _masked_select(view, policy, day)
            if tools and not view.referencing:
                tools_view = ToolsView(view, schema)
                notes += tools_view.notes()
                if tools_view.refusal is None:
                    flat[f"{view.name}_flat"] = tools_view.select(views[view.name].named_selects)
    if tools and not flat:
        notes.append(f"no login for tools of {purpose}: there is no view that it could read.")
    return PurposeSchema(purpose=purpose, schema=schema, role=schema, views=views, flat_views=flat), notes


def _variants(
    policy: Policy, table: str, purpose: str, types: Mapping[str, ColumnType], day: date
) -> Iterator[PurposeView]:
    """The view of a table with every set of columns that are shown only if identifiers are not."""
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
    """The masked view; it shows nothing any more from the day on which the policy means something else.

    Where rows may be missing, no condition of a question reaches them: OFFSET keeps PostgreSQL from looking for rows by
    it, with an index, before others are dropped, which the time of a question would tell. It costs reading the table.
    """
    made = view.select(exp.table_(view.table, db="public", quoted=True), "postgres", today=today())
    _, end = span(days_of_change(policy.sections.rules), day)
    made = made.where(*during(None, end))
    return made.offset(0) if view.drops_rows else made


def _choice_columns(policy: Policy) -> Iterator[ChoiceColumn]:
    for name, table in policy.sections.tables.items():
        for column, settings in table.columns.items():
            if settings.by_choice:
                yield ChoiceColumn(table=name, key=table.key, column=column)
