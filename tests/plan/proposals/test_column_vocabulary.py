from __future__ import annotations

import pytest

from sfumato.plan.proposals.column_vocabulary import (
    ETHNIC_WORDS,
    MEANING,
    NAME_WORDS,
    QUASI_WORDS,
    SENSITIVE_WORDS,
    are_results,
    first_word_in,
    is_household_key,
    is_person_key,
    names_person,
    special_meaning,
    words_of,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("marital-status", ["marital", "status"]),
        ("Full Name", ["full", "name"]),
        ("birthDate", ["birth", "date"]),
        ("ZIP", ["zip"]),
        ("patient_id_2", ["patient", "id"]),
        ("PatientID", ["patient", "id"]),
        ("IPAddress", ["ip", "address"]),
        ("", []),
        ("123", []),
    ],
)
def test_words_of_a_name(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Kundennummer", ["kunde", "nummer"]),
        ("patientid", ["patient", "id"]),
        ("Haushaltsnummer", ["haushalt", "nummer"]),
        ("Bruttogehalt", ["gehalt"]),
        ("Versicherungsnummer", ["nummer"]),
        ("Krankheitstage", ["krankheit"]),
        ("message", ["message"]),
        ("package", ["package"]),
        ("voltage", ["voltage"]),
        ("candidate", ["candidate"]),
        ("operating", ["operating"]),
        ("PLANTID", ["plant", "id"]),
        ("warehouseid", ["warehouse", "id"]),
        ("plantname", ["plant", "name"]),
        ("rename", ["rename"]),
        ("unpaid", ["unpaid"]),
        ("thyroid", ["thyroid"]),
        ("tevredenheid", ["tevredenheid"]),
        ("period", ["period"]),
    ],
)
def test_compounds_are_split_into_known_words_and_others_are_not(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("Geburtsdatum", "an age or a date of birth"),
        ("Körpergröße", "the body"),
        ("KOERPERGROESSE", "the body"),
        ("Date de naissance", "a date"),
        ("état civil", "the family"),
        ("prénom", "a name"),
        ("fecha_nacimiento", "a date"),
        ("enfermedad", "health"),
        ("cognome", "a name"),
        ("città", "a place"),
        ("endereço", "an address or a number by which a person is reached"),
        ("religião", "belief"),
        ("geboortedatum", "an age or a date of birth"),
        ("vakbond", "membership of a union"),
        ("płeć", "the sex"),
        ("wynagrodzenie", "money"),
        ("MÜŞTERİ_NO", "a person"),
        ("doğum tarihi", "an age or a date of birth"),
        ("maaş", "money"),
        ("Şehir", "a place"),
    ],
)
def test_words_of_other_languages_are_known(name: str, meaning: str) -> None:
    assert next(MEANING[word] for word in words_of(name) if word in MEANING) == meaning


SECRETS = {
    "infections": (
        "vih sida aids hiv_status hep_c HepB serostatus sorologia seropositivité sieropositivo soa_test "
        "viralload smitta"
    ),
    "mental health": "psych psychiatrie depresión depressao zelfmoord self_harm intihar samobójstwo ångest essstoerung",
    "addiction": "toxicomanie alcool alcohol_use Drogenkonsum verslaving uzależnienie missbruk bağımlılık opioids",
    "reproduction": "aborto Abtreibung ivg embarazo gravid ciąża preg miscarriage abortus kürtaj",
    "disability": (
        "Förderbedarf discapacidad wheelchair GdB Schwerbehinderung arbeidsongeschikt funktionsnedsättning engelli"
    ),
    "laboratory": "cd4 CD4_count cd8 HbA1c hba1c_pct A1C creatinine colesterolo Blutzucker glicemia",
    "codes": "dx dx1 diag_code cie10 CIE-10 cie_10 cid10 icd icd10 icd_9 ksh97 diagnos Hauptdiagnose icpc snomed",
    "medicines": "läkemedel geneesmiddelen medicação Arzneimittel leki ilaclar",
    "sick leave": (
        "arbeitsunfähig_tage sick_days Krankmeldung ziekteverzuim sjukskriven arrêts_maladie incapacidad_dias"
    ),
    "insolvency": (
        "insolvenza insolvency Privatinsolvenz insolvência inadimplente upadłość konkurs faillissement iflas "
        "pignoramento"
    ),
    "crime": (
        "Vorstrafen criminal_record antecedentes casier judiciaire belastningsregister strafblad niekarany "
        "sabıkalı parole gang"
    ),
    "union": "union syndiqué sindicalizado vakbondslid fackförbund sendikalı związkowy sindacale",
    "belief": "religion trossamfund kościół levensovertuiging crenças Religionszugehörigkeit credo",
    "orientation": "sexual_orientation lgbt omosessuale homossexual geaardheid konsidentitet cinsel_yönelim",
    "genes": "rs7412 RS429358 brca1 genotipo Gentest",
}
ORIGINS = "raca raça eth etnicitet Ethnie irk indigena quilombola volksgruppe rasa"
HARMLESS = (
    "status cd_municipio cid cie volume_ft3 value_std x1 modern_language mesh version conversion plano handler_x "
    "market size_tb rs rs12 tickets testsets concurrent appropriate hash97 scd4 cd45 hba site kond gd_b"
)


