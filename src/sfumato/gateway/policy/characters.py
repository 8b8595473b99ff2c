"""Characters that every engine and every file can keep."""

from __future__ import annotations

from sfumato.errors import StatementError


def demand_characters(text: str, what: str) -> None:
    """Refuse a text with NUL in it, or with half of a surrogate pair, which is no character; nothing is quoted.

    >>> demand_characters("Zoë", "a name")
    >>> demand_characters(chr(0xD800), "a name")
    Traceback (most recent call last):
        ...
    sfumato.errors.StatementError: a name contains NUL or half of a surrogate pair, which cannot be sent.
    """
    if "\0" in text or not _is_whole(text):
        raise StatementError(f"{what} contains NUL or half of a surrogate pair, which cannot be sent.")


def storable(text: str) -> str:
    """The same text with ? for every character that cannot be written down.

    >>> storable("Zo" + chr(0xD800))
    'Zo?'
    """
    return text if _is_whole(text) else text.encode("utf-8", "replace").decode()


def _is_whole(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
