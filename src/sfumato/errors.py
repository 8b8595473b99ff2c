"""Every error sfumato raises, by type. Messages name settings, columns and counts, never a person's values.

SfumatoError
├── UsageError            wrong use: the caller can mend the call           (exit code 2)
│   ├── ParameterError    a setting outside what it allows
│   ├── SchemaError       columns and roles that do not fit the data or each other
│   ├── TaxonomyError     a taxonomy that is no tree over the column's values
│   ├── PlanError         a plan file that cannot be read as a plan
│   ├── PolicyError       a policy of the gateway that cannot be read, or contradicts itself
│   ├── StatementError    a question that the gateway does not understand or offer
│   ├── KnowledgeError    rules that say nothing or contradict themselves
│   └── UnsuitableError   an algorithm that cannot serve this model
├── DeniedError           somebody asks for what nobody let them ask for       (exit code 5)
├── InfeasibleError       no release satisfies what was asked                (exit code 3)
├── DataError             data that cannot be read                           (exit code 4)
│   ├── LockedError       a file that another process has open
│   ├── UnreachableError  a database that cannot be reached, or is not ready
│   └── OutputError       a result that cannot be written
├── BudgetError           an allowance that is spent                         (exit code 3)
└── LimitError            an answer that takes too much time, memory or rows (exit code 3)
    ├── RowLimitError     an answer that has more rows than it may
    ├── RateError         somebody asks too often, or too much at once
    └── BusyError         there is no room for the question now
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SfumatoError(Exception):
    """The root of the tree; `exit_code` is what the command line answers with.

    `outside` is what somebody hears instead of the message who asks a gateway from outside, where the message is for
    whoever runs it.
    """

    exit_code = 2
    outside: str | None = None


class UsageError(SfumatoError, ValueError):
    """The call, not the data, is wrong."""


class ParameterError(UsageError):
    """A setting outside what it allows."""


class SchemaError(UsageError):
    """Columns and roles that do not fit the data or each other."""


class TaxonomyError(UsageError):
    """A taxonomy that is no tree over the column's values."""


class KnowledgeError(UsageError):
    """Rules that say nothing, or nothing about this table."""


class PlanError(UsageError):
    """A plan file that cannot be read as a plan."""


class PolicyError(UsageError):
    """A policy of the gateway that cannot be read, or contradicts itself."""

    outside = "the gateway cannot answer by its policy now; ask again later."


class StatementError(UsageError):
    """A question that the gateway does not understand, or does not offer."""


class UnsuitableError(UsageError):
    """An algorithm, metric or attack that cannot serve what it was given."""


class DeniedError(SfumatoError):
    """Somebody asks for what nobody let them ask for."""

    exit_code = 5


class InfeasibleError(SfumatoError):
    """No release satisfies what was asked; the message says why."""

    exit_code = 3


class BudgetError(SfumatoError):
    """An allowance that is spent."""

    exit_code = 3


class LimitError(SfumatoError):
    """An answer that takes more time, memory or rows than it may."""

    exit_code = 3


class RowLimitError(LimitError):
    """An answer that has more rows than it may."""


class RateError(LimitError):
    """Somebody asks too often, or too many questions at once; `wait` is after how many seconds they may ask again."""

    def __init__(self, said: str, wait: int = 1) -> None:
        super().__init__(said)
        self.wait = wait


class BusyError(LimitError):
    """The engine has no room for the question now; the same question can be answered later."""


class DataError(SfumatoError):
    """Data that cannot be read."""

    exit_code = 4


class LockedError(DataError):
    """A file that another process has open; it may be free a moment later."""


class UnreachableError(DataError):
    """A database that cannot be reached, or is not ready; why is for whoever runs the gateway.

    `turned_away` says that a server answers, and does not let somebody in.
    """

    outside = "the database cannot be reached; ask again later."

    def __init__(self, said: str, *, turned_away: bool = False) -> None:
        super().__init__(said)
        self.turned_away = turned_away


class OutputError(DataError):
    """A result that cannot be written; what was there before is still there."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint for a mistyped name: the nearest allowed one, or all of them when they are few.

    >>> nearest("k_anonimity", ["k_anonymity", "t_closeness"])
    "did you mean 'k_anonymity'?"
    """
    choices = sorted(allowed)
    close = get_close_matches(str(name), choices, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
    return f"allowed: {shown}."


def listed(values: Iterable[object], limit: int = 10) -> str:
    """Up to `limit` values and how many there are in all, for messages that may name quasi values.

    >>> listed(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    everything = list(values)
    shown = ", ".join(repr(str(value)) for value in everything[:limit])
    more = len(everything) - limit
    return shown if more <= 0 else f"{shown} and {more} more"
