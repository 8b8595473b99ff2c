"""Names that a reader could confuse: in another case or Unicode form, or with letters that look alike.

A policy refers to tables, columns, purposes, roles and choices by name. If two names look the same, a reader of the
policy believes that a prohibition of one covers the other, so such a pair is refused.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from sfumato.errors import PolicyError

_LATIN_LOOKALIKES = dict(
    zip(
        "аеорсухіјѕһԁԛԝкмтвнпгьαορνικτυχωηβεγρμ",
        "aeopcyxijshdqwkmtbhnrbaopviktuxwnbeypu",
        strict=True,
    )
)
"""Cyrillic and Greek letters in lower case, with the Latin letters that they look like."""

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that are not drawn, change the reading direction, or have no common meaning."""


def skeleton(name: str) -> str:
    """The appearance of a name: equal for names that differ only in case, Unicode form or look-alike letters.

    >>> skeleton("Income") == skeleton("income") == skeleton("incоme") == skeleton("ｉｎｃｏｍｅ")
    True
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(_LATIN_LOOKALIKES.get(letter, letter) for letter in plain if not _is_invisible(letter))
    return unicodedata.normalize("NFC", seen)


def demand_visible(name: str, what: str) -> None:
    """Refuse a name with invisible characters, or with a blank at one end."""
    if any(_is_invisible(letter) for letter in name) or name != name.strip():
        raise PolicyError(f"{what} {name!a} has characters that cannot be seen, or a blank at one end.")


def demand_distinct(names: Iterable[str], what: str) -> None:
    """Refuse names of which two look the same.

    >>> demand_distinct(["name", "Name"], "columns of 'customer'")
    Traceback (most recent call last):
        ...
    sfumato.errors.PolicyError: two columns of 'customer' look the same, 'name' and 'Name'; rename one of them.
    """
    seen: dict[str, str] = {}
    for name in names:
        demand_visible(name, f"among the {what},")
        other = seen.setdefault(skeleton(name), name)
        if other != name:
            raise PolicyError(f"two {what} look the same, {other!a} and {name!a}; rename one of them.")


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in _INVISIBLE
