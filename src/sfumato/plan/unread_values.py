"""Columns whose values look like numbers or dates and are read as texts, so that they are published as sets of values.

`proposal` says so beside the proposed columns, and `warnings` when a release is published.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from sfumato.data.domain import Domain, may_mean_others, position, readings
from sfumato.data.kinds import Kind
from sfumato.data.notations import NOTATIONS

_MOSTLY = 0.9
"""The share of values that are numbers or dates from which the others are said to be in the way."""
_SOME = 1000
"""How many values are looked at to see that."""

_SHORT_YEAR = re.compile(r"(0?[1-9]|[12]\d|3[01])([./-])(0?[1-9]|[12]\d|3[01])\2\d\d")
_MONTHS = (
    "jan|feb|fev|fév|mar|mär|maa|mrt|apr|avr|abr|mai|may|mag|mei|jun|jui|giu|jul|lug|aug|aoû|aou|ago|"
    "sep|set|oct|okt|ott|out|nov|dec|dez|déc|dic|ene|gen"
)
_NAMED_MONTH = re.compile(rf"(\d{{1,2}}\.?[ -])?({_MONTHS})[^\W\d]*\.?[ ,-]+(\d{{1,2}},? )?\d{{2,4}}", re.IGNORECASE)


class UnreadValues(NamedTuple):
    """Why values that look like numbers or dates are texts, and the way out in a plan and in a call from Python."""

    why: str
    in_plan: str
    in_python: str

    @property
    def note(self) -> str:
        """The sentence for the author of a plan."""
        return f"{self.why}: {self.in_plan}, or its values are published as texts."


def unread_values(domain: Domain, stored: Kind | None = None) -> UnreadValues | None:
    """Why values are read as texts: they can be read in several ways, or not all of them can; None if they are texts.

    `stored` is the kind by which the source has the values: those stored as texts are expected to be dates, and no
    numbers.
    """
    texts = [text for text in domain.texts[: domain.present] if text is not None]
    if domain.kind is not Kind.TEXT or not texts:
        return None
    numbers = stored is None
    several = [one.name for one in readings(texts) if numbers or one.kind is not Kind.NUMBER]
    if numbers and may_mean_others(texts):
        several = ["1234.5 (type number)", *several, *(["mm.yyyy"] if not several else [])]
    if len(several) > 1:
        return UnreadValues(
            f"can be read as {' or '.join(several)}, with different results",
            "say by `format` which one it is",
            "convert it to dates or numbers first",
        )
    some = texts[:: -(-len(texts) // _SOME)]
    most = max(sum(read(text) is not None for text in some) for read in _ways_to_read(numbers=numbers))
    if _MOSTLY * len(some) <= most < len(some) and not several:
        what = "numbers or dates" if numbers else "dates"
        return UnreadValues(
            f"looks like {what}, but some of its values cannot be read as {what}",
            "list those that mean a missing value in [data] missing",
            "name those that mean a missing value by `missing`, or convert it first",
        )
    if sum(_looks_like_a_date(text) for text in some) >= _MOSTLY * len(some):
        return UnreadValues(
            "looks like dates with years of two digits or names of months, which are not read",
            "write them as yyyy-mm-dd in the data",
            "convert it to dates first",
        )
    return None


def _looks_like_a_date(text: str) -> bool:
    return bool(_SHORT_YEAR.fullmatch(text.strip()) or _NAMED_MONTH.fullmatch(text.strip()))


def _ways_to_read(*, numbers: bool) -> Iterator[Callable[[str], object]]:
    """Functions that read a text as a number, date or month, in the standard notation and in the others."""
    for kind in (Kind.NUMBER, Kind.DATE, Kind.MONTH):
        if numbers or kind is not Kind.NUMBER:
            yield partial(position, kind=kind)
    for notation in NOTATIONS:
        if numbers or notation.kind is not Kind.NUMBER:
            yield notation.standard
