"""Targets: everybody who is published, with the group in which the release shows them."""

from __future__ import annotations

import pandas as pd
import pytest

from sfumato.algorithms import Anatomy, Mondrian
from sfumato.attacks.targets import Targets
from sfumato.audit.audit import Audit
from sfumato.data.table import Table
from sfumato.datasets.nine_patients import ROWS, nine_patients_schema
from sfumato.errors import UsageError
from sfumato.models import DistinctLDiversity

QUASI = ["Zip", "Age", "Sex"]


def table() -> Table:
    return Table.from_frame(pd.DataFrame(ROWS).astype({"Age": int}), nine_patients_schema())


def told(targets):
    """What an attack is told, as texts: quasi values and secret of everybody by group, groups without their names."""
    names = [*QUASI, "Disease"]
    columns = [[targets.table.domains[name].texts[code] for code in targets.table.codes[name]] for name in names]
    groups = {}
    for group, *row, often in zip(targets.group.tolist(), *columns, targets.table.counts.tolist(), strict=True):
        groups.setdefault(group, []).extend([tuple(row)] * often)
    return sorted(sorted(group) for group in groups.values())


@pytest.mark.parametrize("algorithm", [Anatomy(), Mondrian()])
def test_a_file_beside_its_original_tells_what_the_release_itself_does(algorithm, tmp_path) -> None:
    pd.DataFrame(ROWS).to_csv(tmp_path / "original.csv", index=False)
    release = algorithm.anonymize(table(), DistinctLDiversity(l=2))
    here = Targets.of_candidate(release.candidate)
    path = release.write(tmp_path / "r.csv")
    how = {"bucket": "group", "sensitive_table": tmp_path / "r_sensitive.csv"} if release.recoding.linkage.cut else {}
    audit = Audit.of_file(path, quasi=QUASI, sensitive=["Disease"], original=tmp_path / "original.csv", **how)
    there = Targets.of_published(audit.whole())
    assert told(here) == told(there)
    assert sum(map(len, told(here))) == 9
    assert here.truth_known
    assert there.truth_known


def test_without_the_original_buckets_show_people_but_not_whose_secret_is_whose(tmp_path) -> None:
    release = Anatomy().anonymize(table(), DistinctLDiversity(l=2))
    path, secrets = release.write(tmp_path / "r.csv"), tmp_path / "r_sensitive.csv"
    audit = Audit.of_file(path, quasi=QUASI, sensitive=["Disease"], bucket="group", sensitive_table=secrets)
    targets = Targets.of_published(audit.whole())
    assert not targets.truth_known
    here = Targets.of_candidate(release.candidate)
    assert [sorted(row[:3] for row in group) for group in told(targets)] == [
        sorted(row[:3] for row in group) for group in told(here)
    ]


def test_generalized_records_do_not_show_who_people_are(tmp_path) -> None:
    path = Mondrian().anonymize(table(), DistinctLDiversity(l=2)).write(tmp_path / "r.csv")
    audit = Audit.of_file(path, quasi=QUASI, sensitive=["Disease"])
    with pytest.raises(UsageError, match="original"):
        Targets.of_published(audit.whole())
