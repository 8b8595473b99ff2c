"""Check digits of account, card and national numbers. `column_contents` recognizes columns of such numbers by them.

A check digit is right by chance in one of ten numbers, so a column is recognized only if nearly all values of many are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD = {
    **dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True)),
    **dict(
        zip(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
            strict=True,
        )
    ),
}
"""What a character at an odd place of an Italian codice fiscale counts."""


def is_iban(text: str) -> bool:
    """Whether a text is an IBAN: the number of its moved and spelled characters is 1 modulo 97 (ISO 13616).

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    plain = re.sub(r"[ -]", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Whether a text is a number of a payment card: 13 to 19 digits with a Luhn check digit (ISO 7812).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = _digits(text, range(13, 20))
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits[::-1])]
    return bool(digits) and digits[0] in (2, 3, 4, 5, 6) and sum(doubled) % 10 == 0


def is_tckn(text: str) -> bool:
    """Whether a text is a Turkish identity number, which has two check digits.

    >>> is_tckn("10000000146"), is_tckn("10000000147")
    (True, False)
    """
    digits = _digits(text, range(11, 12))
    if not digits or digits[0] == 0:
        return False
    tenth = (7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10
    return digits[9] == tenth and digits[10] == sum(digits[:10]) % 10


def is_dni(text: str) -> bool:
    """Whether a text is a Spanish DNI or NIE, whose letter is the number modulo 23.

    >>> is_dni("12345678Z"), is_dni("X1234567L"), is_dni("12345678A")
    (True, True, False)
    """
    found = re.fullmatch(r"([XYZ]?)(\d{7,8})-?([A-Z])", text.strip().upper())
    if not found or len(found[1]) + len(found[2]) != 8:
        return False
    return _DNI[int(str("XYZ".find(found[1])) * bool(found[1]) + found[2]) % 23] == found[3]


def is_codice_fiscale(text: str) -> bool:
    """Whether a text is an Italian codice fiscale, whose last letter checks the others.

    >>> is_codice_fiscale("RSSMRA85T10A562S"), is_codice_fiscale("RSSMRA85T10A562T")
    (True, False)
    """
    plain = text.strip().upper()
    if not re.fullmatch(r"[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPR-T][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]", plain):
        return False
    even = sum(int(one) if one.isdigit() else ord(one) - ord("A") for one in plain[1:15:2])
    return (sum(_ODD[one] for one in plain[0:15:2]) + even) % 26 == ord(plain[15]) - ord("A")


def is_pesel(text: str) -> bool:
    """Whether a text is a Polish PESEL.

    >>> is_pesel("44051401359"), is_pesel("44051401358")
    (True, False)
    """
    digits = _digits(text, range(11, 12))
    return bool(digits) and _weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def is_bsn(text: str) -> bool:
    """Whether a text is a Dutch BSN of nine digits.

    >>> is_bsn("111222333"), is_bsn("111222334")
    (True, False)
    """
    digits = _digits(text, range(9, 10))
    return bool(digits) and any(digits) and _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def is_nir(text: str) -> bool:
    """Whether a text is a French NIR: thirteen digits, and a key of two that makes the number divisible by 97.

    >>> is_nir("2 55 08 14 168 025 38"), is_nir("2 55 08 14 168 025 39")
    (True, False)
    """
    digits = re.sub(r"[ .-]", "", text)
    if not re.fullmatch(r"[12378]\d{14}", digits):
        return False
    return int(digits[13:]) == 97 - int(digits[:13]) % 97


def is_cpf(text: str) -> bool:
    """Whether a text is a Brazilian CPF, which has two check digits.

    >>> is_cpf("529.982.247-25"), is_cpf("529.982.247-24")
    (True, False)
    """
    digits = _digits(text, range(11, 12))
    if not digits or len(set(digits)) == 1:
        return False
    return all(_weighted(digits[:size], range(size + 1, 1, -1)) * 10 % 11 % 10 == digits[size] for size in (9, 10))


def is_ahv(text: str) -> bool:
    """Whether a text is a Swiss AHV number: thirteen digits from 756 on, with the check digit of a bar code.

    >>> is_ahv("756.9217.0769.85"), is_ahv("756.9217.0769.84")
    (True, False)
    """
    digits = _digits(text, range(13, 14))
    return digits[:3] == [7, 5, 6] and _weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


NUMBERS: Mapping[str, Callable[[str], bool]] = {
    "IBANs": is_iban,
    "numbers of payment cards": is_card,
    "Turkish identity numbers": is_tckn,
    "Spanish identity numbers": is_dni,
    "Italian tax codes": is_codice_fiscale,
    "Polish PESEL numbers": is_pesel,
    "Dutch citizen service numbers": is_bsn,
    "French social security numbers": is_nir,
    "Brazilian CPF numbers": is_cpf,
    "Swiss AHV numbers": is_ahv,
}
"""What a column of numbers with right check digits holds."""


def _digits(text: str, sizes: range) -> list[int]:
    """The digits of a number that may be written with spaces, points and hyphens; none if it has another length."""
    plain = re.sub(r"[ .-]", "", text)
    return [int(one) for one in plain] if plain.isascii() and plain.isdigit() and len(plain) in sizes else []


def _weighted(digits: Sequence[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=True))
