"""English words in column names that suggest a role for the column.

`proposal` uses them to propose roles, `warnings` to find columns that look like identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

NAME_WORDS = frozenset(
    {
        "address", "email", "familyname", "fax", "firstname", "forename", "fullname", "iban", "ip", "lastname",
        "licence", "license", "login", "mail", "mobile", "mrn", "name", "passport", "phone", "plate", "signature",
        "ssn", "street", "surname", "telephone", "url", "username",
    }
)  # fmt: skip
"""Words for values that name a person or lead directly to one."""

SHARED_WORDS = frozenset(
    {
        "address", "familyname", "fax", "firstname", "forename", "fullname", "lastname", "name", "phone", "street",
        "surname", "telephone",
    }
)  # fmt: skip
"""Those of `NAME_WORDS` whose values different persons may share."""

NUMBER_WORDS = frozenset({"account", "card", "guid", "id", "identifier", "key", "no", "nr", "number", "uuid"})
"""Words for numbers and keys of any kind; a column with many different values may number persons."""

PERSON_WORDS = frozenset(
    {
        "applicant", "beneficiary", "borrower", "citizen", "client", "customer", "donor", "employee", "holder",
        "insured", "member", "participant", "patient", "pensioner", "person", "pupil", "respondent", "student",
        "subject", "user",
    }
)  # fmt: skip
"""Words for persons; together with one of `NUMBER_WORDS`, as in `patient_id`, they suggest a person key."""

PERSON_NUMBER_WORDS = frozenset({"mrn", "passport", "ssn"})
"""Words for numbers that only persons have; each of them suggests a person key."""

CODE_WORDS = frozenset({"plz", "postal", "postcode", "zip", "zipcode"})
"""Words for codes that consist of digits but are not numbers."""

QUASI_WORDS = CODE_WORDS | {
    "admission", "admitted", "age", "birth", "birthdate", "birthday", "born", "children", "citizenship", "city",
    "civil", "country", "county", "death", "degree", "discharge", "discharged", "district", "dob", "education",
    "employer", "ethnic", "ethnicity", "family", "gender", "height", "household", "job", "language", "marital",
    "nationality", "native", "occupation", "profession", "province", "race", "region", "relationship", "school",
    "sex", "state", "town", "weight", "work", "workclass",
}  # fmt: skip
"""Words for what neighbours, colleagues or newspapers may know of a person."""

SENSITIVE_WORDS = frozenset(
    {
        "balance", "belief", "condition", "conviction", "credit", "crime", "debt", "diagnoses", "diagnosis",
        "disability", "disease", "drug", "earnings", "hiv", "icd", "illness", "income", "loan", "medication",
        "offence", "offense", "orientation", "party", "pay", "political", "pregnancy", "religion", "result",
        "salary", "score", "symptom", "test", "therapy", "treatment", "wage", "wages",
    }
)  # fmt: skip
"""Words for what most persons want to keep private."""


def words_of(name: str) -> list[str]:
    """Split a column name into its words, in lower case and without digits.

    >>> words_of("marital-status"), words_of("birthDate2")
    (['marital', 'status'], ['birth', 'date'])
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", " ", name).lower().split()


def first_word_in(words: Sequence[str], vocabulary: Set[str]) -> str | None:
    """The first of the words that the vocabulary contains; None if it contains none of them."""
    return next((word for word in words if word in vocabulary), None)


def is_person_key(name: str) -> bool:
    """Whether a column is named as the key of a person.

    >>> is_person_key("patient_id"), is_person_key("ssn"), is_person_key("visit_id"), is_person_key("customer_name")
    (True, True, False, False)
    >>> is_person_key("patient")
    True
    """
    words = words_of(name)
    both = first_word_in(words, PERSON_WORDS) and first_word_in(words, NUMBER_WORDS)
    return bool(both or is_person(name) or first_word_in(words, PERSON_NUMBER_WORDS))


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
