"""Plain twins of the shared kernels: CSV lines cell by cell, lookups by bisection, random numbers by integers."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.hash_lookup import EMPTY, Keys, Places
from sfumato.kernels.random import Chance


def csv_lines(columns: list[list[str]], suppressed: list[bool], separator: str) -> str:
    """The lines of all rows cell by cell, with methods of `str`."""
    lines = []
    for row, gone in enumerate(suppressed):
        cells = ["*" if gone else _cell(column[row], separator) for column in columns]
        lines.append((separator.join(cells) or '""') + "\n")
    return "".join(lines)


def _cell(text: str, separator: str) -> str:
    """A value, in quotes where it needs them."""
    special = any(mark in text for mark in (separator, '"', "\n", "\r")) or text != text.strip(" ")
    return '"' + text.replace('"', '""') + '"' if special else text


def lookup(known: Keys, keys: Keys) -> Places:
    """The position of every key among the known keys by bisection; the known keys must be sorted."""
    if not len(known):
        return np.full(len(keys), EMPTY, dtype=np.int32)
    place = np.searchsorted(known, keys).clip(max=len(known) - 1)
    return np.where(known[place] == keys, place, EMPTY).astype(np.int32)


def draws(chance: Chance, count: int) -> list[float]:
    """The next `count` numbers, computed with Python's integers; does not update the generator."""
    state, found = int(chance[0]), []
    for _ in range(count):
        state ^= state >> 12
        state ^= state << 25 & 2**64 - 1
        state ^= state >> 27
        found.append((state * 0x2545F4914F6CDD1D % 2**64 >> 11) * 2.0**-53)
    return found
