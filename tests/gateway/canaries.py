"""Customers with canaries: values that occur once, so that wherever one of them turns up, it has leaked.

Every value has another one beside it, which looks the same in its weaker form and on which every rule decides the same.
The twin of the database for a purpose has the other value wherever the true one is not shown for that purpose. Its
answers must be the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.views.access_rules import access
from sfumato.gateway.views.views import PurposeView, ViewColumn

NOW = datetime(2026, 11, 16, 10, tzinfo=UTC)
PURPOSES = ("Marketing", "Research", "Care")
TYPES = {
    "customer": {
        "id": "integer", "name": "text", "mail": "text", "address": "text", "town": "text", "age": "integer",
        "income": "integer", "balance": "numeric(12,2)", "born": "date", "seen": "timestamp",
        "weight": "double precision",
        "illness": "text", "vip": "boolean", "since": "date",
    },
    "orders": {"id": "integer", "customer": "integer", "amount": "numeric(10,2)", "item": "text", "day": "date"},
}  # fmt: skip
KEYS = {"customer": "id", "orders": "id"}
CHOSEN = {"customer": ["name", "mail", "address", "income", "balance"], "orders": ["item"]}
POLICY: dict[str, Any] = {
    "name": "canaries",
    "purposes": {"General": ["Marketing", "Research", "Care"]},
    "choices": {
        "all": {"allowed": ["General"]},
        "weaker": {"allowed": ["General"], "conditional": ["Marketing", "Research"]},
        "none": {"prohibited": ["General"]},
        "care": {"allowed": ["Care"], "conditional": ["Research"]},
    },
    "tables": {
        "customer": {
            "key": "id",
            "allowed": ["General"],
            "columns": {
                "name": {"by_choice": True, "conditions": [{"transform": "first_letter"}]},
                "mail": {"by_choice": True},
                "address": {"by_choice": True, "conditions": [{"transform": "drop_house_number"}]},
                "income": {"by_choice": True, "conditions": [{"transform": "bucket", "width": 100_000}]},
                "balance": {"by_choice": True, "conditions": [{"transform": "bucket", "width": 100_000}]},
                "born": {"conditional": ["Marketing"], "conditions": [{"transform": "calendar", "unit": "year"}]},
                "seen": {
                    "conditional": ["Research"],
                    "prohibited": ["Marketing"],
                    "conditions": [{"transform": "calendar", "unit": "month"}],
                },
                "weight": {"conditional": ["Research"], "conditions": [{"transform": "round_to", "step": 10}]},
                "illness": {
                    "conditional": ["Research"],
                    "prohibited": ["Marketing"],
                    "conditions": [{"transform": "hide_identifiers", "columns": ["name", "mail", "address"]}],
                },
            },
            "retention": [{"purpose": "Marketing", "column": "since", "days": 36_500}],
        },
        "orders": {
            "key": "id",
            "allowed": ["General"],
            "row_policy": "drop_row",
            "columns": {
                "amount": {"conditional": ["Marketing"], "conditions": [{"transform": "bucket", "width": 100_000}]},
                "item": {"by_choice": True, "conditions": [{"transform": "prefix", "length": 3}]},
                "day": {"prohibited": ["Research"]},
            },
        },
    },
    "rules": [
        {"name": "minors", "table": "customer", "where": "age < 18", "prohibited": ["Marketing", "Research"]},
        {"name": "far", "table": "customer", "columns": ["born", "weight"], "where": "town = 'Far'",
         "prohibited": ["Care"]},
        {"name": "debt", "table": "customer", "columns": ["income"], "where": "balance < 0", "conditional": ["Care"]},
        {"name": "past", "table": "customer", "allowed": ["General"], "valid_until": date(2020, 1, 1)},
    ],
    "roles": {"analyst": {}},
    "permissions": [{"role": "analyst", "table": table, "purpose": "General"} for table in TYPES],
}  # fmt: skip

NAMES = ["Aurorazeta", "Brunhildix", "Cassiopeja", "Dagobertus", "Eulaliette", "Ferdinanda", "Gwendolyne", "Hildebrant",
         "Ignatiusza", "Jacquelina"]  # fmt: skip
OTHERS = ["Anacreonta", "Bonifazius", "Clementina", "Desdemonas", "Epiphanius", "Friederika", "Gallimarda",
          "Hermengild", "Isidorette", "Jeronimius"]  # fmt: skip
DAYS = [11, 27, 4, 19, 8, 23, 15, 2, 29]
CHOICES = [2, 3, 1, 4, None, 2, 2, 1, 2, 2]
"""What every customer chose about all their values, by its place in the policy."""

Pair = tuple[Any, Any]


def customer(place: int) -> dict[str, Pair]:
    """Every value of a customer, and another one that looks the same; the last two differ in who they are alone."""
    look = min(place, 8)
    street = ["Quince", "Medlar", "Sorrel"][place % 3]
    debt = -1 if look in (1, 5) else 1
    odd = 100_000 * look + 137 * look**2  # no value lies half way between two others, nor is their mean
    return {
        "id": (place + 1, place + 1),
        "name": (NAMES[place], OTHERS[place]),
        "mail": (f"{NAMES[place].lower()}@secret.example", f"{OTHERS[place].lower()}@other.example"),
        "address": (f"77{place}31, {street} Street, QLD", f"88{place}42, {street} Street, QLD"),
        "town": ("Far" if look in (2, 6) else "Near",) * 2,
        "age": (11, 12) if look == 3 else (30 + look,) * 2,
        "income": (7_112_345 + odd, 7_154_321 + odd),
        "balance": (Decimal(f"{debt * (6_112_345 + odd)}.27"), Decimal(f"{debt * (6_154_321 + odd)}.84")),
        "born": (date(1951 + look, 3, DAYS[look]), date(1951 + look, 9, DAYS[look])),
        "seen": (datetime(2019, look + 1, 7, 8, 9, 10, 123_457), datetime(2019, look + 1, 21, 3, 4, 5, 765_431)),
        "weight": (round(70.123457 + odd / 10_000, 6), round(70.765431 + odd / 10_000, 6)),
        "illness": (f"illness{place}", f"illness{19 - place - 2}" if place >= 8 else f"illness{place}"),
        "vip": (look % 2 == 0, (look % 2 == 0) != (look in (3, 7))),
        "since": (date(1901, 5, 5) if look == 7 else date(2020, 5, 5),) * 2,
    }


def order(place: int) -> dict[str, Pair]:
    return {
        "id": (place + 1, place + 1),
        "customer": (place % 10 + 1,) * 2,
        "amount": (Decimal(f"{5_112_345 + 19 * place**2}.31"), Decimal(f"{5_154_321 + 19 * place**2}.62")),
        "item": (f"Lamp of {NAMES[place % 10]}", f"Lamps and {OTHERS[place % 10]}"),
        "day": (date(2021, 3, 5 + place), date(2021, 7, 1 + place)),
    }


ROWS: dict[str, list[dict[str, Pair]]] = {
    "customer": [customer(place) for place in range(10)],
    "orders": [order(place) for place in range(12)],
}


def choice(table: str, place: int) -> int | None:
    return CHOICES[place % 10]


def types(table: str) -> dict[str, ColumnType]:
    return {name: ColumnType.of_postgres(kind) for name, kind in TYPES[table].items()}


Views = Mapping[str, Mapping[str, ViewColumn]]
"""For every table the columns of its view for one purpose."""


def views(policy: Policy, purpose: str) -> Views:
    return {
        table: PurposeView.of(policy, table, purpose, types(table), day=NOW.date(), referencing=None).by_name
        for table in ROWS
    }


def shown(seen: Views, purpose: str, table: str, place: int, column: str) -> Access:
    """What is seen of a value, by the plain definition."""
    row = {name: pair[0] for name, pair in ROWS[table][place].items()}
    if table == "customer" and purpose == "Marketing" and row["since"].year < 1920:
        return Access.HIDDEN
    view = seen[table].get(column)
    if view is None:
        return Access.HIDDEN
    found = access(view.rules, row, choice(table, place) or 0 if column in CHOSEN[table] else 0)
    return Access.HIDDEN if found is Access.CONDITIONAL and view.transform is None else found


def database(policy: Policy, twin_for: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """All rows as they are; or, for the twin, with another value wherever the true one is not shown for a purpose."""
    seen = {} if twin_for is None else views(policy, twin_for)
    return {
        table: [
            {column: _value(seen, twin_for, table, place, column) for column in row} for place, row in enumerate(rows)
        ]
        for table, rows in ROWS.items()
    }


def _value(seen: Views, twin_for: str | None, table: str, place: int, column: str) -> Any:
    true, other = ROWS[table][place][column]
    access_to = Access.FULL if twin_for is None else shown(seen, twin_for, table, place, column)
    if (
        access_to is Access.HIDDEN
        and place % 2
        and column in ("name", "mail", "address", "income", "weight", "seen", "item")
    ):
        return None
    return true if access_to is Access.FULL else other


def canaries(policy: Policy, purpose: str) -> dict[str, str]:
    """Every value that must not be seen for a purpose, as a text, and where it is."""
    seen = views(policy, purpose)
    return {
        str(pair[0]): f"{table}.{column} of row {place + 1}"
        for table, rows in ROWS.items()
        for place, row in enumerate(rows)
        for column, pair in row.items()
        if pair[0] != pair[1] and column not in ("illness", "age", "vip")
        and shown(seen, purpose, table, place, column) is not Access.FULL
    }  # fmt: skip


def found_in(text: str, wanted: dict[str, str]) -> list[str]:
    """Where the canaries of a text come from."""
    return [
        where
        for value, where in wanted.items()
        if value in text and re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", text)
    ]
