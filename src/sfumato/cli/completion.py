"""What a shell offers when a user presses the tabulator key in a command; nothing heavy is imported for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sfumato.settings import catalogue

Completion = Callable[[str], list[str]]


def entries_of(*kinds: str) -> Completion:
    """Completes names of the catalogue, of these kinds."""
    return words_from(lambda: [name for kind in kinds for name in catalogue.names_in_files(kind)])


def words_from(words: Callable[[], Iterable[str]]) -> Completion:
    """Completes the words that a function returns."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in dict.fromkeys(words()) if word.startswith(incomplete)]

    return complete
