from __future__ import annotations

import re
from collections import Counter

from sfumato.plan.proposals.column_words import LANGUAGES, RESULTS, VALUES, WITH_DIGITS, WORDS


def test_every_meaning_has_words_of_every_language() -> None:
    assert {meaning: tuple(words) for meaning, words in WORDS.items()} == dict.fromkeys(WORDS, LANGUAGES)


def test_words_are_written_as_names_are_looked_up() -> None:
    words = [word for texts in WORDS.values() for text in texts.values() for word in text.split()]
    assert [word for word in words if not re.fullmatch("[a-z]{2,}", word)] == []


def test_a_word_has_one_meaning() -> None:
    meanings = {meaning: {word for text in texts.values() for word in text.split()} for meaning, texts in WORDS.items()}
    counted = Counter(word for words in meanings.values() for word in words)
    assert [word for word, times in counted.items() if times > 1] == []


def test_words_with_digits_have_some_and_a_meaning_that_is_listed() -> None:
    assert set(WITH_DIGITS) < set(WORDS)
    words = [word for texts in WITH_DIGITS.values() for word in texts.split()]
    assert [word for word in words if not re.fullmatch("[a-z]+[0-9]+[a-z]?", word)] == []


def test_a_result_of_a_test_means_one_thing() -> None:
    words = [word for texts in RESULTS.values() for word in texts.split()]
    assert len(words) == len(set(words))


def test_words_of_values_are_those_of_special_categories() -> None:
    assert set(VALUES) < set(WORDS)
    words = [word for texts in VALUES.values() for word in texts.split()]
    assert [word for word in words if not re.fullmatch("[a-z]{3,}", word)] == []
    assert [word for word, times in Counter(words).items() if times > 1] == []
