"""Checks for characters that every engine and every file can store, and for names that no engine cuts."""

from __future__ import annotations

from sfumato.errors import StatementError

LONGEST_NAME = 56
"""The bytes of the longest name of a table or column.

PostgreSQL cuts names after 63 bytes, so that two longer ones may become one. The gateway adds endings to names; the
longest is `.hidden`.
"""


def demand_characters(text: str, what: str) -> None:
    """Refuse a text with NUL or with an unpaired surrogate, which is no character; the message quotes nothing.

    >>> demand_characters("Zoë", "a name")
    >>> demand_characters(chr(0xD800), "a name")
    Traceback (most recent call last):
        ...
    sfumato.errors.StatementError: a name contains NUL or half of a surrogate pair, which cannot be sent.
    """
    if "\0" in text or not _is_encodable(text):
        raise StatementError(f"{what} contains NUL or half of a surrogate pair, which cannot be sent.")


def is_cut(name: str) -> bool:
    """Whether PostgreSQL would cut the name, or what the gateway makes of it.

    >>> is_cut("income"), is_cut("ä" * 29)
    (False, True)
    """
    return len(name.encode("utf-8", "replace")) > LONGEST_NAME


def storable(text: str) -> str:
    """The same text with ? for every character that cannot be encoded.

    >>> storable("Zo" + chr(0xD800))
    'Zo?'
    """
    return text if _is_encodable(text) else text.encode("utf-8", "replace").decode()


def _is_encodable(text: str) -> bool:
    """Whether the text can be encoded in UTF-8."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
