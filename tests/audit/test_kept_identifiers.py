"""Identifiers that are still in a release, found by their values alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.audit.kept_identifiers import kept_identifiers
from sfumato.audit.release_comparison import ReleaseComparison
from sfumato.engines.base import LinkedFiles
from sfumato.engines.opening import open_linked
from sfumato.engines.readable_files import readable

DRAWN = random.Random(5)
RECORDS = 60
NAMES = [f"{first} {last}" for first in ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay") for last in "ABCDEFGHIJ"]
SPARSE = [str(number) for number in DRAWN.sample(range(10_000, 100_000), RECORDS)]
COUNTER = [str(number) for number in DRAWN.sample(range(1, RECORDS + 1), RECORDS)]
OTHER_COUNTER = [str(number) for number in DRAWN.sample(range(1, RECORDS + 1), RECORDS)]
IN_ORDER = [str(number) for number in range(1, RECORDS + 1)]


def shuffled(values: Sequence[str]) -> list[str]:
    return DRAWN.sample(list(values), len(values))


def warnings(tmp_path: Path, original: dict[str, Sequence[object]], release: dict[str, Sequence[object]]) -> list[str]:
    ages = {"age": [20 + place % 7 for place in range(len(next(iter(original.values()))))]}
    pd.DataFrame({**ages, **original}).to_csv(tmp_path / "before.csv", index=False)
    pd.DataFrame({**ages, **release}).to_parquet(tmp_path / "after.parquet")
    return list(ReleaseComparison.of_files(tmp_path / "before.csv", tmp_path / "after.parquet").warnings)


@pytest.mark.parametrize(
    ("name", "values"), [("name", NAMES), ("patient_id", SPARSE), ("code", [f"{place:x}z" for place in range(60)])]
)
@pytest.mark.parametrize("order", ["same", "other"])
@pytest.mark.parametrize("published", ["reference", "as before"])
def test_a_new_name_or_another_order_does_not_hide_an_identifier(
    tmp_path: Path, name: str, values: list[str], order: str, published: str
) -> None:
    column = name if published == "as before" else published
    (said,) = warnings(tmp_path, {name: values}, {column: values if order == "same" else shuffled(values)})
    assert f"column {column!r}" in said
    assert not [value for value in values if value in said]
    if (order, published) != ("same", "as before"):  # that is said by the comparison of records
        assert f"column {column!r} of the release has 100% of the values of column {name!r} of the original" in said


def test_a_part_of_an_identifier_is_found_with_suppressed_and_missing_values(tmp_path: Path) -> None:
    kept = [value if place % 3 else "*" for place, value in enumerate(SPARSE)]
    (said,) = warnings(tmp_path, {"patient_id": SPARSE}, {"reference": kept})
    assert "has 66.7% of the values" in said


@pytest.mark.parametrize("share", [0.1, 0.4, 0.45])
@pytest.mark.parametrize("column", ["reference", "ssn"])
@pytest.mark.parametrize("order", ["same", "other"])
def test_a_small_part_of_an_identifier_is_found(tmp_path: Path, share: float, column: str, order: str) -> None:
    numbers = [f"{n % 899 + 100}-{n % 89 + 10}-{n}" for n in DRAWN.sample(range(1000, 10_000), 200)]
    left = [value if place < share * len(numbers) else "*" for place, value in enumerate(numbers)]
    (said,) = warnings(tmp_path, {"ssn": numbers}, {column: left if order == "same" else shuffled(left)})
    assert f"{share * 100:g}% of the values of column 'ssn'" in said


def test_a_few_common_values_are_no_identifier_by_chance(tmp_path: Path) -> None:
    """Four values; small numbers that are dense among sparse ones; names of doctors that some patients have as well."""
    few = [SPARSE[place] if place < 4 else "*" for place in range(RECORDS)]
    assert warnings(tmp_path, {"patient_id": SPARSE}, {"reference": few}) == []
    mixed = [str(number) for number in range(1, 21)] + SPARSE[:40]
    visits = [str(place % 10 + 1) for place in range(RECORDS)]
    assert warnings(tmp_path, {"patient_id": shuffled(mixed)}, {"visits": visits}) == []
    doctors = [NAMES[place % 10] for place in range(RECORDS)]
    assert warnings(tmp_path, {"name": NAMES}, {"doctor": shuffled(doctors)}) == []
    others = [f"Z{value}" for value in SPARSE[8:]]
    assert warnings(tmp_path, {"patient_id": SPARSE}, {"reference": SPARSE[:8] + others}) == []


@pytest.mark.parametrize("values", [COUNTER, shuffled(NAMES[:12] * 5)])
def test_a_part_of_what_meets_by_chance_is_found_at_its_records(tmp_path: Path, values: list[str]) -> None:
    name = "patient_id" if values is COUNTER else "name"
    left = [value if place % 3 == 0 else "*" for place, value in enumerate(values)]
    (said,) = warnings(tmp_path, {name: values}, {"reference": left})
    assert "column 'reference' of the release has" in said
    assert warnings(tmp_path, {name: values}, {"reference": left[1:] + left[:1]}) == []


def test_upper_and_lower_case_are_the_same(tmp_path: Path) -> None:
    mails = [f"{name.replace(' ', '.').lower()}@example.org" for name in NAMES]
    for column in ("email", "reference"):
        (said,) = warnings(tmp_path, {"email": mails}, {column: shuffled([mail.upper() for mail in mails])})
        assert f"column {column!r} of the release has 100% of the values of column 'email'" in said


def test_numbers_are_found_however_they_are_stored(tmp_path: Path) -> None:
    assert len(warnings(tmp_path, {"patient_id": SPARSE}, {"reference": [float(value) for value in SPARSE]})) == 1


@pytest.mark.parametrize(
    ("original", "release", "warned"),
    [
        (COUNTER, OTHER_COUNTER, False),  # pseudonyms that are a counter as well
        (COUNTER, IN_ORDER, False),  # the number of the record in the release
        (IN_ORDER, IN_ORDER, False),  # the same, in both files
        (COUNTER, COUNTER, True),
        ([f"P{value}" for value in COUNTER], [f"P{value}" for value in OTHER_COUNTER], False),
        ([f"P{value}" for value in COUNTER], [f"P{value}" for value in COUNTER], True),
    ],
)
def test_counters_are_kept_only_where_records_have_their_own_number(
    tmp_path: Path, original: list[str], release: list[str], warned: bool
) -> None:
    assert len(warnings(tmp_path, {"patient_id": original}, {"reference": release})) == warned


def test_pseudonyms_and_other_columns_are_no_identifiers(tmp_path: Path) -> None:
    pay = [str(value) for value in DRAWN.sample(range(1000, 9000), RECORDS)]
    release = {
        "key": [f"{DRAWN.getrandbits(60):x}" for _ in SPARSE],
        "pay": pay,
        "weight": [60.5 + n for n in range(60)],
    }
    original = {"patient_id": SPARSE, "pay": pay, "weight": [60.5 + n for n in range(60)]}
    assert [said for said in warnings(tmp_path, original, release) if "patient_id" in said] == []


def test_names_that_repeat_are_kept_only_at_their_records(tmp_path: Path) -> None:
    """Patients and doctors may have the same names; a patient's own name beside the record is no chance."""
    names = NAMES[:12] * 5
    assert warnings(tmp_path, {"name": names}, {"doctor": shuffled(names)}) == []
    assert len(warnings(tmp_path, {"name": sorted(names)}, {"who": sorted(names)})) == 1


