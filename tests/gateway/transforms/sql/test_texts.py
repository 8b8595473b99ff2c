"""Weaker texts on both engines, text by text against plain Python."""

from __future__ import annotations

import random

import pytest

from sfumato.gateway.transforms import DropHouseNumber, FirstLetter, Generalize, Prefix
from tests.gateway.transforms.asking import Engine, mismatches

ADDRESSES = [
    *(
        "21, West St., TBA, QLD 4350",
        "21 West St",
        "12a Foo",
        "12A, Foo",
        "12-14 Foo",
        "12 - 14 Foo",
        "12/3 Foo",
        "2/21 W",
    ),
    *(
        "Unit 2, 21 West St",
        "unit 2/21 West",
        "FLAT 3B 7 Hill",
        "No. 5 Foo",
        "no5 Foo",
        "#7 Foo",
        "Nr 7, Foo",
        "Notting 5",
    ),
    *(
        "3rd Avenue",
        "5 5th Avenue",
        "21",
        " 21 ",
        "21,",
        "21.5 Foo",
        "12ab Foo",
        "12 a",
        "",
        " ",
        "West St 5",
        "–12 Foo",
    ),
    *(
        "Hauptstr. 12a, 1010 Wien",
        "Hauptstr. 5",
        "Straße des 17. Juni 135, Berlin",
        "Gasse 3/4/5; Hof",
        "Weg 1 - 3, Dorf",
    ),
    *(
        "12\nFoo",
        "12 Foo\n",
        "Foo 12\n",
        "Foo 12\n, Bar",
        "\t7\tFoo",
        "１２ Foo",
        "12é Foo",
        "1 2 3 4 5 x",
        "12 – 14 Ümläut",
    ),
    *("House 1 Lot 2 Level 3, 4 End", "7 " * 40 + "x", "5" * 300 + " Foo", "it's 5, x", "a\\b 5", "%s 5", "\\1 5, \\2"),
]
NAMES = [
    "",
    "A",
    "Alice",
    "é",
    "éa",
    "e\u0301a",
    "日本語",
    "😀😀",
    "👩‍👧 x",
    " B",
    "\tB",
    "ß",
    "İi",
    "'",
    "\\",
    "%",
    "a" * 5000,
    "\x7f",
]
TRANSFORMS = [
    *(FirstLetter(), Prefix(length=1), Prefix(length=3), Prefix(length=3, fill="*"), Prefix(length=2, fill="é")),
    *(DropHouseNumber(), DropHouseNumber(stands="after")),
    *(Generalize(taxonomy={"mask": side}, level=level) for side in ("left", "right") for level in (1, 3)),
    Generalize(taxonomy={"mask": "right", "character": "'"}, level=2),
]
LETTERS = "0123456789 ,.;/-abAB#é\n" + "0123 , "


def texts() -> list[str | None]:
    draw = random.Random(3)
    drawn = ["".join(draw.choices(LETTERS, k=draw.randrange(14))) for _ in range(2000)]
    return [None, *ADDRESSES, *NAMES, *drawn]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=str)
def test_every_text_is_what_python_says(engine: Engine, transform: FirstLetter) -> None:
    every = texts()
    engine.fill("VARCHAR", every)
    assert mismatches(engine, transform, "VARCHAR", every) == []


@pytest.mark.parametrize("transform", TRANSFORMS, ids=str)
def test_padding_means_nothing(on_postgres: Engine, transform: FirstLetter) -> None:
    padded = ["12 Foo", "Foo 12", "", "A", None]
    on_postgres.fill("character(9)", padded)
    assert mismatches(on_postgres, transform, "character(9)", [one and one.ljust(9) for one in padded]) == []


def test_names_are_compared_character_by_character(engine: Engine) -> None:
    """Whatever the column takes for equal: a name that only looks like one of the taxonomy is none of it."""
    collation = "COLLATE NOCASE" if engine.name == "duckdb" else 'COLLATE "POSIX"'
    every = ["Dancer", "dancer", "DANCER", "Writer", "it's", "", None]
    engine.fill("VARCHAR", every, collation)
    jobs = Generalize(taxonomy={"branches": {"ANY": {"Artist": ["Dancer", "Writer"], "Other": ["it's"]}}})
    assert engine.weaker(jobs, engine.type_of("VARCHAR")) == ["Artist", None, None, "Artist", "Other", None, None]
    for transform in TRANSFORMS:
        assert mismatches(engine, transform, "VARCHAR", every) == []


def test_an_enumeration_is_a_text(on_duckdb: Engine) -> None:
    on_duckdb.fill("ENUM('Alice', 'Bob')", ["Alice", "Bob", None])
    assert on_duckdb.weaker(FirstLetter(), on_duckdb.type_of("ENUM('Alice', 'Bob')")) == ["A", "B", None]
    people = Generalize(taxonomy={"groups": [["Alice", "Bob"], ["Carl"]]})
    assert on_duckdb.weaker(people, on_duckdb.type_of("ENUM('Alice', 'Bob')")) == ["Alice - Bob", "Alice - Bob", None]
