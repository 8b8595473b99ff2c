"""The customers of Kabir (2010), tables 2.2, 2.5, 3.2 and 3.3: their data, purposes and choices."""

from __future__ import annotations

from typing import Any

TREE = {
    "General": ["Admin", "Purchase", "Shipping", "Marketing"],
    "Admin": ["Profiling", "Analysis"],
    "Marketing": ["Direct", "Third-Party"],
    "Direct": ["D-Email", "D-Phone"],
    "D-Email": ["Special-Offers", "Service-Updates"],
    "Third-Party": ["T-Email", "T-Postal"],
}
_SHORT = {"G": "General", "A": "Admin", "M": "Marketing", "S": "Shipping"}
COLUMNS = ("name", "age", "address", "income")
CUSTOMERS = [
    (1, "Alice", 35, "21, West St., TBA, QLD 4350", 35000),
    (2, "Bob", 29, "45, Fay CT., TBA, QLD 4350", 23000),
    (3, "Ron", 56, "20, Anita Dr., TBA, QLD 4350", 56000),
    (4, "Jak", 48, "25, Wuth St., TBA, QLD 4350", 48000),
]
TABLE_3_2 = {
    1: ("G||", "G|M|A", "G||AS", "G|A|M"),
    2: ("G||", "G|M|", "G|M|AS", "G|M|A"),
    3: ("G||", "G|M|", "G||AS", "G|S|A"),
    4: ("G||", "G|M|", "G|M|A", "G|M|A"),
}
TABLE_2_2 = {**TABLE_3_2, 1: ("G||", "|M|A", "G||AS", "G|A|M")}
TABLE_3_3 = {
    1: ("A", "30-40", "West St., TBA, QLD 4350", "30000-40000"),
    2: ("B", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"),
    3: ("R", "50-60", "Anita Dr., TBA, QLD 4350", "50000-60000"),
    4: ("J", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"),
}
FORMS = {
    "name": {"transform": "first_letter"},
    "age": {"transform": "bucket", "width": 10},
    "address": {"transform": "drop_house_number"},
    "income": {"transform": "bucket", "width": 10000},
}


def choices() -> dict[str, dict[str, list[str]]]:
    """Every triple of intended purposes that somebody chose, by its short name."""
    every = dict.fromkeys(cell for table in (TABLE_3_2, TABLE_2_2) for row in table.values() for cell in row)
    parts = ("allowed", "conditional", "prohibited")
    return {
        cell: {part: [_SHORT[letter] for letter in text] for part, text in zip(parts, cell.split("|"), strict=True)}
        for cell in every
    }


def policy(row_policy: str = "mask_cell", *, closes_upward: bool = True) -> dict[str, Any]:
    """The policy, for everybody in marketing to ask for Marketing, and for the owner to ask for anything."""
    columns = {name: {"by_choice": True, "conditions": [FORMS[name]]} for name in COLUMNS}
    return {
        "name": "customers",
        "closes_upward": closes_upward,
        "purposes": TREE,
        "choices": choices(),
        "tables": {"customer": {"key": "id", "allowed": ["General"], "row_policy": row_policy, "columns": columns}},
        "roles": {"marketing": {}, "e-marketing": {"parent": "marketing"}, "owner": {}},
        "conditional_roles": {
            "senior": {"role": "e-marketing", "when": "experience > 10 and 9 <= hour and hour <= 17"},
        },
        "permissions": [
            {"role": "senior", "table": "customer", "purpose": "Marketing"},
            {"role": "owner", "table": "customer", "purpose": "General"},
        ],
    }


def chosen(table: dict[int, tuple[str, ...]]) -> dict[int, dict[str, int]]:
    """The choice of every customer and column, by its place among all choices."""
    place = {name: number + 1 for number, name in enumerate(choices())}
    return {key: {column: place[cell] for column, cell in zip(COLUMNS, row, strict=True)} for key, row in table.items()}
