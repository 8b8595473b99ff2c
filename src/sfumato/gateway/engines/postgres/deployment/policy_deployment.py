"""What `sfumato gateway deploy` puts into a database for a policy: masked views and a role for every purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import combinations

from sqlglot import exp

from sfumato.errors import PolicyError
from sfumato.gateway.engines.postgres.clock import during, span, today
from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn
from sfumato.gateway.engines.postgres.deployment.deployed_names import flat_name, schema_of, tools_name
from sfumato.gateway.engines.postgres.deployment.deployment import Deployment, PurposeSchema
from sfumato.gateway.engines.postgres.deployment.statements import OWNER_SCHEMA
from sfumato.gateway.engines.postgres.tools import ToolsView, select_permissions, tools_refusal
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView

_MAX_REFERENCING_COLUMNS = 4
"""Most columns of a table that are shown only if identifiers are hidden; each doubles the views."""

Types = Mapping[str, Mapping[str, ColumnType]]


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
    candidates = sorted(PurposeView.of(policy, table, purpose, types, day=day, referencing=None).referencing)
    if len(candidates) > _MAX_REFERENCING_COLUMNS:
        raise PolicyError(
            f"{table!r} has {len(candidates)} columns that hide identifiers for {purpose!r}; "
            f"up to {_MAX_REFERENCING_COLUMNS} are offered."
        )
    for size in range(len(candidates) + 1):
        for referencing in combinations(candidates, size):
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