@pytest.mark.parametrize("name", [name for names in SECRETS.values() for name in names.split()])
def test_secrets_are_known_in_every_language(name: str) -> None:
    assert first_word_in(words_of(name), SENSITIVE_WORDS)


@pytest.mark.parametrize("name", ORIGINS.split())
def test_ethnic_origin_is_known_in_every_language(name: str) -> None:
    assert first_word_in(words_of(name), ETHNIC_WORDS)


@pytest.mark.parametrize("name", HARMLESS.split())
def test_words_that_only_look_like_those_of_secrets_are_not(name: str) -> None:
    assert first_word_in(words_of(name), SENSITIVE_WORDS | ETHNIC_WORDS) is None


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("kön", "the sex"),
        ("län", "a place"),
        ("inkomst", "money"),
        ("utbildning", "work or education"),
        ("Födelseår", "an age or a date of birth"),
        ("efternamn", "a name"),
        ("yrke", "work or education"),
        ("lön", "money"),
    ],
)
def test_swedish_words_are_known(name: str, meaning: str) -> None:
    assert [MEANING[word] for word in words_of(name)] == [meaning]


@pytest.mark.parametrize(
    ("texts", "results"),
    [
        (["Neg", "POS", "unknown"], True),
        (["dodatni", "ujemny"], True),
        (["negativ", "positiv", "unbekannt"], True),
        (["positive", "negative", "neutral"], False),
        (["pre", "pos"], False),
        (["pos"], False),
        ([], False),
    ],
)
def test_results_of_a_test(texts: list[str], results: bool) -> None:
    assert are_results(texts) is results


def test_only_whole_words_count() -> None:
    assert first_word_in(words_of("package"), QUASI_WORDS) is None
    assert first_word_in(words_of("age_at_entry"), QUASI_WORDS) == "age"


def test_a_word_means_one_thing() -> None:
    assert not NAME_WORDS & QUASI_WORDS
    assert not SENSITIVE_WORDS & (NAME_WORDS | QUASI_WORDS)


@pytest.mark.parametrize(
    ("name", "person", "household"),
    [
        ("Kundennummer", True, False),
        ("numéro_client", True, False),
        ("pesel", True, False),
        ("hh_nr", False, True),
        ("Familie_ID", False, True),
        ("HHID", False, True),
        ("household_income", False, False),
        ("visit_id", False, False),
    ],
)
def test_keys_of_persons_and_households(name: str, person: bool, household: bool) -> None:
    assert (is_person_key(name), is_household_key(name)) == (person, household)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("family_name", True),
        ("Nom de naissance", True),
        ("household_head_name", True),
        ("company_name", False),
        ("birth_place_name", False),
        ("family_size", False),
        ("doctor_visits", False),
    ],
)
def test_a_name_of_a_person_family_or_birth(name: str, named: bool) -> None:
    assert names_person(words_of(name)) is named


def test_values_say_something_of_special_categories_by_whole_words() -> None:
    assert special_meaning(["none", "Römisch-katholisch"]) == "belief"
    assert special_meaning(["jüdisch"]) == "belief"
    assert special_meaning(["hivernal", "gays-and-more", "transport"]) == ""
