"""Who is unique in a release, and when a proposal is safe, on made-up rows."""

import pytest
from benchmarks.proposals import Published, published, unique_share

ROWS = [
    ("p", {"age": "20-29", "ward": "A"}),
    ("p", {"age": "20-29", "ward": "B"}),
    ("q", {"age": "20-29", "ward": "A"}),
]


def test_a_person_is_unique_by_any_of_the_records():
    assert unique_share(ROWS, ["age"]) == 0
    assert unique_share(ROWS, ["age", "ward"]) == 0.5
    assert unique_share([(str(place), row) for place, (_, row) in enumerate(ROWS)], ["ward"]) == pytest.approx(1 / 3)
    assert unique_share([], ["ward"]) == 0


@pytest.mark.parametrize(
    ("unique", "decide", "safe"),
    [(0.05, 0, True), (0.06, 0, False), (0.06, 1, True), (None, 0, False), (None, 1, True)],
)
def test_safe_is_few_unique_or_a_decision(unique, decide, safe):
    assert Published("f", 3, decide, unique, unique, 2, 0.1).safe is safe


def test_a_file_is_published_as_proposed(tmp_path):
    rows = [f"{20 + place % 9},{place % 2},d{place % 5}" for place in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["age,mystery,disease", *rows]) + "\n")
    found = published("t", tmp_path / "t.csv", tmp_path)
    assert (found.columns, found.decide, found.unique, found.failure) == (3, 1, 0.0, "")
    assert found.groups > 1
