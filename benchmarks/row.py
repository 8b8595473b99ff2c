"""One line of the table: a figure, what it is compared with, the bar and whether it is met."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Bar:
    """What must be reached, by the figure itself or by its ratio to something measured in the same run."""

    sense: Literal["at most", "at least"]
    limit: float
    on: Literal["figure", "ratio"] = "figure"

    @property
    def text(self) -> str:
        """As the table shows it."""
        return f"{self.sense} {self.limit:g}{'x' if self.on == 'ratio' else ''}"

    def met(self, value: float) -> bool:
        """Whether the value reaches it."""
        return value <= self.limit if self.sense == "at most" else value >= self.limit


def at_most(limit: float, on: Literal["figure", "ratio"] = "figure") -> Bar:
    """A bar that must not be exceeded."""
    return Bar("at most", limit, on)


def at_least(limit: float, on: Literal["figure", "ratio"] = "figure") -> Bar:
    """A bar that must be reached."""
    return Bar("at least", limit, on)


@dataclass(frozen=True, kw_only=True)
class Row:
    """`ratio` is to what `against` names; `figure` is None where nothing could be measured, and `note` says why."""

    question: str
    name: str
    figure: float | None
    unit: str
    ratio: float | None = None
    against: str = ""
    bar: Bar | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """None where there is no bar or nothing to hold against it."""
        value = self.ratio if self.bar is not None and self.bar.on == "ratio" else self.figure
        return None if self.bar is None or value is None else self.bar.met(value)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        plain = asdict(self) | {"bar": self.bar.text if self.bar else None, "met": self.met}
        return {key: value for key, value in plain.items() if value not in (None, "")}
