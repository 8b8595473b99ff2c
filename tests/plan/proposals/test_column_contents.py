from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.domain import Domain
from sfumato.plan.proposals.column_contents import (
    Content,
    are_coordinates,
    are_written,
    content_of,
    kind_of_number,
    may_be_full_names,
    possible_content,
)


def domain(values: list[str]) -> Domain:
    return Domain.of("x", list(dict.fromkeys(values)))[0]


GIVEN = ["Ada", "Ben", "Can", "Dora", "Eve", "Finn", "Gül", "Hans", "Ines", "Jan"]
FAMILY = ["Adler", "Berg", "Costa", "Demir", "Engel", "O'Faber", "Garcia", "Haas-Lind", "Kaya", "Rossi"]
WORDS = ["she", "said", "that", "Ada", "had", "moved", "to", "Ulm", "last", "year", "again"]


@pytest.mark.parametrize(
    ("values", "content"),
    [
        ([f"u{n}@mail.example" for n in range(9)], Content.EMAIL),
        (["https://a.example/x", "www.b.example", "c.org/d"], Content.URL),
        (["10.0.0.1", "192.168.7.4"], Content.IP),
        (["2001:db8::1", "fe80::7"], Content.IP),
        (["00:1b:44:11:3a:b7", "00:1B:44:11:3A:B8"], Content.DEVICE),
        (["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001"], Content.KEY),
        (["+49 731 1234567", "0731/123 45 67", "(0731) 1234568", "+90 532 1234567"], Content.PHONE),
        (["A09.0", "B18.1", "C50.9", "I10", "J45.0"], Content.DISEASE),
        ([" ".join(WORDS[n % 3 :]) + f" {n}" for n in range(30)], Content.FREE_TEXT),
        (["48.1234, 11.5678", "-33.8123 151.2099", "POINT(8.123 47.456)"], Content.PLACE),
        ([f"@{one.lower()}_{place}" for place, one in enumerate(GIVEN)], Content.HANDLE),
        ([f"@{one}@social.example" for one in GIVEN], Content.HANDLE),
        (["@home", "@work"], Content.NOTHING),  # labels
        (['{"name": "Ada"}', '{"name": "Ben", "tags": [1, 2]}'], Content.FIELDS),
        (["{'name': 'Ada', 'age': 3}", "{'name': 'Ben'}"], Content.FIELDS),
        (['["Ada", "Ben"]', '[{"a": 1}]'], Content.FIELDS),
        (["<p>Ada</p>", '<person name="Ben"/>', "<?xml version='1.0'?><a>\n<b>x</b></a>"], Content.FIELDS),
        (["[20, 30]", "[30, 40]"], Content.NOTHING),  # intervals
        (["{20..30}", "{30..40}", "[20-30["], Content.NOTHING),
        (["<50", "<=50K", ">50K", "<none>"], Content.NOTHING),
        ([f"{one} van {two}" for one, two in zip(GIVEN, FAMILY, strict=True)], Content.NAMES),
        ([f"{two}, {one}" for one, two in zip(GIVEN, FAMILY, strict=True)], Content.NAMES),
        ([f"{one} of {two}" for one, two in zip(GIVEN, FAMILY, strict=True)], Content.NOTHING),
        ([f"{two} GmbH" for two in FAMILY], Content.NOTHING),
        (FAMILY, Content.NOTHING),
        (["12.5, 13.5", "1.25, 7.5"], Content.NOTHING),
        (["A30", "A31", "A43", "A410"], Content.NOTHING),  # codes of one letter are of something else
        (["A11", "B12", "C13", "D14"], Content.NOTHING),  # no code has a point
        (["2020-01-01", "2021-02-03"], Content.NOTHING),
        (["01067", "99084", "10115", "20095"], Content.NOTHING),
        (["red", "blue"], Content.NOTHING),
        (["Bachelor of Science", "Master of Arts in Law", "none"], Content.NOTHING),
        (["1.5", "2.25"], Content.NOTHING),
        ([], Content.NOTHING),
    ],
)
def test_what_values_are(values: list[str], content: Content) -> None:
    assert content_of(domain(values)) is content


