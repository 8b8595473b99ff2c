"""What the name of a column tells about it, in the words that data about people use."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

NAMING = frozenset(
    {
        "address", "email", "familyname", "fax", "firstname", "forename", "fullname", "iban", "ip", "lastname",
        "licence", "license", "login", "mail", "mobile", "mrn", "name", "passport", "phone", "plate", "signature",
        "ssn", "street", "surname", "telephone", "url", "username",
    }
)  # fmt: skip
"""Names a person, or leads straight to one."""

NUMBERING = frozenset({"account", "card", "guid", "id", "identifier", "key", "no", "nr", "number", "uuid"})
"""Numbers something; a person where there are many of them."""

PERSONS = frozenset(
    {
        "applicant", "beneficiary", "borrower", "citizen", "client", "customer", "donor", "employee", "holder",
        "insured", "member", "participant", "patient", "pensioner", "person", "pupil", "respondent", "student",
        "subject", "user",
    }
)  # fmt: skip
"""Who a record is about; with a word of NUMBERING, such as `patient_id`, the key of a person."""

CODES = frozenset({"plz", "postal", "postcode", "zip", "zipcode"})
"""Written in digits that are no number."""

RECOGNIZING = CODES | {
    "admission", "admitted", "age", "birth", "birthdate", "birthday", "born", "children", "citizenship", "city",
    "civil", "country", "county", "death", "degree", "discharge", "discharged", "district", "dob", "education",
    "employer", "ethnic", "ethnicity", "family", "gender", "height", "household", "job", "language", "marital",
    "nationality", "native", "occupation", "profession", "province", "race", "region", "relationship", "school",
    "sex", "state", "town", "weight", "work", "workclass",
}  # fmt: skip
"""Neighbours, colleagues or a newspaper may know it."""

SECRET = frozenset(
    {
        "balance", "belief", "condition", "conviction", "credit", "crime", "debt", "diagnoses", "diagnosis",
        "disability", "disease", "drug", "earnings", "hiv", "icd", "illness", "income", "loan", "medication",
        "offence", "offense", "orientation", "party", "pay", "political", "pregnancy", "religion", "result",
        "salary", "score", "symptom", "test", "therapy", "treatment", "wage", "wages",
    }
)  # fmt: skip
"""What people would not want to become known."""


def words_of(name: str) -> list[str]:
    """The words of a column name.

    >>> words_of("marital-status"), words_of("birthDate2")
    (['marital', 'status'], ['birth', 'date'])
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", " ", name).lower().split()


def known(words: Sequence[str], vocabulary: Set[str]) -> str | None:
    """The first of the words that the vocabulary has."""
    return next((word for word in words if word in vocabulary), None)
