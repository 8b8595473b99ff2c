"""Where spoiled statements and policies are tried: a shop with both compilers and a real engine."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa
from sqlglot import exp

from sfumato.errors import SfumatoError
from sfumato.gateway.engines.duckdb.embedded import EmbeddedSource
from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.authority import Authority
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.views import PurposeView
from tests.gateway import kabir
from tests.gateway.questions import TABLES
from tests.gateway.shops import CHOICES, CHOSEN, DAY, PURPOSE, Shop

ANALYST = Person("ana", frozenset({"analyst"}), {})


class OpenShop:
    """A shop behind a gateway, with one process that answers; and the compiler for the other engine."""

    def __init__(self) -> None:
        self._shop = Shop(3)
        keys = {"person": "id", "visit": "visit"}
        private = PrivateDuckDb(keys=keys, choices=CHOSEN)
        for table, rows in self._shop.rows.items():
            names = {"int": "INTEGER", "text": "VARCHAR"}
            columns = ", ".join(f'"{name}" {names[kind]}' for name, kind in TABLES[table].items())
            private.change(table, f'CREATE TABLE "{table}" ({columns})')
            private.change(
                table, rows=pa.Table.from_pylist([{name: row[name] for name in TABLES[table]} for row in rows])
            )
            chosen = [
                {name: row[name] for name in row if name == keys[table] or name.endswith(".choice")} for row in rows
            ]
            private.set_choices(table, pa.Table.from_pylist(chosen))
        limits = Limits(seconds=1, memory="128MB")
        self.gateway = Gateway(_with_people(), EmbeddedSource(private, children=1, limits=limits), limits=limits)

    def asked(self, text: str) -> str | None:
        """The refusal of a text, if it is refused."""
        with suppress(SfumatoError):
            self._shop.compiled(text, "postgres")
        try:
            self.gateway.query(text, person=ANALYST, purpose=PURPOSE).rows()
        except SfumatoError as refusal:
            return str(refusal)
        return None

    def close(self) -> None:
        self.gateway.close()


def _with_people() -> Policy:
    given = Shop(3).policy.sections.model_dump(mode="json", exclude_defaults=True)
    permissions = [{"role": "analyst", "table": table, "purpose": PURPOSE} for table in TABLES]
    return Policy.of({**given, "choices": CHOICES, "roles": {"analyst": {}}, "permissions": permissions})


_CUSTOMER = {
    name: ColumnType.of_duckdb("INTEGER" if name in ("id", "age", "income") else "VARCHAR")
    for name in ("id", *kabir.COLUMNS)
} | {"since": ColumnType.of_duckdb("DATE")}


def read_policy(given: dict[Any, Any]) -> str | None:
    """The refusal of a policy, if it is refused; where it is not, all that is made of it is made."""
    try:
        policy = Policy.of(given)
        Authority.of(policy.sections)
        for table in policy.sections.tables:
            for purpose in list(policy.tree.parents)[:3]:
                view = PurposeView.of(policy, table, purpose, _CUSTOMER, day=DAY, referencing=None)
                for engine in ("duckdb", "postgres"):
                    if view.columns:
                        view.select(exp.to_table("raw"), engine, today=exp.CurrentDate()).sql(engine)
    except SfumatoError as refusal:
        return str(refusal)
    return None
