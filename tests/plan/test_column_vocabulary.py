from __future__ import annotations

import pytest

from sfumato.plan.column_vocabulary import NAMING, RECOGNIZING, SECRET, known, words_of


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
    assert known(words_of("package"), RECOGNIZING) is None
    assert known(words_of("age_at_entry"), RECOGNIZING) == "age"


def test_a_word_means_one_thing() -> None:
    assert not NAMING & RECOGNIZING
    assert not SECRET & (NAMING | RECOGNIZING)
