"""The choices of data subjects: read from a file or from rows, with their author and their history.

`views.access_rules` decides what a choice allows.
"""

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
"""The key of a person, the column that the choice is about, and its name; an empty name withdraws a choice."""


@dataclass(frozen=True)
class ChoiceAuthor:
    """Who enters choices: a user of the gateway, or the owner of the data, whose name on the machine is `login`."""

    by: str = ""
    login: str = ""


OWNER = "owner"
"""The author of choices that are entered on the command line."""


@dataclass(frozen=True)
class ChoiceRecord:
    """One entry of the history of choices: the choice for a column from a moment on, and who entered it.

    `choice` is empty if a choice was withdrawn. `entered_by` is empty if the choice was changed in the database itself,
    by its user `login`.
    """

    at: datetime
    column: str
    choice: str
    entered_by: str
    login: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**vars(self), "at": self.at.isoformat()}


def demand_stable_positions(names: Sequence[str], kept: Sequence[str]) -> None:
    """Refuse names that give a stored position another meaning: choices are stored by their position.

    >>> demand_stable_positions(["all", "none", "new"], ["all", "none"])
    """
    if list(names[: len(kept)]) != list(kept):
        raise PolicyError(
            "choices of people are stored by their position in [choices], and the policy has other names at these "
            "positions now; keep those that were there, in their order, and add new ones after them."
        )


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
    """One table of keys and positions of choices for every column that the rows name; an empty choice withdraws one."""
    import pyarrow as pa

    key, positions = policy.table(table).key, {name: place + 1 for place, name in enumerate(policy.choices)}
    by_column: dict[str, dict[str, int]] = {}
    for person, column, choice in rows:
        if not all(isinstance(part, str) and _is_text(part) for part in (person, column, choice)):
            raise PolicyError(f"a choice for {table!r} has a key, a column and the name of a choice, all texts.")
        if not policy.column(table, column).by_choice:
            raise PolicyError(f"nobody chooses about column {column!r} of {table!r}.")
        if choice and choice not in positions:
            raise PolicyError(f"there is no choice {choice!r}; {nearest(choice, positions)}")
        by_column.setdefault(column, {})[person] = positions.get(choice, 0)
    return [
        pa.table({key: list(position_by_key), f"{column}.choice": pa.array(list(position_by_key.values()), pa.int16())})
        for column, position_by_key in by_column.items()
    ]


def _is_text(part: str) -> bool:
    """Whether it can be encoded; an unpaired surrogate cannot."""
    return part.encode("utf-8", "ignore").decode() == part
