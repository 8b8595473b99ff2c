"""The role of one column by its name and its values, and the reason: rules, of which the first that applies decides.

`proposal` calls `finding` for every column. Columns for which no rule applies are decided together in `joint_roles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.plan.column_contents import Content, content_of, kind_of_number
from sfumato.plan.column_vocabulary import (
    AGE_WORDS,
    CODE_WORDS,
    NAME_WORDS,
    NUMBER_WORDS,
    PERSON_WORDS,
    QUASI_WORDS,
    SENSITIVE_WORDS,
    SPECIAL_WORDS,
    first_word_in,
    is_household_key,
    meaning_of,
    words_of,
)
from sfumato.plan.distinguishability import Separation

_FLAGS = 10
"""Values up to which a column named after a person may say yes or no, or what kind of person it is."""
_UNIQUE = 0.98
"""The share of different values from which nearly every value belongs to one record."""
_SINGLED_OUT = 0.05
"""The share of records with a value of their own from which an unchanged sensitive column singles out persons."""
_NAMES = frozenset({"name", "namen", "nom", "nombre", "nome", "nomes", "naam", "isim", "adi"})
"""Words that name persons only if nothing else is named: a city has a name, too."""

_DIFFERENT = 0.3
"""The share of different values from which long texts are not the labels of answers."""

_KEYS = {Content.EMAIL, Content.URL, Content.IP, Content.DEVICE, Content.KEY, Content.NUMBER, Content.PHONE}


@dataclass(frozen=True)
class RoleFinding:
    """A role and its reason; `decide` says what a person must decide, and is empty if the role is sure.

    Without a role, the columns are decided together.
    """

    role: Role | None
    why: str
    decide: str = ""


@dataclass(frozen=True)
class _Column:
    """What the rules look at: the words of the name, the different values, and how well they distinguish records.

    `own` is the share of records that have a value of their own.
    """

    name: str
    domain: Domain
    separation: Separation
    own: float
    content: Content

    @property
    def words(self) -> Sequence[str]:
        return words_of(self.name)

    @property
    def values(self) -> int:
        return len(self.domain)

    def names(self, word: str) -> str:
        """How reasons name a word of the column: as it is, and what it means."""
        meaning = meaning_of(word)
        return repr(word) if word in meaning.split() else f"{word!r} ({meaning})"


def finding(name: str, domain: Domain, separation: Separation, own: float) -> RoleFinding:
    """The role of a column by the first rule that applies, and the reason for it."""
    column = _Column(name, domain, separation, own, content_of(domain))
    rules = (
        _by_one_value, _by_content, _by_person_key, _by_household_key, _by_person_name, _by_date, _by_secret,
        _by_known_word, _by_uniqueness,
    )  # fmt: skip
    named = first_word_in(column.words, NAME_WORDS | NUMBER_WORDS | PERSON_WORDS)
    why = f"is named {named!r}, but its values do not identify persons" if named else "has no known word in its name"
    return next((found for rule in rules if (found := rule(column)) is not None), RoleFinding(None, why))


def _by_one_value(column: _Column) -> RoleFinding | None:
    if column.values > 1:
        return None
    if not column.domain.present:
        return RoleFinding(Role.PLAIN, "has no value, since all are missing")
    word = first_word_in(column.words, SPECIAL_WORDS)
    if word:
        return RoleFinding(
            Role.SENSITIVE,
            f"is named {column.names(word)}, a special category of personal data, and has only one value",
            "all persons have this value, so whoever knows that a person is in the data knows it; no model hides it",
        )
    return RoleFinding(Role.PLAIN, "has only one value, so it distinguishes no records")


def _by_content(column: _Column) -> RoleFinding | None:
    """Values that lead to a person or may name one, whatever the column is called."""
    if column.content in _KEYS:
        held = kind_of_number(column.domain) if column.content is Content.NUMBER else str(column.content)
        return RoleFinding(Role.IDENTIFIER, f"holds {held}, which lead to persons")
    if column.content is Content.FREE_TEXT and column.separation.distinct > _DIFFERENT:
        return RoleFinding(
            Role.IDENTIFIER,
            "holds free text, in which persons may be named",
            "it is left out; to publish it, remove names and details of persons from it first",
        )
    return None


def _by_person_key(column: _Column) -> RoleFinding | None:
    """A key of persons is an identifier, even with few values; `joint_roles` checks whether it repeats."""
    person, number = first_word_in(column.words, PERSON_WORDS), first_word_in(column.words, NUMBER_WORDS)
    why = f"is named {person!r} and {number!r} and has {column.values} values, so it is the key of a person"
    if person and number:
        return RoleFinding(Role.IDENTIFIER, why)
    if person and list(column.words) == [person] and column.values > _FLAGS:
        return RoleFinding(
            Role.IDENTIFIER, f"is named {person!r} and has {column.values} values, so it says who the person is"
        )
    return None


def _by_household_key(column: _Column) -> RoleFinding | None:
    if not is_household_key(column.name):
        return None
    return RoleFinding(Role.IDENTIFIER, f"is the key of a household: it has {column.values} values")


def _by_person_name(column: _Column) -> RoleFinding | None:
    """A word for names or numbers, on a column with enough values to identify persons; `city_name` does not count."""
    many = column.separation.distinct > 0.1
    other = first_word_in(column.words, QUASI_WORDS | SENSITIVE_WORDS)
    word = first_word_in(column.words, NAME_WORDS - _NAMES if other else NAME_WORDS)
    alone = word is not None and (word not in _NAMES or len(column.words) == 1) and column.values > _FLAGS
    if word is None or not (many or alone or column.values > 50):
        numbered = column.words[-1:] if other else column.words
        word = first_word_in(numbered, NUMBER_WORDS) if many or column.values > 1000 else None
    why = f"is named {word!r} and has {column.values} values, so it may name a person directly"
    return RoleFinding(Role.IDENTIFIER, why) if word else None


def _by_date(column: _Column) -> RoleFinding | None:
    """Others may know or remember ages and dates, also those of secrets."""
    distinguishes = f"it distinguishes {column.separation.separated:.1%} of all pairs of records"
    if word := first_word_in(column.words, AGE_WORDS):
        return RoleFinding(Role.QUASI, f"is named {column.names(word)}, which others may know; {distinguishes}")
    if column.domain.kind in (Kind.DATE, Kind.MONTH):
        return RoleFinding(Role.QUASI, f"is a date, which others may know; {distinguishes}")
    return None


def _by_secret(column: _Column) -> RoleFinding | None:
    """Special categories of personal data, money and judgements, by the name or as codes of diseases."""
    word = first_word_in(column.words, SPECIAL_WORDS) or first_word_in(column.words, SENSITIVE_WORDS)
    if column.content is Content.DISEASE:
        why = f"holds {column.content}"
    elif word in SPECIAL_WORDS:
        why = f"is named {column.names(word)}, a special category of personal data"
    elif word:
        why = f"is named {column.names(word)}, which most persons want to keep private"
    else:
        return None
    decide = ""
    if column.own > _SINGLED_OUT:
        decide = (
            f"{column.own:.0%} of the records have a value of their own here, and sensitive columns are published "
            "unchanged; keep it so, or use quasi to generalize it, or identifier to leave it out"
        )
    return RoleFinding(Role.SENSITIVE, why, decide)


def _by_known_word(column: _Column) -> RoleFinding | None:
    word = first_word_in(column.words, QUASI_WORDS)
    if word is None:
        return None
    distinguishes = f"it distinguishes {column.separation.separated:.1%} of all pairs of records"
    return RoleFinding(Role.QUASI, f"is named {column.names(word)}, which others may know; {distinguishes}")


def _by_uniqueness(column: _Column) -> RoleFinding | None:
    if column.separation.distinct <= _UNIQUE or not _may_identify(column.domain):
        return None
    why = f"has {column.separation.distinct:.0%} as many values as records: nearly every value belongs to one person"
    return RoleFinding(Role.IDENTIFIER, why)


def _may_identify(domain: Domain) -> bool:
    """Whether values may be names or numbers of persons.

    Texts may, and whole numbers that follow each other or have the same number of digits. Other numbers are
    measurements or amounts.
    """
    if domain.numbers is None:
        return True
    numbers = domain.numbers[: domain.present]
    if domain.kind is not Kind.NUMBER or (numbers % 1 != 0).any():
        return False
    running = numbers[-1] - numbers[0] < 2 * len(numbers)
    digits = {len(text) for text in domain.texts[: domain.present] if text}
    return bool(running or (len(digits) == 1 and np.all(numbers > 0) and digits != {1}))


def is_written_as_code(name: str) -> bool:
    """Whether digits in a column of this name are codes and not numbers, as in a postcode."""
    return first_word_in(words_of(name), CODE_WORDS) is not None
