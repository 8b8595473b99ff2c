"""What column names mean, in ten languages: words that suggest a role for the column.

`column_words` lists the words. `column_roles` uses them to propose roles, `warnings` to find columns that look like
identifiers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache

from sfumato.plan.proposals.column_words import LINKS, RESULTS, VALUES, WITH_DIGITS, WORDS


def _words(*meanings: str) -> frozenset[str]:
    written = (words for meaning in meanings for words in (*WORDS[meaning].values(), WITH_DIGITS.get(meaning, "")))
    return frozenset(word for words in written for word in words.split())


MEANING = {word: meaning for meaning in WORDS for word in _words(meaning)}
"""The meaning of every word."""

SHARED_WORDS = (_words("a name") - {"nickname", "signature"}) | (
    _words("an address or a number by which a person is reached") - {"email", "mail", "emailaddress", "mobile"}
)
"""Words for names and addresses, which different persons may share."""

PERSON_NUMBER_WORDS = _words("a number that only persons have")
"""Words for numbers that only persons have; each of them suggests a person key."""

NAME_WORDS = (
    _words("a name", "an address or a number by which a person is reached", "an account or a device")
    | PERSON_NUMBER_WORDS
)
"""Words for values that name a person or lead directly to one."""

NUMBER_WORDS = _words("a number or key")
"""Words for numbers and keys of any kind; a column with many different values may number persons."""

PERSON_WORDS = _words("a person")
"""Words for persons; together with one of `NUMBER_WORDS`, as in `patient_id`, they suggest a person key."""

OTHER_PERSON_WORDS = _words("another person") | {"child", "conjoint", "conjuge", "conyuge", "enfant", "spouse"}
"""Words for persons whom a record names beside the person it is about, and for that person in another function."""

FREE_TEXT_WORDS = _words("free text") | {"note", "notes"}
"""Words for what somebody writes about a person; a note may be a grade, too."""

KEY_WORDS = frozenset(
    {
        "id", "identifier", "uid", "guid", "uuid", "key", "kennung", "schluessel", "cle", "clave", "chiave", "chave",
        "sleutel", "klucz", "anahtar",
    }
)  # fmt: skip
"""Words for keys alone; the others of `NUMBER_WORDS` may also name amounts, as in number_of_rooms."""

HOUSEHOLD_WORDS = _words("a household")
"""Words for households; together with one of `NUMBER_WORDS` they suggest a key that several persons share."""

CODE_WORDS = _words("a postal code")
"""Words for codes that consist of digits but are not numbers."""

AGE_WORDS = _words("an age or a date of birth")
"""Words for ages, also if the name says when: at a diagnosis."""

ETHNIC_WORDS = _words("the ethnic origin")
"""Words for a special category of personal data that others may see."""

WORK_WORDS = _words("work or education")
"""Words for work and education, also for companies and schools."""


DATE_WORDS = AGE_WORDS | _words("a date")
"""Words for ages and for dates of any kind."""

QUASI_WORDS = (
    CODE_WORDS
    | AGE_WORDS
    | HOUSEHOLD_WORDS
    | ETHNIC_WORDS
    | WORK_WORDS
    | _words("the sex", "the family", "the origin", "a place", "a date", "the body")
)
"""Words for what neighbours, colleagues or newspapers may know of a person."""

SPECIAL_WORDS = _words(
    "health", "belief", "politics", "membership of a union", "sexuality", "genetic or biometric data", "crime"
)
"""Words for the special categories of personal data (articles 9 and 10 of the GDPR) that others do not see.