def test_keys_of_persons_with_several_records_are_found(tmp_path: Path) -> None:
    visits = [value for value in SPARSE[:12] for _ in range(5)]
    (said,) = warnings(tmp_path, {"patient_id": visits}, {"reference": shuffled(visits)})
    assert "column 'patient_id' of the original" in said


def test_a_few_different_values_are_no_identifier_unless_they_are_named_as_one(tmp_path: Path) -> None:
    """Of five records all values may differ by chance; a name is a name."""
    town = ["Graz", "Linz", "Wels", "Wien", "Enns"]
    assert warnings(tmp_path, {"town": town}, {"place": shuffled(town)}) == []


def test_there_may_be_nothing_to_compare(tmp_path: Path) -> None:
    """Columns of lists alone, or no record at all."""
    pq.write_table(pa.table({"many": [[1], [2, 3]]}), tmp_path / "nested.parquet")
    pq.write_table(pa.table({"patient_id": pa.array([], pa.string())}), tmp_path / "empty.parquet")
    for name in ("nested", "empty"):
        file = readable(tmp_path / f"{name}.parquet")
        assert kept_identifiers(open_linked(LinkedFiles(file, original=file))) == ()


def test_it_is_in_no_figure(tmp_path: Path) -> None:
    warnings(tmp_path, {"patient_id": SPARSE, "name": NAMES}, {"patient_id": shuffled(SPARSE), "who": NAMES})
    found = ReleaseComparison.of_files(tmp_path / "before.csv", tmp_path / "after.parquet")
    assert [column.column for column in found.labels] == []
    assert found.numbers.columns == ("age",)
    kept = {name for name, why in found.left_out.items() if why == "has the values of an identifier of the original"}
    assert kept == {"patient_id", "who"}
