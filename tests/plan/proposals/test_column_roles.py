from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.domain import Domain
from sfumato.plan.proposals.column_roles import RoleFinding, finding
from sfumato.plan.proposals.distinguishability import Separation


def found(name: str, values: list[str | None]) -> RoleFinding:
    raw = list(dict.fromkeys(values))
    sizes = np.array([values.count(value) for value in raw])
    own = float((sizes == 1).sum() / len(values))
    return finding(name, Domain.of(name, raw)[0], Separation.of_sizes(sizes), own)


def role(name: str, values: list[str | None]) -> str:
    given = found(name, values).role
    return "undecided" if given is None else str(given)


FEW = ["a", "b", "c"] * 20
MANY = [f"v{place}" for place in range(60)]
RUNNING = [str(place + 7) for place in range(60)]
SPREAD = [str(place**3 - 500) for place in range(60)]
GIVEN = ("Ada", "Ben", "Can", "Dora", "Eve", "Finn", "Gül", "Hans", "Ines", "Jan")
FAMILY = (
    "Adler",
    "Berg",
    "Costa",
    "Demir",
    "Engel",
    "Faber",
    "Garcia",
    "Haas",
    "O'Hara",
    "Kaya-Lang",
    "Rossi",
    "Marin",
)
FULL = [f"{given} {family}" for given in GIVEN for family in FAMILY]
SURNAMES = [FAMILY[place % 12] for place in range(120)]
FIRMS = [f"{family} {form}" for family in FAMILY for form in ("GmbH", "AG")] * 3
LONG = [str(1_000_003 + 7919 * place) for place in range(60)]
TEXTS = [f"flu ({family} at {given})" for given in GIVEN for family in FAMILY]
FIELDS = [f'{{"user": "{name}", "age": {place}}}' for place, name in enumerate(FULL)] * 5
SHORT = [f"{given} went away with {family}" for given in GIVEN for family in FAMILY]
DATES = ["2020-01-01", "2021-05-06", "1999-12-31"] * 20


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        # what names a person
        ("Nachname", MANY, "identifier"),
        ("nachname", [f"n{place % 15}" for place in range(300)], "identifier"),
        ("work_phone", MANY, "identifier"),
        ("company_name", FEW, "quasi"),
        ("drug_name", MANY, "sensitive"),
        ("credit_card_no", RUNNING, "identifier"),
        ("account_balance", RUNNING, "sensitive"),
        ("anything", [f"u{place}@mail.example" for place in range(60)], "identifier"),
        ("diagnosis", [f"u{place}@mail.example" for place in range(60)], "identifier"),
        ("hh_nr", [str(place // 3) for place in range(60)], "identifier"),
        # names of persons under the name of something else, or of nothing
        *((name, SURNAMES, "identifier") for name in ("family_name", "birth_name", "name_at_birth", "nom_naissance")),
        *((name, SURNAMES, "identifier") for name in ("nom_de_famille", "member_name_family", "spouse", "next_of_kin")),
        *((name, SURNAMES, "identifier") for name in ("household_head", "job_holder", "Hausarzt", "parents")),
        *((name, FULL, "identifier") for name in ("who", "title", "occupation", "work_contact", "note", "diagnosis")),
        ("home", [f"{48 + place / 977:.6f}, {11 + place / 1013:.6f}" for place in range(60)], "identifier"),
        ("who", FULL * 5, "identifier"),
        ("who", FULL[::7] * 5, "identifier"),
        ("who", [name.lower() for name in FULL], "identifier"),
        ("who", [name.lower() for name in FULL] * 3, "undecided"),
        ("child1", SURNAMES, "identifier"),
        ("position", FULL[::7] * 5, "quasi"),
        ("occupation", FIRMS, "quasi"),
        ("city_name", SURNAMES, "quasi"),
        ("city", ["Ulm", "Bad Ems", "Bonn", "Kiel", "New York", "Jena"] * 10, "quasi"),
        ("contact", ["phone", "mail"] * 30, "undecided"),
        ("owner", ["1", "2", "3"] * 20, "undecided"),
        # codes and long numbers of single records under the name of something that others know
        ("birth_certificate", LONG, "identifier"),
        ("origin_code", [f"X{place}-7" for place in range(60)], "identifier"),
        ("birth_year", [str(1900 + place) for place in range(60)], "quasi"),
        ("weight", [f"{60 + place / 7:.3f}" for place in range(60)], "quasi"),
        ("city", [f"Town{'abcdefghij'[place % 10] * (1 + place // 10)}" for place in range(60)], "quasi"),
        ("zip", LONG, "quasi"),
        # keys by abbreviations
        *((name, RUNNING, "identifier") for name in ("pid", "SUBJID", "USUBJID", "PatNr", "vpn", "empno", "barcode")),
        # texts that somebody wrote
        ("note", ["was seen again", "did not want to come"] * 30, "identifier"),
        ("comments", ["needs a new appointment soon", "all is well"] * 30, "identifier"),
        ("note", ["1", "2", "3"] * 20, "sensitive"),
        ("comment", ["good", "bad"] * 30, "undecided"),
        # secrets, also as flags
        ("gender_identity", FEW, "sensitive"),
        ("Geschlechtsidentität", FEW, "sensitive"),
        ("status", ["HIV positive"] * 60, "sensitive"),
        ("group", ["cis", "trans", "?"] * 20, "sensitive"),
        ("department", ["Cancer clinic", "Surgery of hands"] * 30, "quasi"),
        ("religion", FEW, "sensitive"),
        ("hiv", ["0", "1"] * 30, "sensitive"),
        ("Gewerkschaft", ["ja", "nein"] * 30, "sensitive"),
        ("orientation_sexuelle", FEW, "sensitive"),
        ("maaş", SPREAD, "sensitive"),
        ("code", ["A09.0", "B18.1", "C50.9", "I10"] * 15, "sensitive"),
        # what others know
        ("age_at_diagnosis", ["30", "40"] * 30, "quasi"),
        ("payment_date", DATES, "quasi"),
        ("seen", DATES, "quasi"),
        ("race", FEW, "quasi"),
        ("PLZ", ["01067", "99084"] * 30, "quasi"),
        ("household_size", ["1", "2"] * 30, "quasi"),
        # weights of a sample are left out; those of bodies and few classes are not
        *((name, SPREAD, "identifier") for name in ("design_weight", "PERWT", "hh_weight", "Gewichtungsfaktor")),
        *((name, SPREAD, "quasi") for name in ("weight", "weight_at_admission", "Gewicht", "patient_weight")),
        *((name, SPREAD, "identifier") for name in ("survey_wgt", "household_weight", "finalwgt", "xfinalwgt")),
        ("design_weight", ["0.5", "1", "1.5"] * 20, "quasi"),
        ("sampling_weight", FEW, "quasi"),
        # keys of something else, with few values for many records
        *((name, [str(place % 15 * 7) for place in range(300)], "identifier") for name in ("shop_id", "shopid", "CLE")),
        ("id_ward", [f"W{place % 15}" for place in range(300)], "identifier"),
        ("shop_id", [str(place % 5) for place in range(300)], "undecided"),
        ("shop_id", [f"{place % 15 / 7:.3f}" for place in range(300)], "undecided"),
        ("shop_id", [f"{'abcdefghijklmno'[place % 15]} shop" for place in range(300)], "undecided"),
        ("number_of_calls", [str(place % 15) for place in range(300)], "undecided"),
        ("steroid", [str(place % 15) for place in range(300)], "undecided"),
        ("district_id", [str(place % 15) for place in range(300)], "quasi"),
        ("diagnosis_id", [str(place % 15) for place in range(300)], "sensitive"),
        ("plantname", [f"plant {place % 60}" for place in range(900)], "identifier"),
        ("plantname", [f"plant {place % 15}" for place in range(900)], "undecided"),
        # by values alone
        ("n", RUNNING, "identifier"),
        ("n", MANY, "identifier"),
        ("n", [str(1_000_000 + 7919 * place) for place in range(60)], "identifier"),
        ("n", SPREAD, "undecided"),
        ("n", [f"{place / 7:.4f}" for place in range(60)], "undecided"),
        ("n", FEW, "undecided"),
        ("n", ["x", None] * 30, "undecided"),
        ("n", ["x"] * 60, "plain"),
        # results, fields, accounts, sentences and mostly unique texts under a name that says nothing
        ("x1", ["pos", "neg"] * 30, "sensitive"),
        ("x1", ["pre", "pos"] * 30, "undecided"),
        ("vih", ["neg", "pos"] * 30, "sensitive"),
        ("Diagnoskod", ["E11", "F20"] * 30, "sensitive"),
        *((name, FIELDS, "identifier") for name in ("meta", "payload", "diagnosis", "department")),
        ("doc", [f"<user><name>{name}</name></user>" for name in FULL] * 9, "identifier"),
        ("range", ["[20, 30]", "[30, 40]", "<50", "{}"] * 15, "undecided"),
        ("handle", [f"@{given.lower()}{place % 40}" for given in GIVEN for place in range(60)], "identifier"),
        ("at", ["@home", "@work", "@school"] * 20, "identifier"),
        *((name, SHORT * 3, "identifier") for name in ("q17_open", "zz", "F12")),
        ("zz", SHORT[:20] * 6, "undecided"),
        ("department", SHORT * 3, "quasi"),
        ("zz", [f"u{place % 30}" for place in range(60)] + [f"w{place}" for place in range(90)], "identifier"),
        ("zz", [f"u{place % 30}" for place in range(60)] + [f"w{place}" for place in range(50)], "undecided"),
        ("city", [f"u{place % 30}" for place in range(60)] + [f"w{place}" for place in range(90)], "quasi"),
        ("zz", [f"{place / 7:.3f}" for place in range(60)], "undecided"),
        ("n", [None] * 60, "plain"),
    ],
)
def test_roles(name: str, values: list[str | None], expected: str) -> None:
    assert role(name, values) == expected


MAIL, TEL, PERSON = "anna@x.example", "+49 170 1234567", "Anna Schmidt"
CALL = "Patient Anna called and was told about her result"
IBAN, CARD = "DE89370400440532013000", "4111111111111111"


@pytest.mark.parametrize(
    ("name", "values", "expected", "asked"),
    [
        # one value that leads to somebody
        ("contact", [MAIL], "identifier", False),
        *((name, [TEL], "identifier", True) for name in ("tel", "q7", "version", "department")),
        *((name, [PERSON], "identifier", True) for name in ("author", "entered_by", "q7", "family_name", "source")),
        *((name, ["Dr. Hans Müller"], "identifier", True) for name in ("erfasst_von", "saisi par", "q7")),
        *((name, ["schmidt"], "identifier", True) for name in ("surname", "username", "Nachname")),
        *((name, ["Schmidt"], "identifier", True) for name in ("nurse", "created_by", "Hausarzt")),
        ("author", ["anna schmidt"], "identifier", True),
        *((name, ['{"owner": "Anna"}'], "identifier", True) for name in ("meta", "batch")),
        ("raw", ["<owner>Anna</owner>"], "identifier", True),
        *((name, [value], "identifier", True) for name in ("q7", "ward") for value in (IBAN, CARD, "@anna")),
        *((name, [CALL], "identifier", True) for name in ("note", "q7", "hiv")),
        ("site", ["https://x.example/anna"], "identifier", True),
        ("home", ["48.1234, 11.5678"], "identifier", True),
        ("patient_id", ["7"], "identifier", True),
        ("account", ["1234567"], "identifier", True),
        # one value that is a secret
        ("ward", ["Psychiatry 3"], "sensitive", True),
        ("site", ["Krebs"], "sensitive", True),
        ("code", ["B24"], "sensitive", True),
        *((name, ["1"], "sensitive", True) for name in ("hiv", "salary", "religion")),
        # one value without harm
        ("survey_year", ["2021"], "plain", False),
        ("version", ["1.2.0"], "plain", False),
        ("country", ["United States"], "plain", False),
        ("city_name", ["New York"], "plain", False),
        ("date", ["01.02.2020"], "plain", False),
        ("number_of_rooms", ["3"], "plain", False),
        ("contact", ["phone"], "plain", False),
        ("batch", ["B12"], "plain", False),
        ("x", ["331449281000"], "plain", False),
        ("range", ["01000-01999"], "plain", False),
        ("unit", ["kg"], "plain", False),
        # few values
        *((name, [TEL, None], "identifier", True) for name in ("tel", "q7")),
        *((name, [TEL, "+49 170 7654321"], "identifier", True) for name in ("phone", "q7", "diagnosis")),
        *((name, [TEL, "unknown"], "identifier", True) for name in ("phone", "q7")),
        *((name, [MAIL, "unknown"], "identifier", True) for name in ("contact", "q7")),
        *((name, ["0170 1234567", "(0731) 123456"], "identifier", True) for name in ("q7", "telefon")),
        ("q7", ["555-123-4567", "555-123-4568"], "identifier", True),
        ("phone", ["1701234567", "1707654321"], "identifier", True),
        ("contact", ["1701234567", "1707654321"], "identifier", True),
        *((name, ["@anna", "@hans"], "identifier", True) for name in ("handle", "q7")),
        *((name, [PERSON, "Hans Müller", "Eva Koch"], "identifier", True) for name in ("nurse", "q7", "entered_by")),
        ("who", [PERSON, "Hans Schmidt"], "identifier", True),
        ("surname", ["Schmidt", "Koch"], "identifier", True),
        ("nurse", ["anna schmidt", "eva koch"], "identifier", True),
        ("q7", [CALL, None], "identifier", True),
        ("q7", ["agree", None], "undecided", False),
        ("q7", ["1701234567", "1707654321"], "undecided", False),
        ("phone", ["yes", "no"], "undecided", False),
        ("calls", ["0.12345678", "0.87654321"], "undecided", False),
        ("codes", ["01000-01999", "02000-02999"], "undecided", False),
        ("q7", ["Strongly Agree", "Strongly Disagree", "No Opinion", "No Answer"], "undecided", False),
        ("q7", ["Type A", "Type B"], "undecided", False),
        ("q7", ["Private Company", "Public School"], "undecided", False),
        ("q7", ["Never married", "Still married"], "undecided", False),
        ("city", ["New York", "San Jose"], "quasi", False),
        ("company_name", ["Koch Brothers", "Anna Schmidt"], "quasi", False),
        # postal codes by their form
        *((name, ["06100", "34000"], "quasi", False) for name in ("posta_kodu", "PostaKodu", "posta kodu")),
        *((name, ["28001", "08001"], "quasi", False) for name in ("codigo_postal", "código postal", "codigoPostal")),
        *((name, ["00-950", "30-001"], "quasi", False) for name in ("kod_pocztowy", "KodPocztowy")),
        *((name, ["28001", "08001"], "quasi", True) for name in ("cp", "CP", "kod")),
        ("kod", ["00-950", "30-001"], "quasi", True),
        ("cp", ["0", "1", "2", "3"], "undecided", False),
        ("kod", ["A1", "B2"], "undecided", False),
        ("posta", [f"u{place}" for place in range(60)], "identifier", False),
    ],
)
def test_few_values_are_looked_at_as_many_are(name: str, values: list[str | None], expected: str, asked: bool) -> None:
    said = found(name, values * 30)
    assert ("undecided" if said.role is None else str(said.role), bool(said.decide)) == (expected, asked)


def test_a_special_category_of_one_value_is_a_secret_that_no_model_hides() -> None:
    said = found("hiv", ["1"] * 60)
    assert str(said.role) == "sensitive"
    assert "all persons have this value" in said.decide


def test_free_text_is_left_out_and_asked_for() -> None:
    said = found(
        "remark", [f"patient number {place} was seen again by the same doctor in our ward" for place in range(60)]
    )
    assert (str(said.role), "free text" in said.why) == ("identifier", True)
    assert "remove names" in said.decide
    answers = [f"I agree with the statement of question {place % 20} that was read to me" for place in range(100)]
    assert found("agreement", answers).role is None


def test_a_secret_with_values_that_single_out_is_asked_for() -> None:
    assert "100% of the records have a value of their own" in found("salary", SPREAD).decide
    assert found("salary", FEW).decide == ""


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("position", FULL[::7] * 5, "look like names of persons or companies"),
        ("company_name", SURNAMES, "look like names of persons or companies"),
        ("diagnosis", TEXTS, "may name persons"),
        ("medication", ["insulin (Dr. Berg)", "lithium (Dr. Haas)"] * 30, "may name persons"),
        ("therapy", ["she was given a warm bath and told to sleep early", "none"] * 30, "may name persons"),
        ("etnia", FEW, "ethnic origin"),
        ("race", FEW, "ethnic origin"),
        ("department", ["Cancer clinic", "Dentistry"] * 30, "words of health"),
        ("home", ["48.12345,11.5432", "48.12,11.5", "48.12346 11.5432"] * 20, ""),
        ("diagnosis", FEW, ""),
        ("diagnosis", [f"A{place}.0" for place in range(60)] * 9, ""),
        ("occupation", FIRMS[:9] * 9, ""),
        ("nationality", FEW, ""),
        ("city_name", SURNAMES, ""),
    ],
)
def test_doubts_about_a_role_are_asked(name: str, values: list[str | None], said: str) -> None:
    found_here = found(name, values)
    assert (said in found_here.decide) if said else found_here.decide == ""


