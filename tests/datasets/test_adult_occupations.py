"""Adult with the occupation as the secret, and trees of the heights that the paper on Injector states."""

from __future__ import annotations

import pytest

from sfumato.datasets import adult_occupations
from sfumato.datasets.adult import data_folder

LEVELS = {"age": 5, "workclass": 3, "education": 4, "marital-status": 3, "race": 3, "sex": 2}
"""Li and Li (2008), Table III, values and root counted."""

needs_files = pytest.mark.skipif(
    not (data_folder() / "adult").is_dir(), reason="the Adult files are not in SFUMATO_DATA or ../shared/data"
)


@needs_files
def test_the_table_of_the_paper() -> None:
    table = adult_occupations()
    assert table.records == 30_162
    assert len(table.domain("occupation")) == 14
    assert {name: taxonomy.height + 1 for name, taxonomy in table.taxonomies.items()} == LEVELS


@needs_files
def test_all_ages_of_both_parts() -> None:
    table = adult_occupations(part="all")
    assert (table.records, len(table.domain("age"))) == (45_222, 74)


@needs_files
def test_ages_lie_in_intervals_of_five_ten_and_twenty_years() -> None:
    rows = adult_occupations().taxonomies["age"].level_rows()
    assert rows[0] == ["17", "[15, 20)", "[10, 20)", "[0, 20)", "Any-age"]
    assert rows[-1] == ["90", "[90, 95)", "[90, 100)", "[80, 100)", "Any-age"]
