"""Names that a reader could take for each other: in another case or Unicode form, or with letters that look alike.

A policy speaks of tables, columns, purposes, roles and choices by name. Where two names look the same, whoever reads
the policy believes that a prohibition of one covers the other, so such names are refused together.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from sfumato.errors import PolicyError

_LOOKS_LIKE = dict(
    zip(
        "аеорсухіјѕһԁԛԝкмтвнпгьαορνικτυχωηβεγρμ",
        "aeopcyxijshdqwkmtbhnrbaopviktuxwnbeypu",
        strict=True,
    )
)
"""Cyrillic and Greek letters, folded to lower case, beside the Latin letters that they are drawn like."""

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that are not drawn, that turn the reading direction, or that mean nothing to others."""


def looks(name: str) -> str:
    """What a name looks like: equal for names that differ in case, Unicode form or look-alike letters alone.

    >>> looks("Income") == looks("income") == looks("incоme") == looks("ｉｎｃｏｍｅ")
    True
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(_LOOKS_LIKE.get(letter, letter) for letter in plain if not _is_invisible(letter))
    return unicodedata.normalize("NFC", seen)


def demand_visible(name: str, what: str) -> None:
    """Refuse a name with characters that nobody sees, or at whose end blanks cannot be seen."""
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
        other = seen.setdefault(looks(name), name)
        if other != name:
            raise PolicyError(f"two {what} look the same, {other!a} and {name!a}; rename one of them.")


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in _INVISIBLE
