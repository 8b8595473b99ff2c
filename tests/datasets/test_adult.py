from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.datasets import adult, adult_file
from sfumato.datasets.adult import QUASI, data_folder
from sfumato.errors import DataError

needs_files = pytest.mark.skipif(
    not (data_folder() / "adult").is_dir(), reason="the Adult files are not in SFUMATO_DATA or ../shared/data"
)


@needs_files
def test_the_complete_training_part() -> None:
    """Data README: 30,162 complete training records; the eight columns span a lattice of 6,480 nodes."""
    table = adult()
    assert table.records == 30_162
    assert table.schema.quasi == QUASI
    assert len(Lattice.over(table)) == 6_480


@needs_files
def test_distinct_rows_of_the_literature() -> None:
    """Peers, section 5: 18,109 distinct combinations of the eight columns."""
    table = adult()
    assert len(set(table.group_numbers(QUASI).tolist())) == 18_109


@needs_files
def test_incomplete_records_have_missing_values() -> None:
    table = adult(part="test", complete=False)
    assert table.records == 16_281
    assert table.domain("occupation").has_missing


@needs_files
def test_parts_that_do_not_exist() -> None:
    assert adult_file(part="all").name == "adult_all_complete.csv"
    with pytest.raises(DataError, match="complete=True"):
        adult_file(part="all", complete=False)


def test_files_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    with pytest.raises(DataError, match="SFUMATO_DATA"):
        adult()
