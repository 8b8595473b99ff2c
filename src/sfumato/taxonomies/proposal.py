"""Propose a first taxonomy for a column, by its values. The proposal of a plan (`sfumato init`) calls it."""

from __future__ import annotations

from math import floor, isfinite, log10, ulp

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.dates import Dates
from sfumato.taxonomies.flat import Flat
from sfumato.taxonomies.intervals import Intervals
from sfumato.taxonomies.masking import Masking

MANY = 200
"""A column with more distinct texts than this is masked instead of being listed value by value."""

_INTERVALS = 15
_CODE_LENGTH = 4
_MASKS = "*#_~"


def propose(domain: Domain) -> TaxonomyBuilder:
    """Intervals of a round width for numbers, the calendar for dates, a mask for codes, a flat list for other texts.

    >>> domain, _ = Domain.of("age", [str(age) for age in range(17, 91)])
    >>> str(propose(domain))
    'intervals(width=5)'
    """
    if domain.kind in (Kind.DATE, Kind.MONTH):
        return Dates()
    if domain.kind is Kind.NUMBER and domain.numbers is not None:
        return _for_numbers(domain.numbers[: domain.present].tolist())
    texts = [domain.named(code) for code in range(domain.present)]
    mask = next((mark for mark in _MASKS if not any(mark in text for text in texts)), None)
    if mask and (len(texts) > MANY or _look_like_codes(texts)):
        return Masking(side="right", character=mask)
    return Flat()


def _for_numbers(numbers: list[float]) -> TaxonomyBuilder:
    if len(numbers) < 2:
        return Flat()
    span = numbers[-1] - numbers[0]
    farthest = max(abs(numbers[0]), abs(numbers[-1]))
    if not isfinite(2 * span + 2 * farthest) or span / _INTERVALS < 4 * ulp(farthest):
        return Intervals(quantiles=_INTERVALS)  # a round width would be lost in rounding errors
    width = _round_width(span)
    if all(number.is_integer() for number in numbers):
        width = max(width, 2.0)  # an interval with a single whole number would hide nothing
    return Intervals(width=int(width) if width.is_integer() else width)


def _round_width(span: float) -> float:
    """A width of 1, 2 or 5 times a power of ten, so that about fifteen intervals cover the span."""
    exponent = floor(log10(span / _INTERVALS))
    rounds = [float(f"{digit}e{power}") for power in (exponent, exponent + 1) for digit in (1, 2, 5)]
    return min(rounds, key=lambda width: abs(log10(span / width / _INTERVALS)))


def _look_like_codes(texts: list[str]) -> bool:
    """Whether the texts have one length of at least four characters, most of them digits."""
    if not texts or len({len(text) for text in texts}) > 1 or len(texts[0]) < _CODE_LENGTH:
        return False
    joined = "".join(texts)
    return sum(character.isdigit() for character in joined) * 2 > len(joined)
