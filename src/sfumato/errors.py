"""The errors that sfumato raises. Messages contain settings, columns and counts, never values of persons.

SfumatoError
├── UsageError            wrong use: the caller can correct the call         (exit code 2)
│   ├── ParameterError    a setting outside what it allows
│   ├── SchemaError       columns and roles that do not fit the data or each other
│   ├── TaxonomyError     a taxonomy that is no tree over the column's values
│   ├── PlanError         a plan file that cannot be read as a plan
│   ├── PolicyError       a policy of the gateway that cannot be read, or contradicts itself
│   ├── StatementError    a query that the gateway does not understand or support
│   ├── KnowledgeError    rules without effect, or that contradict each other
│   └── UnsuitableError   an algorithm that cannot serve this model
├── DeniedError           a user asks for something that no rule allows      (exit code 5)
├── InfeasibleError       no release satisfies the model                     (exit code 3)
├── DataError             data that cannot be read                           (exit code 4)
│   ├── LockedError       a file that another process has open
│   ├── UnreachableError  a database that cannot be reached, or is not ready
│   └── OutputError       a result that cannot be written
├── BudgetError           a budget that is spent                             (exit code 3)
└── LimitError            an answer that takes too much time, memory or rows (exit code 3)
    ├── RowLimitError     an answer with more rows than allowed
    ├── RateError         a user asks too often, or too much at once
    └── BusyError         the engine has no capacity for the query now
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class SfumatoError(Exception):
    """Base of all errors; `exit_code` is the exit code of the command line.

    `outside` is the message for users of a gateway, if the message itself is only for its operator.
    """

    exit_code = 2
    outside: str | None = None


class DisclosureWarning(UserWarning):
    """What the publisher of data should know although all models may hold, such as what plain columns give away."""


class UsageError(SfumatoError, ValueError):
    """The call is wrong, not the data."""


class ParameterError(UsageError):
    """A setting outside what it allows."""


class SchemaError(UsageError):
    """Columns and roles that do not fit the data or each other."""


class TaxonomyError(UsageError):
    """A taxonomy that is no tree over the column's values."""


class KnowledgeError(UsageError):
    """Rules without effect, or without effect on this table."""


class PlanError(UsageError):
    """A plan file that cannot be read as a plan."""


class PolicyError(UsageError):
    """A policy of the gateway that cannot be read, or contradicts itself."""

    outside = "the gateway cannot answer by its policy now; ask again later."


class StatementError(UsageError):
    """A query that the gateway does not understand or support."""


class UnsuitableError(UsageError):
    """An algorithm, metric or attack that cannot serve what it was given."""


class DeniedError(SfumatoError):
    """A user asks for something that no rule allows."""

    exit_code = 5


class InfeasibleError(SfumatoError):
    """No release satisfies the model; the message says why."""

    exit_code = 3


class BudgetError(SfumatoError):
    """A budget that is spent."""

    exit_code = 3


class LimitError(SfumatoError):
    """An answer that takes more time, memory or rows than allowed."""

    exit_code = 3


class RowLimitError(LimitError):
    """An answer with more rows than allowed."""


class RateError(LimitError):
    """A user sends too many queries, or too many at once; `wait` is the number of seconds until the next is allowed."""

    def __init__(self, said: str, wait: int = 1) -> None:
        super().__init__(said)
        self.wait = wait


class BusyError(LimitError):
    """The engine has no capacity for the query now; the same query can be answered later."""


class DataError(SfumatoError):
    """Data that cannot be read."""

    exit_code = 4


class LockedError(DataError):
    """A file that another process has locked; it may be free a moment later."""


class UnreachableError(DataError):
    """A database that cannot be reached, or is not ready; only the operator of the gateway sees the reason.

    `turned_away` says that the server answered and refused the login.
    """

    outside = "the database cannot be reached; ask again later."

    def __init__(self, said: str, *, turned_away: bool = False) -> None:
        super().__init__(said)
        self.turned_away = turned_away


class OutputError(DataError):
    """A result that cannot be written; earlier files are unchanged."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint for a mistyped name: the most similar allowed name, whatever its case, or the allowed names.

    >>> nearest("k_anonimity", ["k_anonymity", "t_closeness"]), nearest("VIP", ["vip"])
    ("did you mean 'k_anonymity'?", "did you mean 'vip'?")
    """
    choices = sorted(allowed)
    folded = {choice.casefold(): choice for choice in choices}
    close = get_close_matches(str(name), choices, n=1) or [
        folded[one] for one in get_close_matches(str(name).casefold(), folded, n=1)
    ]
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
    return f"allowed: {shown}."


def listed(values: Iterable[object], limit: int = 10) -> str:
    """Up to `limit` values and the number of others, for messages that may contain quasi values.

    >>> listed(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    return shortened([repr(str(value)) for value in values], limit)


def shortened(words: Sequence[str], limit: int = 10) -> str:
    """Up to `limit` of some words, and the number of others.

    >>> shortened(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    shown, more = ", ".join(words[:limit]), len(words) - limit
    return shown if more <= 0 else f"{shown} and {more} more"
