"""The role of one column by its name and its values, and the reason: rules, of which the first that applies decides.

`proposal` calls `finding` for every column. Columns for which no rule applies are decided together in `joint_roles`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.plan.proposals.column_contents import (
    Content,
    addresses_somebody,
    are_postal_codes,
    are_sentences,
    are_written,
    content_of,
    has_long_number,
    is_capitalized,
    is_code,
    kind_of_number,
    may_be_disease,
    may_be_full_names,
    may_be_small_names,
    possible_content,
    words_of_values,
)
from sfumato.plan.proposals.column_vocabulary import (
    AGE_WORDS,
    BY_WORDS,
    CODE_WORDS,
    ETHNIC_WORDS,
    FREE_TEXT_WORDS,
    GIVEN_NAME_WORDS,
    HARMLESS_WORDS,
    KEY_WORDS,
    MEANING,
    NAME_WORDS,
    NUMBER_WORDS,
    OTHER_PERSON_WORDS,
    PERSON_WORDS,
    QUASI_WORDS,
    REACHED_WORDS,
    SENSITIVE_WORDS,
    SHORT_POSTAL_WORDS,
    SPECIAL_WORDS,
    WORK_WORDS,
    are_results,
    first_word_in,
    is_gender_identity,
    is_household_key,
    is_sample_weight,
    meaning_of,
    names_person,
    special_meaning,
    words_of,
)
from sfumato.plan.proposals.distinguishability import Separation

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

_MOSTLY_DIFFERENT = 0.5
"""The same for texts that look like names of persons under a name that says what else they may be: jobs, companies."""
_NEARLY_UNIQUE = 0.9
"""The share of different values from which codes number records, whatever the column is called."""
_WRITTEN = 3
"""Words of most values from which a column of remarks holds free text and no labels."""
_FEW = 12
"""Values up to which words of special categories are looked for in them."""
_MANY_TEXTS = 50
"""Different texts from which they may name persons: those of a secret, and those that look like names."""

_LABELS = frozenset(MEANING) - NAME_WORDS
"""Words in labels, which are not names of persons."""

_KEYS = {
    Content.EMAIL, Content.URL, Content.IP, Content.DEVICE, Content.KEY, Content.NUMBER, Content.PHONE, Content.HANDLE,
}  # fmt: skip


By = Literal["name", "label", "content", "uniqueness", "no rule"]
"""What the role of a column follows from."""


@dataclass(frozen=True)
class RoleFinding:
    """A role and its reason; `decide` says what a person must decide, and is empty if the role is sure.

    Without a role, the columns are decided together. `by` says what the role follows from: the name of the column, its
    label, the content of its values, how many records have a value of their own, or no rule.
    """

    role: Role | None
    why: str
    decide: str = ""
    by: By = field(kw_only=True)


@dataclass(frozen=True)
class _Column:
    """What the rules look at: the words of the name, the different values, and how well they distinguish records.

    `own` is the share of records that have a value of their own. `by` says whether `name` is the name of the column or
    its label.
    """

    name: str
    domain: Domain
    separation: Separation
    own: float
    content: Content
    by: Literal["name", "label"]

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

    def is_named(self, word: str) -> str:
        """How reasons say that the name of the column, or its label, has a word."""
        return f"{'is named' if self.by == 'name' else 'has a label with'} {self.names(word)}"


def finding(
    name: str, domain: Domain, separation: Separation, own: float, *, by: Literal["name", "label"] = "name"
) -> RoleFinding:
    """The role of a column by the first rule that applies, and the reason for it; `name` may be its label."""
    column = _Column(name, domain, separation, own, content_of(domain), by)
    rules = (
        _by_no_value, _by_content, _by_possible_content, _by_one_value, _by_postal_code, _by_person_key,
        _by_household_key, _by_person_name, _by_other_person, _by_names, _by_possible_names, _by_code, _by_date,
        _by_sample_weight, _by_secret, _by_known_word, _by_special_values, _by_key, _by_sentences, _by_uniqueness,
    )  # fmt: skip
    named = first_word_in(column.words, NAME_WORDS | NUMBER_WORDS | PERSON_WORDS)
    why = f"is named {named!r}, but its values do not identify persons" if named else "has no known word in its name"
    found = next((found for rule in rules if (found := rule(column)) is not None), RoleFinding(None, why, by="no rule"))
    return replace(found, decide="; ".join(filter(None, [found.decide, *_doubts(column, found.role)])))


def _doubts(column: _Column, role: Role | None) -> Iterator[str]:
    """What speaks against publishing a column in a role that its name suggests; other columns are asked for anyway."""
    if role not in (Role.QUASI, Role.SENSITIVE) or column.values == 1:
        return
    words, texts = column.words, column.domain.kind is Kind.TEXT
    titled = texts and first_word_in(words, NAME_WORDS) and first_word_in(words, WORK_WORDS)
    if column.values > _FLAGS and (column.content is Content.NAMES or (titled and is_capitalized(column.domain))):
        yield "the values look like names of persons or companies; choose the role identifier to leave them out"
    elif role is Role.SENSITIVE and texts and _may_tell_more(column):
        yield (
            "the values are texts that may name persons, and sensitive columns are published unchanged; look at them, "
            "or choose the role identifier to leave them out"
        )
    if role is Role.QUASI and first_word_in(words, ETHNIC_WORDS):
        yield (
            "the ethnic origin is a special category of personal data; keep it if others see or know it, choose "
            "the role sensitive if it is a secret, or identifier to leave it out"
        )
    elif role is Role.QUASI and (meaning := _meaning_of_values(column)):
        yield (
            f"some values have words of {meaning}, a special category of personal data; choose the role sensitive if "
            "it is a secret"
        )


def _may_tell_more(column: _Column) -> bool:
    """Whether the texts of a secret have forms of address, are sentences, or are many that are no codes."""
    if column.content is Content.DISEASE or is_code(column.domain):
        return False
    return column.values > _MANY_TEXTS or are_sentences(column.domain) or addresses_somebody(column.domain)


def _meaning_of_values(column: _Column) -> str:
    """The special category of which the few texts of a column have a word; empty if they have none."""
    if column.domain.kind is not Kind.TEXT or column.values > _FEW:
        return ""
    return special_meaning(text for text in column.domain.texts[: column.domain.present] if text)


def _holds_results(column: _Column) -> bool:
    texts = column.domain.texts[: column.domain.present]
    return column.domain.kind is Kind.TEXT and column.values <= _FEW and are_results(text for text in texts if text)


def _by_no_value(column: _Column) -> RoleFinding | None:
    if column.domain.present:
        return None
    return RoleFinding(Role.PLAIN, "has no value, since all are missing", by="content")


def _by_one_value(column: _Column) -> RoleFinding | None:
    """A value that all persons have tells nobody from others, but it may be a secret or lead to somebody."""
    if column.values > 1:
        return None
    if found := _by_possible_names(column):
        return found
    if (named := _names_one(column)) or are_sentences(column.domain) or are_written(column.domain):
        what = f"{named}, and" if named else "holds free text, in which persons may be named, and"
        return RoleFinding(
            Role.IDENTIFIER,
            f"{what} has only one value",
            "it is left out; choose the role plain if the value leads to nobody",
            by=column.by if named else "content",
        )
    word, meaning = first_word_in(column.words, SPECIAL_WORDS), _meaning_of_one_value(column)
    if word or meaning:
        what = column.is_named(word) if word else f"has a value with a word of {meaning}"
        return RoleFinding(
            Role.SENSITIVE,
            f"{what}, a special category of personal data, and has only one value",
            "all persons have this value, so whoever knows that a person is in the data knows it; no model hides it",
            by=column.by if word else "content",
        )
    if word := first_word_in(column.words, SENSITIVE_WORDS):
        return RoleFinding(
            Role.SENSITIVE,
            f"{column.is_named(word)}, which most persons want to keep private, and has only one value",
            "all persons have this value, so whoever knows that a person is in the data knows it; no model hides it",
            by=column.by,
        )
    return RoleFinding(Role.PLAIN, "has only one value, so it distinguishes no records", by="content")


def _names_one(column: _Column) -> str:
    """How the name of a column of one value says that the value leads to somebody; empty if it does not."""
    words = column.words
    person = first_word_in(words[-1:], PERSON_WORDS | OTHER_PERSON_WORDS)
    number = first_word_in(words, NUMBER_WORDS)
    if number and first_word_in(words, PERSON_WORDS):
        return column.is_named(number)
    if number and has_long_number(column.domain):
        return column.is_named(number)
    if (person or _says_who(column)) and is_capitalized(column.domain):
        return column.is_named(person) if person else "says who did something"
    other = first_word_in(words, QUASI_WORDS | SENSITIVE_WORDS)
    word = first_word_in(words, NAME_WORDS - _NAMES if other else NAME_WORDS)
    return column.is_named(word) if word and (not other or names_person(words)) else ""


def _meaning_of_one_value(column: _Column) -> str:
    """The special category of which the only value of a column has a word or a code; empty if it has none."""
    if column.domain.kind is not Kind.TEXT:
        return ""
    if (meaning := _meaning_of_values(column)) or first_word_in(column.words, HARMLESS_WORDS):
        return meaning
    words = (word for text in column.domain.texts[: column.domain.present] if text for word in words_of(text))
    word = next((word for word in words if word in SPECIAL_WORDS), None)
    return meaning_of(word) if word else "health" * may_be_disease(column.domain)


def _by_possible_content(column: _Column) -> RoleFinding | None:
    """Values that may lead to a person, although there are too few to be sure of their form."""
    content = possible_content(column.domain, named=first_word_in(column.words, REACHED_WORDS) is not None)
    if content is Content.NOTHING:
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"has values that may be {content}, which lead to persons",
        "it is left out; if the values lead to nobody, choose the role quasi if others may know them, or sensitive "
        "for a secret",
        by="content",
    )


def _by_possible_names(column: _Column) -> RoleFinding | None:
    """Values that may be full names of persons, however few; or any names under a name that says so."""
    words = column.words
    other = first_word_in(words, QUASI_WORDS | SENSITIVE_WORDS | HARMLESS_WORDS)
    person = first_word_in(words[-1:], PERSON_WORDS | OTHER_PERSON_WORDS) is not None or _says_who(column)
    given = first_word_in(words, GIVEN_NAME_WORDS) is not None and (not other or names_person(words))
    if given and is_capitalized(column.domain):
        held = "names"
    elif may_be_full_names(column.domain, named=True) if person or given else _may_be_unnamed(column, other):
        held = "full names of persons"
    else:
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"has values that may be {held}",
        "it is left out; if the values name no persons, choose the role quasi if others may know them, or sensitive "
        "for a secret",
        by="content",
    )


def _may_be_unnamed(column: _Column, other: str | None) -> bool:
    """Full names under a name that says nothing, most of them without a known word: Private Company is a label."""
    if other or not may_be_full_names(column.domain):
        return False
    texts = [text for text in column.domain.texts[: column.domain.present] if text]
    return 2 * sum(first_word_in(words_of(text), _LABELS) is not None for text in texts) < len(texts)


def _says_who(column: _Column) -> bool:
    """Whether the name of a column ends as entered_by does."""
    return len(column.words) > 1 and column.words[-1] in BY_WORDS


def _by_postal_code(column: _Column) -> RoleFinding | None:
    """Short names of postal codes, which mean other things if the values are no such codes."""
    if len(column.words) != 1 or column.words[0] not in SHORT_POSTAL_WORDS or not are_postal_codes(column.domain):
        return None
    distinguishes = f"it distinguishes {column.separation.separated:.1%} of all pairs of records"
    return RoleFinding(
        Role.QUASI,
        f"is named {column.words[0]!r} and looks like postal codes, which others may know; {distinguishes}",
        "if the values are other codes, choose the role identifier to leave them out",
        by=column.by,
    )


def _by_content(column: _Column) -> RoleFinding | None:
    """Values that lead to a person or may name one, whatever the column is called."""
    if column.content in _KEYS:
        held = kind_of_number(column.domain) if column.content is Content.NUMBER else str(column.content)
        decide = "it is left out; if the values are tags and name no accounts, choose the role quasi or sensitive"
        asked = decide if column.content is Content.HANDLE else ""
        return RoleFinding(Role.IDENTIFIER, f"holds {held}, which lead to persons", asked, by="content")
    if column.content is Content.PLACE:
        return RoleFinding(
            Role.IDENTIFIER,
            f"holds {column.content}, which cannot be generalized",
            "it is left out; to publish places, write latitude and longitude as two columns of numbers",
            by="content",
        )
    if column.content is Content.FIELDS:
        return RoleFinding(
            Role.IDENTIFIER,
            f"holds {column.content}, in which persons may be named",
            "it is left out; to publish it, write each field as a column of its own",
            by="content",
        )
    if _is_free_text(column):
        return RoleFinding(
            Role.IDENTIFIER,
            "holds free text, in which persons may be named",
            "it is left out; to publish it, remove names and details of persons from it first",
            by="content",
        )
    return None


def _is_free_text(column: _Column) -> bool:
    """Texts of several words that are mostly different, or any under a name that says that somebody wrote them."""
    if first_word_in(column.words, FREE_TEXT_WORDS) and words_of_values(column.domain) >= _WRITTEN:
        return True
    return column.content is Content.FREE_TEXT and column.separation.distinct > _DIFFERENT


def _by_person_key(column: _Column) -> RoleFinding | None:
    """A key of persons is an identifier, even with few values; `person_keys` checks whether it repeats."""
    person, number = first_word_in(column.words, PERSON_WORDS), first_word_in(column.words, NUMBER_WORDS)
    why = f"is named {person!r} and {number!r} and has {column.values} values, so it is the key of a person"
    if person and number:
        return RoleFinding(Role.IDENTIFIER, why, by=column.by)
    if person and list(column.words) == [person] and column.values > _FLAGS:
        return RoleFinding(
            Role.IDENTIFIER,
            f"is named {person!r} and has {column.values} values, so it says who the person is",
            by=column.by,
        )
    return None


def _by_household_key(column: _Column) -> RoleFinding | None:
    if not is_household_key(column.name):
        return None
    return RoleFinding(Role.IDENTIFIER, f"is the key of a household: it has {column.values} values", by=column.by)


def _by_person_name(column: _Column) -> RoleFinding | None:
    """A word for names or numbers, on a column with enough values to identify persons; `city_name` does not count."""
    many = column.separation.distinct > 0.1
    if column.values > _FLAGS and names_person(column.words):
        return RoleFinding(
            Role.IDENTIFIER, f"is named as the name of a person and has {column.values} values", by=column.by
        )
    other = first_word_in(column.words, QUASI_WORDS | SENSITIVE_WORDS)
    word = first_word_in(column.words, NAME_WORDS - _NAMES if other else NAME_WORDS)
    alone = word is not None and (word not in _NAMES or len(column.words) == 1) and column.values > _FLAGS
    if word is None or not (many or alone or column.values > 50):
        numbered = column.words[-1:] if other else column.words
        word = first_word_in(numbered, NUMBER_WORDS) if many or column.values > 1000 else None
    why = f"is named {word!r} and has {column.values} values, so it may name a person directly"
    return RoleFinding(Role.IDENTIFIER, why, by=column.by) if word else None


def _by_other_person(column: _Column) -> RoleFinding | None:
    """Capitalized words under a name that ends in a word for a person, as `work_contact`."""
    word = first_word_in(column.words[-1:], OTHER_PERSON_WORDS | PERSON_WORDS)
    if word is None or column.values <= _FLAGS or not is_capitalized(column.domain):
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"{column.is_named(word)} and has {column.values} values, which may be names",
        "it is left out; if the values name no persons, choose the role quasi or plain to publish them",
        by=column.by,
    )


def _by_names(column: _Column) -> RoleFinding | None:
    """Values that look like names of persons and are mostly different, or many if the name says nothing else."""
    known = first_word_in(column.words, QUASI_WORDS | SENSITIVE_WORDS)
    different = column.separation.distinct > (_MOSTLY_DIFFERENT if known else _DIFFERENT)
    small = column.separation.distinct > _MOSTLY_DIFFERENT and may_be_small_names(column.domain)
    if not small and column.content is not Content.NAMES:
        return None
    if not different and (known or column.values <= _MANY_TEXTS):
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"holds {Content.NAMES}",
        "it is left out; if the values name no persons, choose the role quasi if others may know them, or sensitive "
        "for a secret",
        by="content",
    )


def _by_code(column: _Column) -> RoleFinding | None:
    """Codes and numbers that are nearly unique under a name of what others know, as `birth_certificate`.

    As quasi, the ends of their ranges would be published, and these are values of single records. Postal codes are
    generalized by their first digits.
    """
    word = first_word_in(column.words, QUASI_WORDS)
    if (
        word is None
        or first_word_in(column.words, CODE_WORDS)
        or column.separation.distinct <= _NEARLY_UNIQUE
        or not is_code(column.domain)
    ):
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"{column.is_named(word)}, but nearly every record has a code or a long number of its own",
        "it is left out; if the values are amounts or sizes, choose the role quasi to generalize them",
        by=column.by,
    )


def _by_date(column: _Column) -> RoleFinding | None:
    """Others may know or remember ages and dates, also those of secrets."""
    distinguishes = f"it distinguishes {column.separation.separated:.1%} of all pairs of records"
    if word := first_word_in(column.words, AGE_WORDS):
        return RoleFinding(Role.QUASI, f"{column.is_named(word)}, which others may know; {distinguishes}", by=column.by)
    if column.domain.kind in (Kind.DATE, Kind.MONTH):
        return RoleFinding(Role.QUASI, f"is a date, which others may know; {distinguishes}", by="content")
    return None


def _by_sample_weight(column: _Column) -> RoleFinding | None:
    """How many persons a record of a sample stands for: nobody knows it of a person, and ranges of it are of no use.

    A weight of many values singles out records by the design of the sample, so it is not published unchanged.
    """
    if column.domain.kind is not Kind.NUMBER or column.values <= _FLAGS or not is_sample_weight(column.name):
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"is named as a weight of a sample and has {column.values} values, by which records are found again",
        "it is left out; sums of the release then count records and not persons. Choose the role quasi to publish "
        "ranges of it",
        by=column.by,
    )


def _by_secret(column: _Column) -> RoleFinding | None:
    """Special categories of personal data, money and judgements, by the name or as codes of diseases."""
    word = first_word_in(column.words, SPECIAL_WORDS) or first_word_in(column.words, SENSITIVE_WORDS)
    if column.content is Content.DISEASE:
        why = f"holds {column.content}"
    elif is_gender_identity(column.name):
        named = "is named as" if column.by == "name" else "has a label about"
        why = f"{named} the gender identity, a special category of personal data"
    elif word in SPECIAL_WORDS:
        why = f"{column.is_named(word)}, a special category of personal data"
    elif word:
        why = f"{column.is_named(word)}, which most persons want to keep private"
    else:
        return None
    decide = ""
    if column.own > _SINGLED_OUT:
        decide = (
            f"{column.own:.0%} of the records have a value of their own here, and sensitive columns are published "
            "unchanged; keep it so, choose the role quasi to generalize it, or identifier to leave it out"
        )
    return RoleFinding(Role.SENSITIVE, why, decide, by="content" if column.content is Content.DISEASE else column.by)


def _by_known_word(column: _Column) -> RoleFinding | None:
    word = first_word_in(column.words, QUASI_WORDS)
    if word is None:
        return None
    distinguishes = f"it distinguishes {column.separation.separated:.1%} of all pairs of records"
    return RoleFinding(Role.QUASI, f"{column.is_named(word)}, which others may know; {distinguishes}", by=column.by)


def _by_special_values(column: _Column) -> RoleFinding | None:
    """Few values with words of a special category, under a name that says nothing."""
    meaning = _meaning_of_values(column)
    if not meaning and _holds_results(column):
        return RoleFinding(
            Role.SENSITIVE,
            "has negative and positive results of a test",
            "is it a secret? If others may know it, choose the role quasi",
            by="content",
        )
    if not meaning:
        return None
    return RoleFinding(
        Role.SENSITIVE,
        f"has values with words of {meaning}, a special category of personal data",
        "is it a secret? If others may know it, choose the role quasi",
        by="content",
    )


def _by_key(column: _Column) -> RoleFinding | None:
    """A key of something that the rules do not know, as `store_id`.

    Unchanged it leads to what it numbers, and ranges of it say nothing.
    """
    word = first_word_in(column.words, KEY_WORDS)
    if word is None or column.values <= _FLAGS or not _are_numbers_or_codes(column.domain):
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"{column.is_named(word)} and has {column.values} values, so it is the key of something",
        "it is left out; if it says what kind of thing or place, choose the role quasi if others may know it, or "
        "sensitive for a secret",
        by=column.by,
    )


def _are_numbers_or_codes(domain: Domain) -> bool:
    """Whether all values are whole numbers, or nearly all are codes."""
    if domain.kind is Kind.NUMBER and domain.numbers is not None:
        return bool((domain.numbers[: domain.present] % 1 == 0).all())
    return is_code(domain)


def _by_sentences(column: _Column) -> RoleFinding | None:
    """Many short sentences under a name that says nothing, or a single one: persons may be named in them."""
    many = column.values > _MANY_TEXTS or column.separation.distinct > _DIFFERENT or column.domain.present == 1
    if not many or not are_written(column.domain):
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"holds {column.values} different texts of several words, in which persons may be named",
        "it is left out; if the texts are those of a list, choose the role quasi if others may know them, or "
        "sensitive for a secret",
        by="content",
    )


def _by_uniqueness(column: _Column) -> RoleFinding | None:
    """Values that nearly all differ, and texts of which most are those of one record.

    As quasi, such texts would be published in sets. Numbers are generalized to ranges.
    """
    if column.separation.distinct > _UNIQUE and _may_identify(column.domain):
        why = (
            f"has {column.separation.distinct:.0%} as many values as records: nearly every value belongs to one person"
        )
        return RoleFinding(Role.IDENTIFIER, why, by="uniqueness")
    if column.domain.kind is not Kind.TEXT or column.own <= _MOSTLY_DIFFERENT:
        return None
    return RoleFinding(
        Role.IDENTIFIER,
        f"alone it makes {column.own:.0%} of the records unique",
        "it is left out; if the texts do not lead to persons, choose the role quasi if others may know them, or "
        "sensitive for a secret",
        by="uniqueness",
    )


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