The ethnic origin is one too, but others see or know it, so it is among `QUASI_WORDS`.
"""

REACHED_WORDS = _words("an address or a number by which a person is reached") | {"contact", "contacto", "kontakt"}
"""Words for ways to reach a person; digits in a column that is named so may be a telephone number."""

GIVEN_NAME_WORDS = _words("a name")
"""Words for names, of persons if nothing else is named."""

BY_WORDS = frozenset({"by", "von", "durch", "par", "por", "door", "przez", "av", "tarafindan"})
"""Last words of names of columns that say who did something, as entered_by."""

SHORT_POSTAL_WORDS = frozenset({"cp", "kod", "kodu"})
"""Words that are postal codes only if the values look so: cp is also chest pain, and kod any code."""

HARMLESS_WORDS = _words("the data and not a person")
"""Words for what a file says of its data; a column of few values that is named so may be published unchanged."""

SPECIAL_VALUES = {word: meaning for meaning, words in VALUES.items() for word in words.split()}
"""Words of values that say something of a special category, and its meaning."""

_RESULTS = {word: result for result, words in RESULTS.items() for word in words.split()}
_WITH_DIGITS = re.compile(
    r"(?<![^\W_])("
    + "|".join(re.sub("(?<=[a-z])(?=[0-9])", "[ _.-]?", word) for word in " ".join(WITH_DIGITS.values()).split())
    + r")(?![^\W_])"
)
"""Words with digits, of which letters and digits may be apart: cie_10."""
_GENE = re.compile(r"(?<![^\W_])rs[0-9]{3,}(?![^\W_])")
"""A place in the genome by its number in the dbSNP, which stands for the word snp."""

_SEX_WORDS = _words("the sex")
_IDENTITY_WORDS = {"identity", "identitaet", "identite", "identidad", "identita", "identidade", "identiteit", "kimligi"}
_NAMED_WORDS = PERSON_WORDS | OTHER_PERSON_WORDS | HOUSEHOLD_WORDS | _words("the family", "an age or a date of birth")
"""Words that say whose name a column has, as in `family_name` and `name_at_birth`."""

MONEY_WORDS = _words("money")
"""Words for amounts of money."""

SENSITIVE_WORDS = SPECIAL_WORDS | MONEY_WORDS | _words("a judgement of a person")
"""Words for what most persons want to keep private."""

_PERSONAL_WORDS = (
    PERSON_WORDS
    | OTHER_PERSON_WORDS
    | PERSON_NUMBER_WORDS
    | HOUSEHOLD_WORDS
    | AGE_WORDS
    | ETHNIC_WORDS
    | WORK_WORDS
    | SPECIAL_WORDS
    | _words("the sex", "the family", "the origin", "the body")
)
"""Words for what natural persons are and have, and companies do not."""

_SAMPLE_WEIGHT_WORDS = _words("a weight of a sample")
_WEIGHT_WORDS = {"weight", "weights", "weighting", "wgt", "wgts", "wt", "gewicht", "poids", "peso", "wegings", "waga"}
_SAMPLE_WORDS = {"factor", "faktor", "sample", "sampling", "survey", "design", "replicate", "calibration", "sondage"}

EDGE_WORDS = (("source", "target"), ("from", "to"), ("sender", "receiver"), ("caller", "callee"))
"""Names of the two columns that hold the ends of an edge between persons."""

_KNOWN_FIRST = (
    "an age or a date of birth", "the sex", "a place", "a postal code", "a date", "the family", "the origin",
    "the ethnic origin", "work or education", "a household", "the body",
)  # fmt: skip
"""Meanings of quasi columns, those that most persons know of others first."""

_UNCOMPOSED = str.maketrans({"ß": "ss", "ı": "i", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SHORTEST = 3
"""Letters of the shortest part of a compound; a key word at its end may have two."""
_LONG = 6
"""Letters of a known word from which it counts although the rest of a compound is unknown."""
_SUFFIXES = {"name": 3, "id": 4}
"""Key words that count at the end of an unknown word, and the letters of its rest, at least."""
_NO_KEYS = (
    "acid", "brid", "fluid", "heid", "izid", "lipid", "madrid", "oid", "paid", "quid", "rapid", "rotid", "solid",
    "valid",
)  # fmt: skip
"""Ends of words that end in "id" and name no key, as thyroid, unpaid, and gezondheid."""


def words_of(name: str) -> list[str]:
    """Split a column name into its words, in lower case and without diacritics.

    A compound of known words is split into them. Digits are left out, except in words that name nothing without them.

    >>> words_of("marital-status"), words_of("birthDate2")
    (['marital', 'status'], ['birth', 'date'])
    >>> words_of("Größe"), words_of("Kundennummer"), words_of("doğum_tarihi"), words_of("package")
    (['groesse'], ['kunde', 'nummer'], ['dogum', 'tarihi'], ['package'])
    >>> words_of("CIE-10"), words_of("cd4_count"), words_of("cd4e"), words_of("rs7412")
    (['cie10'], ['cd4', 'count'], ['cd', 'e'], ['snp'])
    >>> words_of("posta_kodu"), words_of("posta")
    (['postakodu'], ['posta'])
    """
    spaced = re.sub(r"[^\W_]+", lambda found: _spaced(found[0]), unicodedata.normalize("NFC", name))
    lower = spaced.lower().replace("i\u0307", "i").translate(_UNCOMPOSED)
    pieces = _WITH_DIGITS.split(_GENE.sub("snp", lower))  # every second one is a word with digits
    return _with_postal_codes(
        [word for place, piece in enumerate(pieces) for word in (_words_in, _as_one)[place % 2](piece)]
    )


def first_word_in(words: Sequence[str], vocabulary: Set[str]) -> str | None:
    """The first of the words that the vocabulary contains; None if it contains none of them."""
    return next((word for word in words if word in vocabulary), None)


def is_person_key(name: str) -> bool:
    """Whether a column is named as the key of a person.

    >>> is_person_key("patient_id"), is_person_key("ssn"), is_person_key("visit_id"), is_person_key("customer_name")
    (True, True, False, False)
    >>> is_person_key("patient"), is_person_key("Kundennummer")
    (True, True)
    """
    words = words_of(name)
    both = first_word_in(words, PERSON_WORDS) and first_word_in(words, NUMBER_WORDS)
    return bool(both or is_person(name) or first_word_in(words, PERSON_NUMBER_WORDS))


def is_household_key(name: str) -> bool:
    """Whether a column is named as the key of a household or family.

    >>> is_household_key("hh_nr"), is_household_key("family_id"), is_household_key("household_size")
    (True, True, False)
    """
    words = words_of(name)
    shared = first_word_in(words, HOUSEHOLD_WORDS | {"family", "familie", "famille", "familia", "famiglia", "aile"})
    return bool(shared) and (bool(first_word_in(words, NUMBER_WORDS)) or words[0] == "hhid")


def names_person(words: Sequence[str]) -> bool:
    """Whether a word for a name stands beside a word for a person, a family or a birth, and nothing else has the name.

    >>> names_person(["family", "name"]), names_person(["nom", "de", "naissance"]), names_person(["city", "name"])
    (True, True, False)
    """
    others = QUASI_WORDS | SENSITIVE_WORDS
    return (
        first_word_in(words, NAME_WORDS) is not None
        and first_word_in(words, _NAMED_WORDS) is not None
        and first_word_in(words, others - _NAMED_WORDS) is None
    )


def is_personal(name: str) -> bool:
    """Whether a column is named as a person, or as what natural persons are and companies are not.

    >>> is_personal("patient_name"), is_personal("age"), is_personal("net_profit"), is_personal("state")
    (True, True, False, False)
    """
    return first_word_in(words_of(name), _PERSONAL_WORDS) is not None


def is_sample_weight(name: str) -> bool:
    """Whether a column is named as the weight of a record of a sample, and not as the weight of a body.

    >>> is_sample_weight("design_weight"), is_sample_weight("PERWT"), is_sample_weight("weight")
    (True, True, False)
    """
    words = words_of(name)
    if first_word_in(words, _SAMPLE_WEIGHT_WORDS):
        return True
    weight = first_word_in(words, _WEIGHT_WORDS)
    return weight is not None and first_word_in(words, _SAMPLE_WORDS | HOUSEHOLD_WORDS) is not None


def is_gender_identity(name: str) -> bool:
    """Whether a column says with which sex persons identify, which is a special category of personal data.

    >>> is_gender_identity("gender_identity"), is_gender_identity("identité de genre"), is_gender_identity("gender")
    (True, True, False)
    """
    words = words_of(name)
    return first_word_in(words, _SEX_WORDS) is not None and first_word_in(words, _IDENTITY_WORDS) is not None


def special_meaning(texts: Iterable[str]) -> str:
    """The special category of which some texts have a word; empty if they have none.

    >>> special_meaning(["negative", "HIV positive"]), special_meaning(["red", "blue"])
    ('health', '')
    """
    words = (word for text in texts for word in _without_diacritics(text.lower().translate(_UMLAUTS)).split())
    return next((SPECIAL_VALUES[word] for word in words if word in SPECIAL_VALUES), "")


def are_results(texts: Iterable[str]) -> bool:
    """Whether texts are negative and positive results of a test, and no others but unknown ones.

    >>> are_results(["neg", "pos"]), are_results(["Positivo", "negativo", "desconocido"]), are_results(["pre", "pos"])
    (True, True, False)
    """
    found = {_RESULTS.get(_without_diacritics(text.lower())) for text in texts}
    return {"negative", "positive"} <= found <= {"negative", "positive", "unknown"}


def is_person(name: str) -> bool:
    """Whether a column is named by a word for a person alone.

    >>> is_person("Client"), is_person("client_type")
    (True, False)
    """
    words = words_of(name)
    return len(words) == 1 and words[0] in PERSON_WORDS


def may_be_shared(name: str) -> bool:
    """Whether different persons may have the same value of a column, as with names and addresses.

    >>> may_be_shared("last_name"), may_be_shared("email_address")
    (True, False)
    """
    words = words_of(name)
    return bool(first_word_in(words, SHARED_WORDS)) and not first_word_in(words, NAME_WORDS - SHARED_WORDS)


def familiarity_rank(name: str) -> int:
    """The place of a column among those that others may know of a person, best known first.

    Columns without a known word come last.

    >>> ranks = [familiarity_rank(name) for name in ("birth_year", "town", "eye_colour", "gamma")]
    >>> ranks == sorted(set(ranks))
    True
    """
    meanings = {MEANING.get(word) for word in words_of(name)}
    return next((place for place, meaning in enumerate(_KNOWN_FIRST) if meaning in meanings), len(_KNOWN_FIRST))


def meaning_of(word: str) -> str:
    """What a word of the vocabulary means, for the reason of a proposal.

    >>> meaning_of("gehalt")
    'money'
    """
    return MEANING[word]


def _with_postal_codes(words: Sequence[str]) -> list[str]:
    """The words, of which two that are a postal code together are one: posta alone is mail."""
    found: list[str] = []
    for word in words:
        if found and found[-1] + word in CODE_WORDS:
            found[-1] += word
        else:
            found.append(word)
    return found


def _spaced(word: str) -> str:
    """A word with spaces before capitals within it, except in a known word of unknown parts, as in GdB."""
    spaced = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", word)
    whole = word.lower() in MEANING and not any(part in MEANING for part in spaced.lower().split())
    return word if whole else spaced


def _words_in(text: str) -> list[str]:
    """The words of a text in lower case without its digits, and the parts of its compounds."""
    words = re.sub(r"[^a-z\u00e0-\u024f]+", " ", text).split()
    return [part for word in words for part in _parts_in_letters(word)]


def _as_one(text: str) -> list[str]:
    """A word with digits without what stands between them."""
    return [re.sub(r"[^a-z0-9]", "", text)]


@cache
def _parts_in_letters(word: str) -> tuple[str, ...]:
    """The parts of a word without its diacritics; German umlauts may be written as two letters."""
    spellings = [_without_diacritics(spelling).replace(" ", "") for spelling in (word.translate(_UMLAUTS), word)]
    found = [parts for parts in map(_parts, spellings) if parts[-1] in MEANING]
    return found[0] if found else (spellings[1],)


def _without_diacritics(text: str) -> str:
    """A text of lower-case letters without their diacritics; a space stands for anything else."""
    letters = (one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return "".join(one if "a" <= one <= "z" else " " for one in letters)


@cache
def _parts(word: str) -> tuple[str, ...]:
    """The known words of a compound; the word itself if it is known, or if it contains no known word at either end."""
    if word in MEANING or len(word) < 2 * _SHORTEST - 1:
        return (word,)
    return next(_compounds(word), None) or _ends(word) or _with_suffix(word) or (word,)


def _ends(word: str) -> tuple[str, ...]:
    """The long known words at the beginning and the end of a word, as in Personalnummer and Bruttogehalt."""
    first = next((word[:end] for end in range(len(word), _LONG - 1, -1) if word[:end] in MEANING), "")
    last = next((word[at:] for at in range(len(first), len(word) - _LONG + 1) if word[at:] in MEANING), "")
    return tuple(part for part in (first, last) if part)


def _with_suffix(word: str) -> tuple[str, ...]:
    """An unknown word and the key word at its end, as in storeid and plantname."""
    for suffix, least in _SUFFIXES.items():
        if word.endswith(suffix) and len(word) >= least + len(suffix) and not word.endswith(_NO_KEYS):
            return (word.removesuffix(suffix), suffix)
    return ()


def _compounds(word: str) -> Iterator[tuple[str, ...]]:
    """Ways to write a word as one to three known words with linking letters between and after them, longest first."""
    for end in range(len(word), 1, -1):
        first = word[:end]
        if first not in MEANING or (end < _SHORTEST and end < len(word)):
            continue
        for link in LINKS:
            if not word[end:].startswith(link):
                continue
            rest = word[end + len(link) :]
            if not rest:
                yield (first,)
            elif rest in MEANING and (len(rest) >= _SHORTEST or rest in NUMBER_WORDS):
                yield (first, rest)
            elif len(rest) > 2 * _SHORTEST:
                yield from ((first, *others) for others in _compounds(rest))
