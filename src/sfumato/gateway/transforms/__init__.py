"""Weaker forms of a value that people agree to show on a condition. One transform per file."""

from sfumato.gateway.transforms.bucket import Bucket
from sfumato.gateway.transforms.calendar import Calendar
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.drop_house_number import DropHouseNumber
from sfumato.gateway.transforms.first_letter import FirstLetter
from sfumato.gateway.transforms.generalize import Generalize
from sfumato.gateway.transforms.hide_identifiers import HideIdentifiers
from sfumato.gateway.transforms.prefix import Prefix
from sfumato.gateway.transforms.round_to import RoundTo

__all__ = [
    "Bucket",
    "Calendar",
    "ColumnType",
    "DropHouseNumber",
    "FirstLetter",
    "Generalize",
    "HideIdentifiers",
    "Prefix",
    "RoundTo",
]
