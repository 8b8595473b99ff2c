"""An item: one fact that can be known about a person, such as `sex is Male` or `age is in [20, 24]`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.data.domain import Domain, position
from sfumato.data.kinds import Kind
from sfumato.errors import KnowledgeError
from sfumato.kernels.arrays import Flags
from sfumato.taxonomies.taxonomy import interval_bounds


@dataclass(frozen=True, order=True)
class Item:
    """A column, and the values it may have: one value, an interval, or a name that stands for several values.

    >>> domain, _ = Domain.of("age", ["19", "20", "24", "25"])
    >>> Item("age", "[20, 25)").true_of(domain).tolist()
    [False, True, True, False]
    >>> str(Item("job", "Artist", ("Dancer", "Writer")))
    'job is Artist'
    """

    column: str
    text: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.column} is {'in ' if self.text.startswith(('[', '(')) else ''}{self.text}"

    def true_of(self, domain: Domain) -> Flags:
        """A mask of the codes that the item covers, in a domain of original values."""
        found = np.zeros(len(domain), dtype=bool)
        code_of = {text: code for code, text in enumerate(domain.texts)}
        for text in self.values or (self.text,):
            if text in code_of:
                found[code_of[text]] = True
            else:
                found |= _read_as(text, domain)
        return found

    def within(self, other: Item) -> bool:
        """Whether whatever this item covers is covered by the other one, as far as their texts tell.

        >>> Item("age", "[20, 25)").within(Item("age", "[20, 30)")), Item("age", "22").within(Item("age", "[20, 30)"))
        (True, True)
        >>> Item("job", "Dancer").within(Item("job", "Artist", ("Dancer", "Writer")))
        True
        """
        if self.column != other.column:
            return False
        mine, theirs = set(self.values or (self.text,)), set(other.values or (other.text,))
        return mine <= theirs or all(any(_inside(one, wide) for wide in theirs) for one in mine)

    @classmethod
    def of_range(cls, domain: Domain, lo: int, hi: int, label: str = "") -> Item:
        """The item that covers exactly the codes lo to hi, named by the label where possible.

        In an ordered domain the text must be an interval that reads back as the same codes. If neither the label nor
        the closed interval does, the item gets a name and lists its values.
        """
        if lo == hi:
            return cls(domain.column, domain.named(lo))
        texts = tuple(domain.named(code) for code in range(lo, hi + 1))
        # The missing value is behind all others and lies in no interval, so a range with it is listed value by value.
        if domain.ordered and hi < domain.present:
            under = np.zeros(len(domain), dtype=bool)
            under[lo : hi + 1] = True
            for text in (label, f"[{texts[0]}, {texts[-1]}]"):
                if interval_bounds(text, domain.kind) and np.array_equal(_read_as(text, domain), under):
                    return cls(domain.column, text)
            label = f"from {texts[0]} to {texts[-1]}"
        return cls(domain.column, label, texts)


def _inside(text: str, wide: str) -> bool:
    """Whether a value or an interval lies in an interval of numbers, days or months, or is the same text."""
    if text == wide:
        return True
    for kind in (Kind.NUMBER, Kind.DATE, Kind.MONTH):
        outer = interval_bounds(wide, kind)
        place = position(text, kind)
        inner = interval_bounds(text, kind) if place is None else (place, True, place, True)
        if outer is not None and inner is not None:
            above = outer[0] < inner[0] or (outer[0] == inner[0] and (outer[1] or not inner[1]))
            below = inner[2] < outer[2] or (inner[2] == outer[2] and (outer[3] or not inner[3]))
            return above and below
    return False


def _read_as(text: str, domain: Domain) -> Flags:
    """The codes that a text covers which is not literally a value of the domain: `30.0`, `missing` or an interval."""
    found = np.zeros(len(domain), dtype=bool)
    code = domain.code_of(text)
    if code is not None:
        found[code] = True
        return found
    bounds = interval_bounds(text, domain.kind)
    if bounds is None or domain.numbers is None:
        return found
    low, low_in, high, high_in = bounds
    if low > high:
        raise KnowledgeError(f"an interval of column {domain.column!r} ends before it begins; swap its bounds.")
    # The number of the missing value is nan, for which every comparison is false.
    with np.errstate(invalid="ignore"):
        above = domain.numbers >= low if low_in else domain.numbers > low
        below = domain.numbers <= high if high_in else domain.numbers < high
    return np.asarray(above & below, dtype=np.bool_)


def demand_distinct_names(column: str, items: tuple[Item, ...]) -> None:
    """Refuse one name for two sets of values, because a file could not distinguish them."""
    known: dict[str, tuple[str, ...]] = {}
    for item in items:
        if known.setdefault(item.text, item.values) != item.values:
            raise KnowledgeError(f"{item.text!r} stands for two sets of values of column {column!r}; use two names.")
