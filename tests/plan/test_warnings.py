"""Warnings about what models do not cover: order of records, forgotten columns, unprotected secrets, repeated keys."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from sfumato.data.schema import Schema
from sfumato.engines.duckdb import engine
from sfumato.engines.opening import open_file, open_frame
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity
from sfumato.plan import Plan
from sfumato.plan.warnings import (
    Door,
    columns_in_order,
    index_columns,
    order_restored_by,
    repeated_keys,
    undeclared_columns,
    unprotected_columns,
)

SHUFFLED = random.Random(3).sample(range(400), 400)
NAMES = ("born", "pay", "cost")
SCHEMA = Schema.of(identifiers=["id"], quasi=["born", "city"], sensitive=["ill", "cost"])


def source(**columns: list):
    other = [str(place) for place in SHUFFLED]
    plain = {"id": other, "born": other, "city": other, "ill": other, "cost": other}
    return open_frame(pa.table(plain | columns))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("id", [f"P{place:04}" for place in range(400)]),
        ("id", [f"P-{place}" for place in range(400)]),
        ("born", [str(1900 + place // 4) for place in range(400)]),
        ("born", [f"{1 + place % 28:02}.03.{1900 + place // 4}" for place in range(400)]),
        ("born", [str(400 - place) for place in range(400)]),
        ("city", ["Ulm"] * 200 + ["Bonn"] * 200),
        ("id", [f"{'ABC'[SHUFFLED[at] % 3]} {chr(65 + at // 26)}{chr(97 + at % 26)}" for at in range(400)]),  # surnames
    ],
)
def test_records_sorted_by_a_hidden_column_are_warned_about(column: str, values: list[str]) -> None:
    (said,) = columns_in_order(source(**{column: values}), SCHEMA)
    assert f"by '{column}'. Somebody" in said
    assert "Shuffle the records" in said


def test_no_warning_about_records_in_random_order_or_sorted_by_a_published_column() -> None:
    assert columns_in_order(source(), SCHEMA) == ()
    assert columns_in_order(source(ill=[f"{place:03}" for place in range(400)]), SCHEMA) == ()


def test_an_order_of_long_data_is_found_although_the_start_has_one_value() -> None:
    schema = Schema.of(quasi=["region", "age"])
    regions = [name for name in ("east", "north", "west") for _ in range(30_000)]
    ages = [str(place) for place in random.Random(4).choices(range(90), k=90_000)]
    (said,) = columns_in_order(open_frame(pa.table({"region": regions, "age": ages})), schema)
    assert "by 'region'. Somebody" in said
    by_start = [*sorted(ages[:20_000]), *ages[20_000:]]
    (said,) = columns_in_order(open_frame(pa.table({"region": regions, "age": by_start})), schema)
    assert "by 'region', 'age'. Somebody" in said


def table_of(**columns: Sequence[object]):
    return open_frame(pa.table({name: [str(value) for value in values] for name, values in columns.items()}))


@pytest.mark.parametrize(("start", "end"), [(20_000, 40_000), (30_000, 40_000), (24_000, 31_000), (25_000, 60_000)])
def test_an_order_that_starts_late_is_found(start: int, end: int) -> None:
    """A part of the records is sorted, rising or falling, and the first 20,000 are not."""
    draws = random.Random(start)
    values = [draws.randrange(20, 80) for _ in range(max(end, 40_000))]
    other = [draws.randrange(9) for _ in values]
    for falling in (False, True):
        ages = [*values[:start], *sorted(values[start:end], reverse=falling), *values[end:]]
        (said,) = columns_in_order(table_of(age=ages, other=other), Schema.of(quasi=["age", "other"]))
        assert "by 'age'. Somebody" in said


def test_long_data_in_random_order_are_not_warned_about() -> None:
    """Among them values that are rare or missing, of which few are looked at."""
    draws = random.Random(7)
    for _ in range(6):
        made = {
            "age": [draws.randrange(90) for _ in range(30_000)],
            "rare": [int(draws.random() < 0.01) for _ in range(30_000)],
            "name": [f"{draws.choice('ABCD')} {draws.choice('xyz')}{draws.randrange(99)}" for _ in range(30_000)],
            "seen": [f"20{draws.randrange(10, 24)}-0{draws.randrange(1, 9)}-11" for _ in range(30_000)],
        }
        assert columns_in_order(table_of(**made), Schema.of(quasi=list(made))) == ()


def test_short_data_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = source()
    monkeypatch.setattr(type(found), "spread", lambda *_: pytest.fail("the data were read again"))
    assert columns_in_order(found, SCHEMA) == ()


def test_columns_that_restore_an_order_are_to_be_left_out_by_their_roles() -> None:
    run = [f"{place:03}" for place in range(400)]
    schema = Schema.of(quasi=["born"], sensitive=["ill"], plain=["cost"])
    (said,) = order_restored_by(source(born=run, cost=run), schema)
    assert said.endswith("sorted by 'born'. Leave 'cost' out, or make it quasi.")
    (said,) = order_restored_by(source(born=run, ill=run), schema)
    assert "Leave 'ill' out, or change the values by a mask: 'ill' is sensitive, and the role quasi would" in said
    assert "make it quasi" not in said
    (said,) = order_restored_by(source(born=run, ill=run, cost=run, city=run), schema)
    assert "Leave 'city', 'cost' out, or make them quasi. Leave 'ill' out" in said
    assert order_restored_by(source(born=run), schema) == ()
    assert order_restored_by(source(cost=run), schema) == ()


def test_without_a_hidden_column_there_is_no_order_to_test() -> None:
    assert columns_in_order(source(), Schema.of(sensitive=["ill"])) == ()


def test_columns_without_a_role_are_named() -> None:
    assert undeclared_columns(source(), SCHEMA) == ()
    (said,) = undeclared_columns(source(admitted=["x"] * 400), SCHEMA)
    assert said.startswith("'admitted' has no role and is published unchanged.")
    (said,) = undeclared_columns(source(admitted=["x"] * 400, ward=["y"] * 400), SCHEMA)
    assert said.startswith("'admitted', 'ward' have no role and are published unchanged.")


def test_sensitive_columns_that_no_model_reads_are_named() -> None:
    (said,) = unprotected_columns(SCHEMA, KAnonymity(k=3))
    assert said.startswith("no model protects 'ill', 'cost'")
    model = KAnonymity(k=3) & DistinctLDiversity(l=2, sensitive="ill")
    (said,) = unprotected_columns(SCHEMA, model)
    assert said.startswith("no model protects 'cost'")
    assert unprotected_columns(SCHEMA, model & ConfidenceBounding(h=0.5, sensitive="cost")) == ()


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        (["vih"], "no column is sensitive, and 'vih' is named as data about health. Plain"),
        (
            ["syndicat", "läkemedel", "town"],
            "'syndicat', 'läkemedel' are named as data about membership of a union and health",
        ),
        (["town", "salary", "grade"], ""),
        ([], ""),
    ],
)
def test_plain_columns_that_are_named_as_special_categories(plain: list[str], said: str) -> None:
    """Only if no column is sensitive; money and marks may be those of companies and goods."""
    given = unprotected_columns(Schema.of(quasi=["age"], plain=plain), KAnonymity(k=3))
    assert (said in given[0]) if said else given == ()
    model = KAnonymity(k=3) & DistinctLDiversity(l=2)
    assert unprotected_columns(Schema.of(quasi=["age"], plain=plain, sensitive=["ill"]), model) == ()


@pytest.mark.parametrize(("algorithm", "warned"), [("mondrian", True), ("anatomy", False)])
def test_a_publication_shows_them(tmp_path: Path, algorithm: str, warned: bool) -> None:
    lines = ["born,city,ill,note", *(f"{place},{SHUFFLED[place] % 5},{SHUFFLED[place] % 7},n" for place in range(400))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    given = {
        "data": {"path": "in.csv"},
        "columns": {"born": {"role": "quasi"}, "city": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "models": [{"name": "distinct_l_diversity", "l": 2}],
        "algorithm": {"name": algorithm},
        "output": {"path": "out.csv"},
    }
    said = Plan.of(given, tmp_path).run().release.provenance["warnings"]
    assert any("by 'born'" in one for one in said) is warned
    assert any("'note' has no role" in one for one in said)
    assert not any("no model protects" in one for one in said)
    given["models"] = [{"name": "k_anonymity", "k": 2}]
    if algorithm == "mondrian":
        said = Plan.of(given, tmp_path).run().release.provenance["warnings"]
        assert any("no model protects 'ill'" in one for one in said)


@pytest.mark.parametrize(
    ("masks", "ordered"),
    [
        ([{"name": "shuffling", "columns": ["born"]}], "born"),
        ([{"name": "noise", "columns": ["born"], "share": 2.0}], "born"),
        ([{"name": "noise", "columns": ["pay"]}], "pay"),  # plain, and its true values are hidden
        ([{"name": "noise", "columns": ["cost"]}], "cost"),  # sensitive
        ([{"name": "shuffling", "columns": ["cost"]}, {"name": "noise", "columns": ["pay"]}], "pay"),
        ([], ""),
    ],
)
def test_the_order_is_that_of_the_values_before_masking(tmp_path: Path, masks: list, ordered: str) -> None:
    """A file with a separator and an encoding of its own, sorted by one column."""
    numbers = {name: [str(1000 + value) for value in SHUFFLED[at:] + SHUFFLED[:at]] for at, name in enumerate(NAMES)}
    numbers |= {ordered: sorted(numbers[ordered])} if ordered else {}
    frame = pd.DataFrame(numbers).assign(ill=["abc"[place % 3] for place in SHUFFLED], ort="Köln")
    frame.to_csv(tmp_path / "in.csv", sep=";", encoding="latin-1", index=False)
    roles = {"born": "quasi", "pay": "plain", "cost": "sensitive", "ort": "quasi", "ill": "sensitive"}
    given = {
        "data": {"path": "in.csv", "separator": ";", "encoding": "latin-1"},
        "columns": {name: {"role": role} for name, role in roles.items()},
        "models": [{"name": "k_anonymity", "k": 2}],
        "output": {"path": "out.csv"},
    }
    said = Plan.of(given | ({"masks": masks} if masks else {}), tmp_path).run().release.provenance["warnings"]
    assert [f"by '{ordered}'" in one for one in said if "published in the order" in one] == [True] * bool(ordered)


EACH = [str(at) for at in range(100)]
NINE = [f"P{at % 9}" for at in range(100)]


def warned(keys: dict[str, Sequence[str | None]], missing: Sequence[str] = ()) -> list[str]:
    """What both warnings say, once for each; they agree on columns whose names are those of identifiers."""
    source = open_frame(pa.table({**keys, "age": [1] * 100}))
    of_plan = repeated_keys(source, Schema.of(identifiers=list(keys), quasi=["age"], missing=missing))
    of_file = repeated_keys(source, Schema.of(quasi=["age"], missing=missing), door="command")
    assert len(of_plan) == len(of_file)
    return [*of_plan, *of_file]


@pytest.mark.parametrize("unique", ["patient_visit_id", "patient_record_no", "user_no", "visit_id"])
@pytest.mark.parametrize("key", ["patient_id", "mrn"])
def test_a_unique_column_does_not_hide_a_key_of_persons(unique: str, key: str) -> None:
    (first, second) = warned({unique: EACH, key: NINE})
    assert f"100 records have 9 different values of '{key}'" in first
    assert f"--person '{key}'" in second


@pytest.mark.parametrize("other", ["account_no", "name"])
def test_a_unique_key_of_persons_speaks_against_other_columns(other: str) -> None:
    assert warned({"patient_id": EACH, other: NINE}) == []


@pytest.mark.parametrize("absent", [None, "?"])
def test_missing_keys_are_not_a_value(absent: str | None) -> None:
    assert warned({"patient_id": [absent, absent, *EACH[2:]], "account_no": NINE}, missing=["?"]) == []
    (said, _) = warned({"patient_id": [absent, absent, *NINE[2:]]}, missing=["?"])
    assert "98 records have 9 different values of 'patient_id'" in said
    (said, _) = warned({"patient_id": [absent] * 100, "account_no": NINE}, missing=["?"])
    assert "100 records have 9 different values of 'account_no'" in said


def test_columns_that_number_the_records_are_said_to_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(",age\n0,30\n1,40\n")
    (tmp_path / "two.csv").write_text(",,age\n0,0,30\n1,1,40\n")
    one, two = (open_file(tmp_path / name) for name in ("one.csv", "two.csv"))
    schema = Schema.of(quasi=["age"])
    assert index_columns(one, schema)[0].startswith("'column1' is left out: it has no name in the file")
    assert index_columns(two, schema)[0].startswith("'column1', 'column2' are left out: they have no name in the file")
    assert index_columns(one, Schema.of(quasi=["age", "column1"])) == ()
    assert index_columns(open_frame(pa.table({"age": [1]})), schema) == ()


def test_a_file_that_was_written_with_its_index_is_published_without_it(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [30, 40] * 10, "ill": ["flu", "cold"] * 10})
    frame.to_csv(tmp_path / "people.csv")
    plan = {
        "data": {"path": "people.csv"},
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "models": [{"name": "k_anonymity", "k": 5}],
        "output": {"path": "release.csv"},
    }
    outcome = Plan.of(plan, tmp_path).run()
    assert (tmp_path / "release.csv").read_text().splitlines()[0] == "age,ill"
    assert any("'column1' is left out" in said for said in outcome.release.provenance["warnings"])


def test_of_many_identifiers_those_that_may_be_keys_are_counted() -> None:
    """Hundreds of columns that are left out do not hide the one that repeats, nor a unique key of persons."""
    answers = {f"q{number}": [str(place % 5) for place in range(60)] for number in range(40)}
    keys = {"account": [str(place // 2) for place in range(60)]}
    schema = Schema.of(identifiers=[*answers, *keys], quasi=["age"])
    table = open_frame(pa.table({**answers, **keys, "age": ["7"] * 60}))
    assert "30 different values of 'account'" in repeated_keys(table, schema)[0]
    unique = {"patient_id": [str(place) for place in range(60)]}
    schema = Schema.of(identifiers=[*answers, *keys, *unique], quasi=["age"])
    assert repeated_keys(open_frame(pa.table({**answers, **keys, **unique, "age": ["7"] * 60})), schema) == ()


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("department", 5, False),
        ("mystery", 50, False),
        ("mystery", 51, True),
        ("account_no", 5, True),
        ("patient", 5, True),
        ("surname", 5, True),
    ],
)
def test_a_column_that_is_left_out_is_taken_for_a_key_by_its_name_or_many_values(
    name: str, values: int, told: bool
) -> None:
    table = open_frame(pa.table({name: [f"v{place % values}" for place in range(2000)], "age": ["7"] * 2000}))
    assert bool(repeated_keys(table, Schema.of(identifiers=[name], quasi=["age"]))) is told


def test_in_small_data_a_key_may_have_few_values() -> None:
    for values, told in ((5, True), (4, False)):
        table = open_frame(pa.table({"mystery": [f"v{place % values}" for place in range(100)], "age": ["7"] * 100}))
        assert bool(repeated_keys(table, Schema.of(identifiers=["mystery"], quasi=["age"]))) is told


@pytest.mark.parametrize(
    ("door", "way"),
    [
        ("plan", 'declare it with role = "person"'),
        ("python", 'name it with person="patient_id"'),
        ("command", "name it with --person 'patient_id'"),
    ],
)
@pytest.mark.parametrize("roles", [{}, {"plain": ["patient_id"]}, {"identifiers": ["patient_id"]}])
def test_a_key_of_persons_that_is_not_named_as_one(roles: dict[str, list[str]], door: Door, way: str) -> None:
    table = open_frame(pa.table({"patient_id": NINE, "age": [1] * 100}))
    assert repeated_keys(table, Schema.of(quasi=["age"], **roles), door=door) == (
        f"100 records have 9 different values of 'patient_id'. If it identifies persons, {way}: now only records are "
        "counted, and all records of a group may belong to one person.",
    )
    assert repeated_keys(table, Schema.of(quasi=["age"], person="patient_id")) == ()
    assert repeated_keys(table, Schema.of(quasi=["age"]), but=["patient_id"]) == ()


@pytest.mark.parametrize("role", ["quasi", "sensitive", "target"])
def test_a_column_whose_role_says_something_else_is_no_key(role: str) -> None:
    table = open_frame(pa.table({"patient_id": NINE, "age": [1] * 100}))
    assert repeated_keys(table, Schema.of(**{role: ["patient_id"]})) == ()


def test_a_plain_number_that_is_not_of_persons_is_no_key() -> None:
    """Somebody has said that `shop_no` may be published; without a role it is asked about."""
    table = open_frame(pa.table({"shop_no": NINE, "age": [1] * 100}))
    assert repeated_keys(table, Schema.of(quasi=["age"], plain=["shop_no"])) == ()
    assert "9 different values of 'shop_no'" in repeated_keys(table, Schema.of(quasi=["age"]))[0]


def test_in_python_the_warnings_name_arguments() -> None:
    (said,) = undeclared_columns(source(admitted=["x"] * 400), SCHEMA, door="python")
    assert said.endswith("identifiers=[...] leaves a column out, plain=[...] says that it may be published.")
    (said,) = unprotected_columns(SCHEMA, KAnonymity(k=3), door="python")
    assert said.endswith("such as & DistinctLDiversity(l=2), or name it in plain=[...] if nothing is to be hidden.")
    (said,) = unprotected_columns(Schema.of(quasi=["age"], plain=["hiv"]), KAnonymity(k=3), door="python")
    assert "Name in sensitive=[...] what others must not learn" in said
    frame = open_frame(pa.table({"age": [1], "__index_level_0__": [0]}))
    (said,) = index_columns(frame, Schema.of(quasi=["age"]), door="python")
    assert said.endswith("Name it in plain=[...], or in another role, to publish what is there.")


def test_large_text_files_are_read_again_for_columns_of_one_value_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The age is sorted from the middle on; the ward has one value up to there."""
    draws = random.Random(1)
    lines = [f"{draws.randrange(99) if place < 20_000 else place},{place // 20_000}" for place in range(40_000)]
    (tmp_path / "in.csv").write_text("\n".join(["age,ward", *lines, ""]))
    schema = Schema.of(quasi=["age", "ward"])
    assert "by 'age', 'ward'. " in columns_in_order(open_file(tmp_path / "in.csv"), schema)[0]
    monkeypatch.setattr(engine, "_LARGE", 1)
    assert "by 'ward'. " in columns_in_order(open_file(tmp_path / "in.csv"), schema)[0]


def test_an_index_is_no_key_of_persons_because_it_is_left_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [1] * 100}, index=pd.Index(NINE, name="patient_id"))
    frame.to_parquet(tmp_path / "people.parquet")
    found = open_file(tmp_path / "people.parquet")
    assert found.index_columns == ("patient_id",)
    assert repeated_keys(found, Schema.of(quasi=["age"])) == ()
    assert len(repeated_keys(found, Schema.of(quasi=["age"], identifiers=["patient_id"]))) == 1