def test_numbers_count_only_if_nearly_all_of_enough_have_right_check_digits() -> None:
    right = [str(number * 10 + check(number)) for number in range(400_000_000_000_000, 400_000_000_000_020)]
    assert content_of(domain(right)) is Content.NUMBER
    assert kind_of_number(domain(right)) == "numbers of payment cards"
    wrong = [str(int(text) + 1) if place < 3 else text for place, text in enumerate(right)]
    assert content_of(domain(wrong)) is Content.NOTHING
    assert content_of(domain(right[:7])) is Content.NOTHING


def check(number: int) -> int:
    """The Luhn digit, by its definition."""
    doubled = [2 * int(one) if place % 2 == 0 else int(one) for place, one in enumerate(str(number)[::-1])]
    return -sum(number - 9 if number > 9 else number for number in doubled) % 10


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([f"my son {one} goes to school" for one in GIVEN], True),
        ([f"{one} was rude, and left." for one in GIVEN], True),
        ([f"Mein Sohn {one} geht zur Schule" for one in GIVEN], True),
        ([f"{one} van der {two}" for one, two in zip(GIVEN, FAMILY, strict=True)], False),
        (["Apple Phone 12 Pro", "Samsung Galaxy S9 Plus"], False),
        (["strongly agree", "strongly disagree", "neither of them"], False),
        ([f"{one} A 12 - 7 x 3" for one in GIVEN], False),
        (["1", "2"], False),
        ([], False),
    ],
)
def test_texts_that_somebody_wrote_have_several_words(values: list[str], written: bool) -> None:
    assert are_written(domain(values)) is written


def test_coordinates_are_two_columns_of_many_decimals_in_range() -> None:
    random = np.random.default_rng(0)
    latitudes = domain([f"{number:.5f}" for number in random.normal(48, 1, 50)])
    longitudes = domain([f"{number:.5f}" for number in random.normal(-120, 9, 50)])
    shares = domain([f"{number:.5f}" for number in random.random(50)])
    coarse = domain([f"{number:.1f}" for number in random.normal(48, 9, 50)])
    assert are_coordinates(latitudes, longitudes)
    assert are_coordinates(longitudes, latitudes)
    assert not are_coordinates(longitudes, longitudes)
    assert not are_coordinates(latitudes, shares)
    assert not are_coordinates(coarse, coarse)
    assert not are_coordinates(latitudes, domain(["a", "b"]))


@pytest.mark.parametrize(
    ("values", "named", "content"),
    [
        (["+49 170 1234567"], False, Content.PHONE),
        (["01.02.20 and later", "05/06"], False, Content.NOTHING),
        (["12345678"], True, Content.PHONE),
        (["12345678"], False, Content.NOTHING),
        (["12", "13"], True, Content.NOTHING),
        (["2020-01-01"], True, Content.NOTHING),
        (["@anna", "none"], False, Content.HANDLE),
        (["@anna", "none", "other"], False, Content.NOTHING),
        (["GB82 WEST 1234 5698 7654 32"], False, Content.NUMBER),
        (["GB83 WEST 1234 5698 7654 32"], False, Content.NOTHING),
        ([], False, Content.NOTHING),
    ],
)
def test_what_few_values_may_be(values: list[str], named: bool, content: Content) -> None:
    assert possible_content(domain(values), named=named) is content


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["A. Schmidt"], True),
        (["ANNA SCHMIDT"], True),
        (["Schmidt, Anna", "van der Berg, Eva"], True),
        (["Anna Schmidt", "Eva Koch", "Anna Koch"], True),
        (["North Side", "South Side", "West Side"], False),
        (["Type A"], False),
        (["AB CD"], False),
        (["Anna"], False),
        (["12", "13"], False),
    ],
)
def test_few_full_names(values: list[str], expected: bool) -> None:
    assert may_be_full_names(domain(values)) is expected
