from __future__ import annotations

import pytest

from sfumato.plan.column_vocabulary import NAME_WORDS, QUASI_WORDS, SENSITIVE_WORDS, first_word_in, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("marital-status", ["marital", "status"]),
        ("Full Name", ["full", "name"]),
        ("birthDate", ["birth", "date"]),
        ("ZIP", ["zip"]),
        ("patient_id_2", ["patient", "id"]),
        ("", []),
    ],
)
def test_words_of_a_name(name: str, words: list[str]) -> None:
    assert words_of(name) == words


def test_only_whole_words_count() -> None:
    assert first_word_in(words_of("package"), QUASI_WORDS) is None
    assert first_word_in(words_of("age_at_entry"), QUASI_WORDS) == "age"


def test_a_word_means_one_thing() -> None:
    assert not NAME_WORDS & QUASI_WORDS
    assert not SENSITIVE_WORDS & (NAME_WORDS | QUASI_WORDS)
