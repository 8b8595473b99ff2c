"""What people choose: read from a file or from rows, who entered it, and what they chose when."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import DataError, PolicyError, nearest
from sfumato.gateway.policy.policy import Policy

if TYPE_CHECKING:
    import pyarrow as pa

_HEAD = ("key", "column", "choice")
Choice = tuple[str, str, str]
"""The key of a person, the column that the choice is about, and its name; an empty name takes a choice back."""


@dataclass(frozen=True)
class Entered:
    """Who enters choices: a person of the gateway, or the owner of the data, whose name on the machine is `login`."""

    by: str = ""
    login: str = ""


OWNER = "owner"
"""Who enters choices on the command line."""


@dataclass(frozen=True)
class ChoiceMade:
    """One line of the history of choices: what somebody chose about a column from a moment on, and who entered it.

    `choice` is empty where a choice was taken back. `entered_by` is empty where the choice was changed in the database
    itself, by whoever is `login` there.
    """

    at: datetime
    column: str
    choice: str
    entered_by: str
    login: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "at": self.at.isoformat()}


def demand_places(names: Sequence[str], kept: Sequence[str]) -> None:
    """Choices are kept by their place: refuse names by which a place that is kept would mean another choice.

    >>> demand_places(["all", "none", "new"], ["all", "none"])
    """
    if list(names[: len(kept)]) != list(kept):
        raise PolicyError(
            "what people chose is kept by the place of a choice in [choices], and the policy has others in these "
            "places now; keep those that were there, in their order, and add new ones after them."
        )


def read_choices(path: Path, policy: Policy, table: str) -> list[pa.Table]:
    """One table of keys and places of choices for every column that the file speaks of."""
    return choices_of(read_rows(path), policy, table)


def read_rows(path: Path) -> list[Choice]:
    """The rows of a CSV file of choices."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            reader = csv.DictReader(lines)
            if tuple(reader.fieldnames or ()) != _HEAD:
                raise DataError(f"{path.name!r} must have the columns {', '.join(_HEAD)}.")
            return [(row["key"], row["column"], row["choice"]) for row in reader]
    except (OSError, UnicodeError, csv.Error):
        raise DataError(f"{path.name!r} cannot be read as a CSV file of choices.") from None


def choices_of(rows: Iterable[Choice], policy: Policy, table: str) -> list[pa.Table]:
    """The same from rows of key, column and choice; an empty choice takes one back."""
    import pyarrow as pa

    key, places = policy.table(table).key, {name: place + 1 for place, name in enumerate(policy.choices)}
    by_column: dict[str, dict[str, int]] = {}
    for person, column, choice in rows:
        if not all(isinstance(part, str) and _is_text(part) for part in (person, column, choice)):
            raise PolicyError(f"a choice for {table!r} has a key, a column and the name of a choice, all texts.")
        if not policy.column(table, column).by_choice:
            raise PolicyError(f"nobody chooses about column {column!r} of {table!r}.")
        if choice and choice not in places:
            raise PolicyError(f"there is no choice {choice!r}; {nearest(choice, places)}")
        by_column.setdefault(column, {})[person] = places.get(choice, 0)
    return [
        pa.table({key: list(chosen), f"{column}.choice": pa.array(list(chosen.values()), pa.int16())})
        for column, chosen in by_column.items()
    ]


def _is_text(part: str) -> bool:
    """Whether it can be written: half of a character cannot."""
    return part.encode("utf-8", "ignore").decode() == part
