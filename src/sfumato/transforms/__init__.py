"""Weaker forms of a value that people agree to show on a condition. One transform a file."""

from sfumato.transforms.bucket import Bucket
from sfumato.transforms.calendar import Calendar
from sfumato.transforms.column_types import ColumnType
from sfumato.transforms.drop_house_number import DropHouseNumber
from sfumato.transforms.first_letter import FirstLetter
from sfumato.transforms.generalize import Generalize
from sfumato.transforms.hide_identifiers import HideIdentifiers
from sfumato.transforms.prefix import Prefix
from sfumato.transforms.round_to import RoundTo

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
