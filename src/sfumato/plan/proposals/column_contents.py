"""What the values of a column are, by their form: emails, account numbers, disease codes, JSON, free text, coordinates.

`column_roles` proposes roles by it whatever the column is called. No value leaves this module.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.plan.proposals.checksums import NUMBERS

_LOOKED_AT = 500
"""How many different values are looked at."""
_MOSTLY = 0.9
"""The share of values from which a column is said to hold something."""
_ENOUGH = 8
"""Different values from which check digits and codes are no chance."""
_WORDS = 4
"""Words of a value from which it is free text."""
_LETTERS = 40
_DECIMALS = 4
"""Decimals of most values from which two columns may be coordinates: about ten metres."""

_DIGITS = 5
"""Digits from which a whole number may be a code: ages, years and sizes have fewer."""
_PARTICLES = frozenset({"al", "bin", "da", "de", "del", "den", "der", "di", "dos", "du", "la", "le", "van", "von", "y"})
"""Words within names that are written small."""

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_URL = re.compile(
    r"(https?://|www\.)\S+|([\w-]+\.)+(com|net|org|info|edu|gov|de|fr|es|it|uk|tr|pl|nl|pt|eu|us)(/\S*)?", re.I
)
_PHONE = re.compile(r"(\+|00?|\()[\d ()/.-]{6,20}\d")
_SURE_PHONE = re.compile(
    r"\+[\d ()/.-]{6,20}\d|(?=.*[ /()-])\(?0[\d ()/.-]{5,20}\d|(\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}"
)
"""A phone number with a plus or separators, which is no range and no date: one such value is no other number."""
_NO_PHONE = re.compile(r"\d{4,6} ?- ?\d{4,6}|\d\d?[./-]\d\d?[./-]\d{2,4}")
"""A range of codes or a date, which look like phone numbers with separators."""
_NAMED_PHONE = re.compile(r"[+(]?\d[\d ()/.-]{4,20}\d")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_MAC = re.compile(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.I)
_DISEASE = re.compile(r"[A-Z]\d[0-9AB](\.[0-9A-Z]{1,4})?")
_PLACE = re.compile(r"(POINT ?)?\(?[+-]?\d{1,3}\.\d{3,}°?\s*[,; ]\s*[+-]?\d{1,3}\.\d{3,}°?\)?", re.I)
_HANDLE = re.compile(r"@[^\W_][\w.-]*(@[\w.-]+)?")
_TAG = re.compile(r"(<\?xml\b.*\?>\s*)?<([A-Za-z][\w:.-]*)(\s[^<>]*)?(/>|>.*</\2>)", re.DOTALL)
_FIELDS = re.compile(r"\{\s*(['\"]).*?\1\s*:.*\}", re.DOTALL)
"""A dictionary as Python writes it, which is nearly JSON."""
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\d.,+-])\S+|\d{5,}")
_POSTAL_CODE = re.compile(r"\d{5}|\d{2}-\d{3}|\d{4}-\d{3}")
_TITLE = re.compile(r"\b(Dr|Prof|Mr|Mrs|Ms|Herrn?|Frau|Mme|Mlle|Sra?|Dott|Mevr|Dhr|Pani?|Bay|Bayan)\b\.? ?[A-Z]")
"""A form of address and what follows it."""


class Content(StrEnum):
    """What a column holds, in the order in which it is recognized; the texts stand in reasons."""

    NOTHING = ""
    EMAIL = "email addresses"
    URL = "web addresses"
    IP = "IP addresses"
    DEVICE = "numbers of devices"
    KEY = "UUIDs"
    NUMBER = "account, card or national numbers with right check digits"
    PHONE = "telephone numbers"
    HANDLE = "names of accounts"
    FIELDS = "several fields as one text (JSON or XML)"
    PLACE = "coordinates of places as one text"
    DISEASE = "codes of diseases (ICD-10)"
    NAMES = "texts that look like names of persons"
    FREE_TEXT = "free text"


def content_of(domain: Domain) -> Content:
    """What nearly all of some different values of a column are; nothing if they have no form that is known.

    >>> content_of(Domain.of("x", ["ann@a.org", "bob@b.org"])[0])
    <Content.EMAIL: 'email addresses'>
    """
    texts = _some(domain)
    if not texts or domain.kind in (Kind.DATE, Kind.MONTH):
        return Content.NOTHING
    forms = _NUMBER_FORMS if domain.kind is Kind.NUMBER else _FORMS
    return next((content for content, fits in forms.items() if fits(texts)), Content.NOTHING)


def possible_content(domain: Domain, *, named: bool = False) -> Content:
    """What at least half of the values may be, however few there are; a person must look at it.

    Names of persons are not among it (`may_be_full_names`). With `named`, the column is named as a way to reach a
    person, so that digits alone are a telephone number.

    >>> possible_content(Domain.of("x", ["+49 170 1234567", "none"])[0])
    <Content.PHONE: 'telephone numbers'>
    """
    texts = _some(domain)
    if not texts or domain.kind in (Kind.DATE, Kind.MONTH):
        return Content.NOTHING
    if any(_mostly(fits)(texts) for fits in NUMBERS.values()):
        return Content.NUMBER
    if _mostly(_PLACE.fullmatch)(texts):
        return Content.PLACE
    if named and _half(_may_be_phone)(texts):
        return Content.PHONE
    if domain.kind is Kind.NUMBER:
        return Content.NOTHING
    return next((content for content, fits in _POSSIBLE.items() if _half(fits)(texts)), Content.NOTHING)


def may_be_full_names(domain: Domain, *, named: bool = False) -> bool:
    """Whether texts may be first and last names of persons, however few there are.

    With `named`, the column is named after persons, so half of the texts suffice, and they may be written small.
    Otherwise three or more must have different first and different last words, as labels often have not.

    >>> may_be_full_names(Domain.of("x", ["Anna Schmidt", "Hans Koch"])[0]), may_be_full_names(Domain.of("x", ["A"])[0])
    (True, False)
    """
    texts = _some(domain) if domain.kind is Kind.TEXT else []
    if named:
        return _half(lambda text: _is_full_name(text.title() if text == text.lower() else text))(texts)
    if not _mostly(_is_full_name, 1)(texts):
        return False
    parts = [words for words in map(_name_parts, texts) if words]
    ends = min(len({words[0] for words in parts}), len({words[-1] for words in parts}))
    return len(parts) <= 2 or 2 * ends > len(parts)


def may_be_disease(domain: Domain) -> bool:
    """Whether nearly all texts have the form of codes of diseases, which other codes have, too."""
    return domain.kind is Kind.TEXT and _mostly(_DISEASE.fullmatch)(_some(domain))


def are_postal_codes(domain: Domain) -> bool:
    """Whether nearly all of several values have the form of postal codes of Spain, Poland, Turkey or Portugal."""
    return _mostly(_POSTAL_CODE.fullmatch, 2)(_some(domain))


def has_long_number(domain: Domain) -> bool:
    """Whether nearly all values have many digits, as numbers of accounts and cases do."""
    return _mostly(lambda text: sum(one.isdigit() for one in text) >= _DIGITS)(_some(domain))


def kind_of_number(domain: Domain) -> str:
    """Which numbers with check digits a column holds, as `IBANs`; empty if it holds none."""
    return _checked(_some(domain))


def are_coordinates(first: Domain, second: Domain) -> bool:
    """Whether two columns side by side are latitudes and longitudes, in either order: ranges and many decimals."""
    return any(_within(one, 90) and _within(other, 180) for one, other in ((first, second), (second, first)))


def is_capitalized(domain: Domain) -> bool:
    """Whether nearly all texts are a few capitalized words without digits, as names are, of whatever."""
    return domain.kind is Kind.TEXT and _mostly(lambda text: 1 <= len(_name_parts(text)) <= _WORDS)(_some(domain))


def may_be_small_names(domain: Domain) -> bool:
    """Whether the texts would look like names of persons if they were capitalized; none of them has a capital."""
    texts = _some(domain) if domain.kind is Kind.TEXT else []
    return bool(texts) and all(text == text.lower() for text in texts) and _are_names([one.title() for one in texts])


def is_code(domain: Domain) -> bool:
    """Whether nearly all texts are one word with digits, or whole numbers of many digits."""
    texts = _some(domain)
    if domain.kind is Kind.NUMBER:
        return _mostly(lambda text: text.isdigit() and len(text) >= _DIGITS, _ENOUGH)(texts)
    return domain.kind is Kind.TEXT and _mostly(_CODE.fullmatch, _ENOUGH)(texts)


def words_of_values(domain: Domain) -> int:
    """The median number of words of the texts of a column; 0 if it has no texts."""
    texts = _some(domain) if domain.kind is Kind.TEXT else []
    return sorted(len(text.split()) for text in texts)[len(texts) // 2] if texts else 0


def are_sentences(domain: Domain) -> bool:
    """Whether most texts are long or have many words, however many different ones there are."""
    texts = _some(domain) if domain.kind is Kind.TEXT else []
    return bool(texts) and _are_long(texts)


def are_written(domain: Domain) -> bool:
    """Whether most texts have several words of letters, some of them small: texts that somebody wrote, or answers."""
    texts = _some(domain) if domain.kind is Kind.TEXT else []
    return bool(texts) and 2 * sum(map(_is_written, texts)) > len(texts)


def addresses_somebody(domain: Domain) -> bool:
    """Whether some text has a form of address as before a name, such as Dr."""
    return domain.kind is Kind.TEXT and any(_TITLE.search(text) for text in _some(domain))


def _within(domain: Domain, limit: float) -> bool:
    """Whether a column of numbers stays within a limit, is not a share, and has many decimals."""
    if domain.kind is not Kind.NUMBER or domain.numbers is None or domain.present < _ENOUGH:
        return False
    numbers = domain.numbers[: domain.present]
    if abs(numbers).max() > limit or abs(numbers).max() <= 1:
        return False
    fine = [len((text or "").partition(".")[2]) >= _DECIMALS for text in _some(domain)]
    return sum(fine) >= 0.8 * len(fine)


def _some(domain: Domain) -> list[str]:
    """Some different values, from all over the domain."""
    step = -(-max(domain.present, 1) // _LOOKED_AT)
    return [text.strip() for text in domain.texts[: domain.present : step] if text]


def _mostly(fits: Callable[[str], object], least: int = 1) -> Callable[[Sequence[str]], bool]:
    """Whether nearly all texts fit, and there are enough of them."""
    return lambda texts: len(texts) >= least and sum(bool(fits(text)) for text in texts) >= _MOSTLY * len(texts)


def _half(fits: Callable[[str], object]) -> Callable[[Sequence[str]], bool]:
    """Whether at least half of the texts fit."""
    return lambda texts: bool(texts) and 2 * sum(bool(fits(text)) for text in texts) >= len(texts)


def _checked(texts: Sequence[str]) -> str:
    return next((name for name, fits in NUMBERS.items() if _mostly(fits, _ENOUGH)(texts)), "")


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return not text.isdigit()


def _is_phone(text: str) -> bool:
    return bool(_PHONE.fullmatch(text)) and 8 <= sum(one.isdigit() for one in text) <= 15


def _is_sure_phone(text: str) -> bool:
    return bool(_SURE_PHONE.fullmatch(text)) and not _NO_PHONE.fullmatch(text) and _may_be_phone(text)


def _may_be_phone(text: str) -> bool:
    return bool(_NAMED_PHONE.fullmatch(text)) and 6 <= sum(one.isdigit() for one in text) <= 15


def _are_diseases(texts: Sequence[str]) -> bool:
    """ICD-10 codes of several chapters, some of them with a point: other codes have letters and digits, too."""
    if not _mostly(_DISEASE.fullmatch, 3)(texts):
        return False
    return len({text[0] for text in texts}) >= 3 and sum("." in text for text in texts) * 4 >= len(texts)


def _are_free_text(texts: Sequence[str]) -> bool:
    """Mostly different texts of several words, or long ones. A list of categories is shorter."""
    return len(texts) >= 2 * _ENOUGH and _are_long(texts)


def _are_long(texts: Sequence[str]) -> bool:
    words = sorted(len(text.split()) for text in texts)[len(texts) // 2]
    letters = sorted(map(len, texts))[len(texts) // 2]
    return words > 2 * _WORDS or (words >= _WORDS and letters >= _LETTERS)


def _is_written(text: str) -> bool:
    words = [word for word in (one.strip(".,;:!?\"'()") for one in text.split()) if word.isalpha()]
    small = [word for word in words if word.islower() and word not in _PARTICLES]
    return len(words) >= _WORDS and bool(small)


def _has_fields(text: str) -> bool:
    """Whether a text is JSON with names or texts in it, or XML; a pair of numbers is an interval."""
    if _TAG.fullmatch(text) or _FIELDS.fullmatch(text):
        return True
    if not text.startswith(("{", "[")):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return bool(found) and any(not isinstance(one, int | float) for one in found)


def _are_names(texts: Sequence[str]) -> bool:
    """Two to four capitalized words each, with many different first ones and many different last ones.

    The last words of companies are a few legal forms. Names of cities are mostly one word.
    """
    parts = [_name_parts(text) for text in texts]
    fitting = [words for words in parts if 2 <= len(words) <= _WORDS]
    if len(fitting) < _MOSTLY * len(texts):
        return False
    return min(len({words[0] for words in fitting}), len({words[-1] for words in fitting})) >= _ENOUGH


def _name_parts(text: str) -> list[str]:
    """The capitalized words of a text without small particles; none if another word is small or has a digit."""
    words = [word for word in re.split(r"[\s,]+", text) if word and word not in _PARTICLES]
    letters = (re.sub(r"[.'’-]", "", word) for word in words)
    fit = all(word.isalpha() and not word[0].islower() for word in letters)
    return words if fit else []


def _is_full_name(text: str) -> bool:
    """Two to five capitalized words, of which letters alone have a point and some have small letters or are long."""
    words = _name_parts(text)
    if not 2 <= len(words) <= _WORDS + 1 or any(len(word) == 1 for word in words):
        return False
    return any(not word.isupper() or len(word) >= _WORDS for word in words)


_FORMS: Mapping[Content, Callable[[Sequence[str]], bool]] = {
    Content.EMAIL: _mostly(_EMAIL.fullmatch),
    Content.URL: _mostly(_URL.fullmatch, 2),
    Content.IP: _mostly(_is_ip, 2),
    Content.DEVICE: _mostly(_MAC.fullmatch, 2),
    Content.KEY: _mostly(_UUID.fullmatch, 2),
    Content.NUMBER: lambda texts: bool(_checked(texts)),
    Content.PHONE: _mostly(_is_phone, 4),
    Content.HANDLE: _mostly(_HANDLE.fullmatch, _ENOUGH),
    Content.FIELDS: _mostly(_has_fields, 2),
    Content.PLACE: _mostly(_PLACE.fullmatch, 2),
    Content.DISEASE: _are_diseases,
    Content.NAMES: _are_names,
    Content.FREE_TEXT: _are_free_text,
}
_NUMBER_FORMS: Mapping[Content, Callable[[Sequence[str]], bool]] = {Content.NUMBER: _FORMS[Content.NUMBER]}
_POSSIBLE: Mapping[Content, Callable[[str], object]] = {
    Content.EMAIL: _EMAIL.fullmatch,
    Content.URL: _URL.fullmatch,
    Content.IP: _is_ip,
    Content.DEVICE: _MAC.fullmatch,
    Content.KEY: _UUID.fullmatch,
    Content.PHONE: _is_sure_phone,
    Content.HANDLE: _HANDLE.fullmatch,
    Content.FIELDS: _has_fields,
}
"""Forms of one value that other values hardly have."""
