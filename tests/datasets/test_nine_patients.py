from __future__ import annotations

from sfumato.datasets import nine_patients
from sfumato.datasets.nine_patients import BUCKETS, ROWS


def test_it_is_the_table_of_the_paper() -> None:
    """Li and Li (2008), Tables I and II: nine patients, six of them men, four diseases, three buckets of three."""
    table = nine_patients()
    assert (table.records, len(table)) == (9, 9)
    diseases = dict(zip(table.domain("Disease").texts, table.histogram("Disease").tolist(), strict=True))
    assert diseases == {"Flu": 3, "Heart Disease": 3, "Ovarian Cancer": 2, "Prostate Cancer": 1}
    assert ROWS["Sex"].count("M") == 6
    assert {len(column) for column in ROWS.values()} == {len(BUCKETS)} == {9}
    assert [disease for disease, bucket in zip(ROWS["Disease"], BUCKETS, strict=True) if bucket == 2] == [
        "Flu",
        "Heart Disease",
        "Heart Disease",
    ]
