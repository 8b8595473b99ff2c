"""The files that are measured on: the reference files as they are, and blown-up ones made once and kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT, task

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
SENSITIVE = "salary-class"


def adult_folder() -> Path:
    """Where the Adult files lie: under the folder SFUMATO_DATA names, else ../shared/data."""
    return Path(os.environ.get("SFUMATO_DATA") or ROOT.parent / "shared" / "data") / "adult"


def adult_file(part: str) -> Path:
    """The complete records of a part of Adult: `train` (30,162) or `all` (45,222)."""
    return adult_folder() / f"adult_{part}_complete.csv"


def level_file(column: str) -> Path:
    """How the values of a column grow vaguer."""
    return adult_folder() / "hierarchies" / f"adult_hierarchy_{column}.csv"


@dataclass(frozen=True)
class Files:
    """Blown-up files in a folder; each is made when it is first asked for, in a process of its own."""

    folder: Path

    def table(self, records: int) -> Path:
        """All fifteen columns as Parquet."""
        return self._made("table", records, ".parquet")

    def text(self, records: int) -> Path:
        """The same records as CSV."""
        return self._made("text", records, ".csv")

    def quasi(self, records: int) -> Path:
        """Only the eight quasi columns, as Parquet."""
        return self._made("quasi", records, ".parquet")

    def scattered(self, records: int) -> Path:
        """Eight columns of 30 to 90 values whose combinations hardly repeat, as Parquet."""
        return self._made("scattered", records, ".parquet")

    def _made(self, kind: str, records: int, suffix: str) -> Path:
        path = self.folder / f"{kind}_{records}{suffix}"
        if not path.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            task(f"benchmarks.data:write_{kind}", path=path, records=records)
        return path