@pytest.mark.parametrize(
    ("name", "said"), [("shop_id", "choose the role quasi"), ("design_weight", "sums of the release")]
)
def test_what_is_left_out_for_its_name_alone_is_asked_for(name: str, said: str) -> None:
    assert said in found(name, [str(place % 15 * 7) for place in range(300)]).decide


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (FIELDS, "each field as a column"),
        (SHORT * 3, "those of a list"),
        ([f"@{name}" for name in MANY], "name no accounts"),
        (MANY[:40] + FEW[:20], ""),
    ],
)
def test_texts_that_are_left_out_for_their_form_are_asked_for(values: list[str], said: str) -> None:
    found_here = found("zz", values)
    assert (str(found_here.role), said in found_here.decide, bool(found_here.decide)) == ("identifier", True, True)


@pytest.mark.parametrize("name", ["n", "salary", "email", "remark", "hh_nr", "ssn", "diagnosis"])
def test_no_reason_shows_a_value(name: str) -> None:
    said = found(name, [f"canary{place}@secret.example" for place in range(60)])
    assert "canary" not in said.why + said.decide


def test_a_column_without_values_is_said_to_have_none() -> None:
    assert found("remark", [None] * 20).why == "has no value, since all are missing"
    assert found("hiv", [None] * 20).why == "has no value, since all are missing"
    assert found("remark", ["x"] * 20).why == "has only one value, so it distinguishes no records"


@pytest.mark.parametrize(
    ("name", "values", "by"),
    [
        ("Nachname", MANY, "name"),
        ("age", SPREAD, "name"),
        ("hiv", FEW, "name"),
        ("v", FULL, "content"),
        ("v", DATES, "content"),
        ("v", [""] * 3, "content"),
        ("v", MANY, "uniqueness"),
        ("v", [*MANY, *MANY[:10]], "uniqueness"),
        ("v", FEW, "no rule"),
    ],
)
def test_a_finding_says_what_the_role_follows_from(name: str, values: list[str | None], by: str) -> None:
    assert found(name, values).by == by


def test_a_label_is_not_called_a_name() -> None:
    for name, said in (("age", "has a label with 'age'"), ("gender identity", "has a label about the gender identity")):
        by_label = finding(
            name, Domain.of("v", FEW[:3])[0], Separation.of_sizes(np.array([20, 20, 20])), 0.0, by="label"
        )
        assert by_label.by == "label"
        assert by_label.why.startswith(said)
