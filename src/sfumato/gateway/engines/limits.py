"""How much one query may use."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import ParameterError


@dataclass(frozen=True)
class Limits:
    """Seconds, rows and memory that one query may use.

    >>> Limits(seconds=0)
    Traceback (most recent call last):
        ...
    sfumato.errors.ParameterError: a query needs seconds > 0 and rows >= 1; got 0 and 100000.
    """

    seconds: float = 10.0
    rows: int = 100_000
    memory: str = "1GB"

    def __post_init__(self) -> None:
        if not self.seconds > 0 or self.rows < 1:
            raise ParameterError(f"a query needs seconds > 0 and rows >= 1; got {self.seconds} and {self.rows}.")
