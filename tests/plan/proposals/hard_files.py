"""Generated files that are hard to propose a plan for, as data stewards have them. Persons and numbers are invented.

`FILES` has a function for each file; it takes a generator of random numbers and the number of persons, and returns the
header and the rows. `write_file` writes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

Random = np.random.Generator
Rows = tuple[Sequence[str], list[Sequence[Any]]]

_GIVEN = ("Ada", "Ben", "Can", "Dora", "Eve", "Finn", "Gül", "Hans", "Ines", "Jan", "Kim", "Lea", "Max", "Nora", "Ola")
_FAMILY = (
    "Adler",
    "Berg",
    "Costa",
    "Demir",
    "Engel",
    "Faber",
    "Garcia",
    "Haas",
    "Ilic",
    "Kaya",
    "Lang",
    "Marin",
    "Rossi",
)
_TOWNS = ("Ulm", "Bonn", "Kiel", "Jena", "Trier", "Essen", "Hof", "Fulda")
_CODES = ("A09.0", "B18.1", "C50.9", "E11.9", "F32.1", "I10", "J45.0", "K35.8", "M54.5", "N39.0", "S72.0", "Z38.0")
_ILLNESSES = ("flu", "asthma", "gout", "hepatitis", "fracture", "migraine", "cancer", "depression")


def write_file(name: str, folder: Path, persons: int = 400) -> Path:
    """Write a file of the list; the same name gives the same bytes."""
    header, rows = FILES[name](np.random.default_rng(len(name) * 1000 + persons), persons)
    separator = SEPARATORS.get(name, ",")
    path = folder / f"{name}.csv"
    lines = (separator.join("" if cell is None else str(cell) for cell in row) for row in [header, *rows])
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def visits(random: Random, persons: int) -> Rows:
    """Hospital visits, several of a person."""
    header = ("visit_id", "patient_id", "birth_date", "sex", "postcode", "ward", "admitted", "icd_code", "days")
    rows: list[Sequence[Any]] = []
    for person in range(persons):
        fixed = (f"P{10_000 + person}", _day(random, 1935, 60), _one(random, "mf"), f"{random.integers(100, 130)}77")
        for _ in range(int(random.integers(1, 5))):
            more = (_one(random, "ABCDE"), _day(random, 2022, 2), _one(random, _CODES), int(random.geometric(0.2)))
            rows.append((len(rows) + 1, *fixed, *more))
    return header, rows


def households(random: Random, persons: int) -> Rows:
    """A census of households; no column is the key of a person."""
    rows: list[Sequence[Any]] = []
    while len(rows) < persons:
        household, town, size = len(rows) // 2 + 100, _one(random, _TOWNS), int(random.integers(1, 6))
        income = int(random.lognormal(10, 0.5))
        rows += [
            (household, member + 1, town, int(random.integers(0, 90)), _one(random, "mf"), size, income)
            for member in range(size)
        ]
    return ("hh_nr", "member_no", "town", "age", "sex", "household_size", "household_income"), rows


def households_with_persons(random: Random, persons: int) -> Rows:
    """The same with a key of persons beside that of households."""
    header, rows = households(random, persons)
    return ("person_id", *header), [(f"X{place:06d}", *row) for place, row in enumerate(rows)]


def german(random: Random, persons: int) -> Rows:
    """German headers with compounds, decimal commas, semicolons and dates by day."""
    return _register(
        persons,
        {
            "Kundennummer": lambda place: 50_000 + 7 * place,
            "Vorname": lambda _: _one(random, _GIVEN),
            "Nachname": lambda _: _one(random, _FAMILY),
            "Geburtsdatum": lambda _: _day(random, 1950, 50, "%d.%m.%Y"),
            "Geschlecht": lambda _: _one(random, "mw"),
            "Postleitzahl": lambda _: f"{random.integers(10, 99):02d}{random.integers(100, 130)}",
            "Familienstand": lambda _: _one(random, ("ledig", "verheiratet", "geschieden")),
            "Konfession": lambda _: _one(random, ("ev", "rk", "keine", "isl")),
            "Bruttogehalt": lambda _: f"{random.lognormal(8, 0.4):.2f}".replace(".", ","),
            "Körpergröße": lambda _: f"{random.normal(1.72, 0.1):.2f}".replace(".", ","),
            "Raucher": lambda _: _one(random, ("ja", "nein", "nein")),
        },
    )


def french(random: Random, persons: int) -> Rows:
    """French headers with diacritics."""
    return _register(
        persons,
        {
            "Numéro client": lambda place: f"C{place:05d}",
            "Prénom": lambda _: _one(random, _GIVEN),
            "Nom": lambda _: _one(random, _FAMILY),
            "Date de naissance": lambda _: _day(random, 1950, 50, "%d/%m/%Y"),
            "Sexe": lambda _: _one(random, "HF"),
            "Code postal": lambda _: f"{random.integers(1, 95):02d}{10 * random.integers(0, 50):03d}",
            "Situation familiale": lambda _: _one(random, ("marié", "célibataire", "veuf")),
            "Salaire": lambda _: 100 * int(random.lognormal(3.2, 0.4)),
            "Syndicat": lambda _: _one(random, ("oui", "non", "non", "non")),
            "Maladie": lambda _: _one(random, _ILLNESSES),
        },
    )


def spanish(random: Random, persons: int) -> Rows:
    """Spanish headers, and identity numbers with their check letters."""
    letters = "TRWAGMYFPDXBNJZSQVHLCKE"
    numbers = (random.choice(90_000_000, persons, replace=False) + 10_000_000).tolist()
    return _register(
        persons,
        {
            "documento": lambda place: f"{numbers[place]}{letters[numbers[place] % 23]}",
            "nombre": lambda _: f"{_one(random, _GIVEN)} {_one(random, _FAMILY)}",
            "fecha_nacimiento": lambda _: _day(random, 1950, 50, "%d-%m-%Y"),
            "sexo": lambda _: _one(random, "HM"),
            "municipio": lambda _: _one(random, _TOWNS),
            "estado_civil": lambda _: _one(random, ("soltero", "casado", "viudo")),
            "salario": lambda _: 500 * int(random.lognormal(3.5, 0.3)),
            "enfermedad": lambda _: _one(random, _ILLNESSES),
        },
    )


def turkish(random: Random, persons: int) -> Rows:
    """Turkish headers, and identity numbers with two check digits."""
    return _register(
        persons,
        {
            "TC Kimlik No": lambda _: _tckn(random),
            "Adı Soyadı": lambda _: f"{_one(random, _GIVEN)} {_one(random, _FAMILY)}",
            "Doğum Tarihi": lambda _: _day(random, 1950, 50, "%d.%m.%Y"),
            "Cinsiyet": lambda _: _one(random, "EK"),
            "İl": lambda _: _one(random, ("Ankara", "İzmir", "Bursa", "Muş")),
            "Medeni Hal": lambda _: _one(random, ("evli", "bekar")),
            "Maaş": lambda _: 250 * int(random.lognormal(4, 0.3)),
            "Hastalık": lambda _: _one(random, _ILLNESSES),
        },
    )


def survey(random: Random, persons: int) -> Rows:
    """A survey of 200 columns: demography and 190 answers on a scale."""
    header = (
        "respondent_id",
        "age",
        "gender",
        "region",
        "education",
        "party",
        "religion",
        "weight_factor",
        "interview_date",
        "comments",
        *(f"q{number}" for number in range(1, 191)),
    )
    answers = random.integers(1, 6, (persons, 190))
    words = np.array(["the", "bus", "is", "late", "my", "boss", "school", "park", "good", "never", "street", "clean"])
    rows = [
        (
            1000 + place,
            int(random.integers(18, 90)),
            _one(random, "mfd"),
            _one(random, _TOWNS),
            _one(random, ("low", "mid", "high")),
            _one(random, "ABCDE"),
            _one(random, ("none", "x", "y")),
            f"{random.normal(1, 0.2):.6f}",
            _day(random, 2023, 1),
            " ".join(random.choice(words, 12)),
            *answers[place],
        )
        for place in range(persons)
    ]
    return header, rows


def measurements(random: Random, persons: int) -> Rows:
    """Thirty decimal measurements, unique in every record, and nothing else."""
    return [f"m_{number}" for number in range(30)], [
        [f"{number:.5f}" for number in random.normal(10, 3, 30)] for _ in range(persons)
    ]


def web_log(random: Random, persons: int) -> Rows:
    """Requests to a web server; an address makes several of them."""
    addresses = [".".join(map(str, random.integers(1, 255, 4))) for _ in range(persons)]
    pages = ("/", "/news", "/jobs", "/login", "/shop", "/help")
    rows = [
        (
            _one(random, addresses),
            f"2024-03-{random.integers(1, 29):02d} {random.integers(0, 24):02d}:15:00",
            _one(random, pages),
            _one(random, ("200", "200", "404")),
            int(random.integers(100, 9000)),
        )
        for _ in range(2 * persons)
    ]
    return ("client_ip", "time", "page", "response", "bytes"), rows


def payments(random: Random, persons: int) -> Rows:
    """Payments between accounts, with IBANs and amounts."""
    accounts = [_iban(random) for _ in range(persons)]
    shops = [_iban(random) for _ in range(20)]
    rows = [
        (
            place,
            _one(random, accounts),
            _one(random, shops),
            f"{random.lognormal(3, 1):.2f}",
            "EUR",
            _day(random, 2024, 1),
        )
        for place in range(3 * persons)
    ]
    return ("transaction", "konto_a", "konto_b", "amount", "currency", "booked"), rows


def marks(random: Random, persons: int) -> Rows:
    """The marks of pupils in several subjects."""
    rows = [
        (
            f"S{place:04d}",
            _one(random, _GIVEN),
            _one(random, ("7a", "7b", "8a", "8b")),
            _one(random, "mf"),
            *random.integers(1, 7, 4),
            int(random.poisson(3)),
        )
        for place in range(persons)
    ]
    header = (
        "pupil_no",
        "forename",
        "class",
        "sex",
        "grade_maths",
        "grade_english",
        "grade_arts",
        "grade_sports",
        "absent",
    )
    return header, rows


def staff(random: Random, persons: int) -> Rows:
    """An export of a personnel department."""
    header = (
        "Personalnummer",
        "email",
        "phone",
        "hire_date",
        "department",
        "job_title",
        "salary",
        "performance_rating",
        "sick_days",
        "disability",
        "shoe_size",
        "badge",
    )
    rows = [
        (
            f"{30_000 + place}",
            f"u{place}@firm.example",
            f"+49 731 {random.integers(10**6, 10**7)}",
            _day(random, 1990, 30),
            _one(random, ("sales", "it", "law")),
            _one(random, ("clerk", "lead", "head", "temp")),
            f"{random.lognormal(8.2, 0.3):.2f}",
            _one(random, "12345"),
            int(random.poisson(5)),
            _one(random, ("yes", *("no",) * 20)),
            int(random.normal(41, 2)),
            _uuid(random),
        )
        for place in range(persons)
    ]
    return header, rows


def places(random: Random, persons: int) -> Rows:
    """Where devices were, as coordinates without a telling name."""
    rows = [
        (
            f"dev-{place % (persons // 4)}",
            f"{random.normal(48.4, 0.1):.6f}",
            f"{random.normal(9.98, 0.1):.6f}",
            int(random.integers(0, 90)),
        )
        for place in range(persons)
    ]
    return ("handset", "p1", "p2", "speed"), rows


def letters(random: Random, persons: int) -> Rows:
    """Free texts with what persons wrote."""
    words = np.array(["my", "doctor", "said", "that", "Ada", "has", "moved", "to", "Ulm", "and", "is", "well", "again"])
    rows = [
        (
            place,
            int(random.integers(18, 90)),
            _one(random, "mf"),
            " ".join(random.choice(words, int(random.integers(8, 25)))),
        )
        for place in range(persons)
    ]
    return ("no", "age", "sex", "message"), rows


def two_secrets(random: Random, persons: int) -> Rows:
    """Two sensitive columns, one of them dominated by one value."""
    rows = [
        (
            int(random.integers(18, 90)),
            _one(random, _TOWNS),
            _one(random, _ILLNESSES),
            _one(random, ("no",) * 30 + ("yes",)),
        )
        for _ in range(persons)
    ]
    return ("age", "city", "diagnosis", "conviction"), rows


def flags(random: Random, persons: int) -> Rows:
    """Diseases as flags of 0 and 1, frequent and rare ones."""
    names = ("hiv", "diabetes", "asthma", "hypertension", "pregnant", "smoker")
    shares = (0.01, 0.1, 0.15, 0.3, 0.04, 0.25)
    rows = [
        (
            int(random.integers(0, 100)),
            _one(random, "mf"),
            _one(random, _TOWNS),
            *(random.random(6) < shares).astype(int),
        )
        for _ in range(persons)
    ]
    return ("age", "gender", "town", *names), rows


def indexed(random: Random, persons: int) -> Rows:
    """A running number, whole numbers of many values, and no known word."""
    rows = [
        (place + 1, int(random.integers(0, 313)), int(random.integers(0, 80)), _one(random, "xyz"))
        for place in range(persons)
    ]
    return ("n", "alpha", "beta", "gamma"), rows


def half_empty(random: Random, persons: int) -> Rows:
    """Columns that are empty for most persons, or have one value or none."""
    rows = [
        (
            int(random.integers(18, 90)),
            _one(random, _TOWNS),
            *((_one(random, "abcdef") if random.random() < share else None) for share in (0.5, 0.1, 0.02)),
            "x" if random.random() < 0.2 else None,
            "same",
            None,
        )
        for _ in range(persons)
    ]
    return ("age", "city", "v1", "v2", "v3", "tick", "constant", "empty"), rows


def answers(random: Random, persons: int) -> Rows:
    """Answers yes or no, with no known word in their names, and nothing else."""
    return [f"item {word}" for word in ("one", "two", "three", "four", "five", "six", "seven", "eight")], [
        ["yes" if one else "no" for one in random.random(8) < 0.4] for _ in range(persons)
    ]


def special(random: Random, persons: int) -> Rows:
    """Special categories of personal data as flags and lists."""
    rows = [
        (
            _day(random, 1940, 60),
            _one(random, "mf"),
            f"{random.integers(10, 40)}000",
            _one(random, ("0", "1", "1")),
            _one(random, ("none", "a", "b", "c")),
            _one(random, ("x", "y", "z")),
            _one(random, ("0",) * 9 + ("1",)),
            _one(random, ("A", "B", "AB", "0")),
            "1",
        )
        for _ in range(persons)
    ]
    header = (
        "dob",
        "gender",
        "zip",
        "union_member",
        "religion",
        "sexual_orientation",
        "criminal_record",
        "blood_group",
        "hiv",
    )
    return header, rows


def accounts(random: Random, persons: int) -> Rows:
    """Customers with numbers of cards, emails and a column that numbers their region."""
    rows = [
        (
            _card(random),
            f"u{place}@mail.example",
            int(random.integers(1, 30)),
            int(random.lognormal(7, 1)),
            _one(random, ("gold", "silver", "basic")),
            _day(random, 2010, 12, "%Y-%m"),
        )
        for place in range(persons)
    ]
    return ("c", "contact", "region_id", "balance", "tier", "since"), rows


def names_anywhere(random: Random, persons: int) -> Rows:
    """Names of persons in columns whose names have the words of something else."""
    header = (
        "age",
        "sex",
        "family_name",
        "name_at_birth",
        "nom_de_famille",
        "household_head",
        "next_of_kin",
        "spouse",
        "title",
        "occupation",
        "work_contact",
        "label",
        "diagnosis",
    )
    rows = [
        (
            int(random.integers(18, 90)),
            _one(random, "mf"),
            *(_one(random, _FAMILY) for _ in range(6)),
            *(f"{_one(random, _GIVEN)} {_one(random, _FAMILY)}-{_one(random, _FAMILY)}" for _ in range(4)),
            _one(random, _ILLNESSES),
        )
        for _ in range(persons)
    ]
    return header, rows


def many_secrets(random: Random, persons: int) -> Rows:
    """Six sensitive columns of a few values each, which together make nearly everybody unique."""
    header = ("age", "sex", "diagnosis", "medication", "therapy", "religion", "vote", "allergy")
    rows = [
        (int(random.integers(20, 80)), _one(random, "mf"), *(_one(random, "abcdefgh") for _ in range(6)))
        for _ in range(persons)
    ]
    return header, rows


def codes(random: Random, persons: int) -> Rows:
    """Numbers, codes and places of single records under words for what others know, and special categories."""
    header = ("sex", "age", "birth_certificate", "origin_code", "home", "etnia", "gender_identity", "status", "result")
    numbers = random.choice(8_000_000, (2, persons), replace=False) + 1_000_000
    rows = [
        (
            _one(random, "mf"),
            int(random.integers(18, 90)),
            numbers[0, place],
            f"Q{numbers[1, place]}-X",
            f'"{random.normal(48.4, 0.1):.6f}, {random.normal(9.98, 0.1):.6f}"',
            _one(random, "abc"),
            _one(random, ("cis", "cis", "cis", "trans")),
            "HIV positive",
            _one(random, ("stable", "better", "worse", "unknown")),
        )
        for place in range(persons)
    ]
    return header, rows


def key_without_name(random: Random, persons: int) -> Rows:
    """Visits with a key of persons whose name says nothing."""
    rows: list[Sequence[Any]] = []
    for person in range(persons):
        fixed = (
            3 * person + 17,
            _one(random, "mf"),
            int(random.integers(1930, 2005)),
            f"{random.integers(100, 130)}77",
        )
        several = int(random.integers(2, 6))
        rows += [(*fixed, _day(random, 2023, 1), _one(random, _ILLNESSES)) for _ in range(several)]
    return ("k1", "sex", "birth_year", "postcode", "seen", "diagnosis"), rows


def remarks(random: Random, persons: int) -> Rows:
    """A few sentences that somebody wrote under names of secrets, and a secret that names doctors."""
    written = [
        f"{given} was {what} and came {when}"
        for given in _GIVEN[:2]
        for what in ("late", "ill", "sent away")
        for when in ("alone", "again")
    ]
    rows = [
        (
            int(random.integers(18, 90)),
            _one(random, _TOWNS),
            _one(random, written),
            _one(random, written),
            f"{_one(random, _ILLNESSES)} ({_one(random, _FAMILY)})",
        )
        for _ in range(persons)
    ]
    return ("age", "town", "note", "comment", "diagnosis"), rows


FILES: Mapping[str, Callable[[Random, int], Rows]] = {
    scenario.__name__: scenario
    for scenario in (
        visits,
        households,
        households_with_persons,
        german,
        french,
        spanish,
        turkish,
        survey,
        measurements,
        web_log,
        payments,
        marks,
        staff,
        places,
        letters,
        two_secrets,
        flags,
        indexed,
        half_empty,
        answers,
        special,
        accounts,
        names_anywhere,
        many_secrets,
        codes,
        key_without_name,
        remarks,
    )
}

SEPARATORS = {"german": ";", "turkish": ";"}

PERSONS = {
    "visits": "patient_id",
    "households": "hh_nr",
    "payments": "konto_a",
    "web_log": "client_ip",
    "places": "handset",
    "key_without_name": "k1",
}
"""The key of persons, where several records are about one."""

HIDDEN = {
    "visits": ("visit_id", "patient_id"),
    "german": ("Kundennummer", "Vorname", "Nachname"),
    "spanish": ("documento", "nombre"),
    "staff": ("Personalnummer", "email", "phone", "badge"),
    "letters": ("no", "message"),
    "names_anywhere": (
        "family_name",
        "name_at_birth",
        "nom_de_famille",
        "household_head",
        "next_of_kin",
        "spouse",
        "title",
        "occupation",
        "work_contact",
        "label",
    ),
    "codes": ("birth_certificate", "origin_code", "home"),
    "key_without_name": ("k1",),
    "remarks": ("note", "comment"),
}
"""Columns that name persons or records, so that no release may have them."""

ASKED = {
    "many_secrets": 1,
    "codes": 5,
    "key_without_name": 1,
    "remarks": 3,
}
"""How many columns somebody must be asked for at least."""


def _register(persons: int, columns: Mapping[str, Callable[[int], Any]]) -> Rows:
    """A record for each person: each cell is made from the place of the record, one column after the other."""
    return tuple(columns), [[cell(place) for cell in columns.values()] for place in range(persons)]


def _one(random: Random, of: Sequence[str]) -> str:
    return of[int(random.integers(len(of)))]


def _day(random: Random, first: int, years: int, form: str = "%Y-%m-%d") -> str:
    return (date(first, 1, 1) + timedelta(days=int(random.integers(0, 365 * years)))).strftime(form)


def _uuid(random: Random) -> str:
    digits = "".join(f"{number:04x}" for number in random.integers(0, 65_536, 8))
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


def _iban(random: Random) -> str:
    account = "".join(map(str, random.integers(0, 10, 18)))
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def _card(random: Random) -> str:
    digits = [4, *random.integers(0, 10, 14).tolist()]
    doubled = (sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits))
    return "".join(map(str, [*digits, -sum(doubled) % 10]))


def _tckn(random: Random) -> str:
    digits = [int(random.integers(1, 10)), *random.integers(0, 10, 8).tolist()]
    digits.append((7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10)
    return "".join(map(str, [*digits, sum(digits) % 10]))
