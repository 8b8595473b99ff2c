"""Releases in random order: the same records, checked and attacked like those that keep their order."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
from sfumato.plan import Plan

RECORDS = 300
COLUMNS = {
    "person": {"role": "person"},
    "age": {"role": "quasi"},
    "town": {"role": "quasi"},
    "ill": {"role": "sensitive"},
    "note": {"role": "plain"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Visits of 150 persons, two of each, sorted by age."""
    draws = np.random.default_rng(5)
    ages = sorted(draws.integers(20, 80, RECORDS // 2).tolist())
    keys = draws.permutation(9000)[: RECORDS // 2]
    lines = [
        f"P{keys[person]},{age},{'AB'[person % 2]},{'xyz'[draws.integers(3)]},{draws.integers(4)}"
        for person, age in enumerate(ages)
        for _ in range(2)
    ]
    (tmp_path / "in.csv").write_text("\n".join(["person,age,town,ill,note", *lines]) + "\n")
    return tmp_path


def plan(folder: Path, *, order: str = "random", **changes: Any) -> Plan:
    given: dict[str, Any] = {
        "data": {"path": "in.csv"},
        "columns": COLUMNS,
        "models": [{"name": "k_anonymity", "k": 4}],
        "output": {"path": "out.csv", "certificate": "out.json", "order": order},
    }
    return Plan.of({**given, **changes}, folder)


def rows(file: Path) -> list[tuple[str, ...]]:
    return [tuple(row) for row in csv.reader(file.read_text().splitlines())]


def test_the_same_records_come_in_another_order_every_time(folder: Path) -> None:
    plan(folder, order="data").run()
    kept = rows(folder / "out.csv")
    assert "order" not in json.loads((folder / "out.json").read_text())["output"]
    shuffled = []
    for _ in range(2):
        outcome = plan(folder).run()
        shuffled.append(rows(folder / "out.csv"))
        assert outcome.release.holds
        assert json.loads((folder / "out.json").read_text())["output"]["order"] == "random"
    assert sorted(kept[1:]) == sorted(shuffled[0][1:]) == sorted(shuffled[1][1:])
    assert kept[0] == shuffled[0][0]
    assert kept != shuffled[0] != shuffled[1]


@pytest.mark.parametrize("drop", [False, True])
def test_persons_are_counted_beside_the_original_in_the_same_order(folder: Path, drop: bool) -> None:
    """Without a pseudonym the release does not show who is who, so it is compared with its original."""
    suppression = {"limit": 0.1, "rows": "drop" if drop else "keep"}
    attacks = [{"name": "naive_bayes_inference", "sensitive": "ill"}]
    found = []
    for order in ("data", "random"):
        outcome = plan(folder, order=order, suppression=suppression, attacks=attacks).run()
        measured = outcome.certificate.to_dict()
        assert measured["measured"]["k"] >= 4
        found.append((measured["verdicts"], measured["attacks"], outcome.release.suppressed_records))
    assert found[0] == found[1]


def test_a_wrong_order_of_the_original_would_be_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same comparison with the original as it was counts other persons in the groups."""
    from sfumato.plan import publication

    expected = plan(folder, order="data").run().certificate.audit.persons
    smallest = plan(folder, order="data").run().certificate.audit.smallest
    monkeypatch.setattr(publication, "_as_written", lambda original, *_, **__: original)
    monkeypatch.setattr(publication, "_check_written_files", unchecked(publication))
    audit = plan(folder).run().certificate.audit
    assert (audit.persons, audit.smallest) != (expected, smallest)


def unchecked(publication: Any) -> Any:
    def check(given: Any, release: Any, model: Any, written: Any, original: Any) -> Any:
        audit = publication._audit_written_files(given, release, written, original)
        return audit.judge(model), audit

    return check


def test_folders_parquet_files_and_tables_are_shuffled(folder: Path) -> None:
    plan(folder, order="data").run()
    expected = sorted(rows(folder / "out.csv")[1:])
    for output in ({"path": "out.parquet"}, {"path": "out"}, {"database": "sqlite:out.db", "table": "t"}):
        plan(folder, output={**output, "order": "random"}).run()
    for name in ("out.parquet", "out"):
        found = [tuple(map(str, row.values())) for row in pq.read_table(folder / name).to_pylist()]
        assert sorted(found) == expected
        assert found != rows(folder / "out.csv")[1:]
    with sqlite3.connect(folder / "out.db") as connection:
        stored = [tuple(map(str, row)) for row in connection.execute("SELECT * FROM t ORDER BY rowid")]
    connection.close()
    assert sorted(stored) == expected
    assert stored != rows(folder / "out.csv")[1:]


def test_the_warning_about_sorted_records_names_it_and_goes_away(folder: Path) -> None:
    said = plan(folder, order="data").run().release.provenance["warnings"]
    (sorted_by,) = [one for one in said if "published in the order of the data" in one]
    assert 'by [output] order = "random"' in sorted_by
    said = plan(folder).run().release.provenance["warnings"]
    assert not [one for one in said if "order" in one]


def test_a_plain_column_that_restores_the_order_is_warned_about(folder: Path) -> None:
    header, *lines = (folder / "in.csv").read_text().splitlines()
    numbered = [f"{header},row", *(f"{line},{place}" for place, line in enumerate(lines))]
    (folder / "in.csv").write_text("\n".join(numbered) + "\n")
    said = plan(folder, columns={**COLUMNS, "row": {"role": "plain"}}).run().release.provenance["warnings"]
    (restored,) = [one for one in said if "published in random order" in one]
    assert "'row' can restore" in restored
    assert "are sorted by 'age'." in restored
    with pytest.raises(DataError, match="'row' has no role, and its values rise or fall with the order"):
        plan(folder).run()


def test_buckets_are_in_random_order_anyway(folder: Path) -> None:
    changes = {"algorithm": {"name": "anatomy"}, "models": [{"name": "distinct_l_diversity", "l": 2}]}
    columns = {**COLUMNS, "person": {"role": "identifier"}}
    for order in ("data", "random"):
        outcome = plan(folder, order=order, columns=columns, **changes).run()
        assert outcome.certificate.to_dict()["output"]["order"] == "random"
