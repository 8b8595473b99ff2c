"""Level files: the format in which most tools store a taxonomy, one row per value and one column per level."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Literal

from sfumato.data.domain import Domain
from sfumato.errors import DataError, ParameterError, TaxonomyError, listed, shortened
from sfumato.runtime.atomic_files import Staging
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder, key_of, look_up_values, text_of
from sfumato.taxonomies.taxonomy import Taxonomy, check_levels

SEPARATOR = ";"


@dataclass(frozen=True, kw_only=True)
class LevelFile(TaxonomyBuilder):
    """Reads a taxonomy from a file with rows such as `20;20-24;20-29;*`: a value and its label on each level.

    The file has no header. Texts are matched literally, numbers and dates by their meaning. A file may cover more
    values than the column has; a missing value is placed directly under the root, and rows about it are ignored.
    """

    plan_keys = {"file": "path"}

    path: Path | str = param(doc="CSV file, one row per value and one column per level, level 0 first")
    separator: str = param(SEPARATOR, doc="the character between two levels")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.separator) != 1 or self.separator in '"\r\n':
            raise ParameterError(f"'separator' of LevelFile must be one character; got {self.separator!r}.")

    def _levels(self, domain: Domain) -> list[list[str]]:
        rows = self._rows()
        above = self._above(domain, rows)
        found = look_up_values(domain, above, f"the level file {Path(self.path).name!r}{self._separator_hint(rows)}")
        values = [domain.named(code) for code in range(domain.present)]
        return _told_apart(values, [[labels[level] for labels in found] for level in range(len(rows[0]) - 1)])

    def _listed_values(self) -> Iterable[str]:
        return (row[0] for row in self._rows())

    def _rows(self) -> list[list[str]]:
        name = Path(self.path).name
        try:
            rows = list(csv.reader(StringIO(text_of(Path(self.path)), newline=""), delimiter=self.separator))
        except csv.Error as error:
            raise DataError(f"the level file {name!r} cannot be read as rows: {error}.") from None
        numbered = [(number, row) for number, row in enumerate(rows, start=1) if row]
        if not numbered:
            raise TaxonomyError(f"the level file {name!r} is empty; it needs one row per value.")
        levels = len(numbered[0][1])
        uneven = [number for number, row in numbered if len(row) != levels]
        if uneven:
            raise TaxonomyError(
                f"the level file {name!r} has {levels} levels in its first row but not in row {listed(uneven)}; "
                "every value needs a label on every level."
            )
        return [row for _, row in numbered]

    def _above(self, domain: Domain, rows: list[list[str]]) -> dict[Hashable, list[str]]:
        """The labels above each value in the file; rows for the missing value or for no valid value are ignored."""
        above: dict[Hashable, list[str]] = {}
        conflicting: dict[str, str] = {}
        for value, *labels in rows:
            key = key_of(value, domain.kind)
            if key is None or (domain.has_missing and value == domain.texts[-1]):
                continue
            first = above.setdefault(key, labels)
            if first != labels:
                one, other = next((one, other) for one, other in zip(first, labels, strict=True) if one != other)
                conflicting.setdefault(value, f"{value!r} under {one!r} and {other!r}")
        if conflicting:
            raise TaxonomyError(
                f"the level file {Path(self.path).name!r} has rows with different parents for a value: "
                f"{shortened(list(conflicting.values()))}; keep one row for each value."
            )
        if above:
            check_levels(domain.column, [[str(key) for key in above], *map(list, zip(*above.values(), strict=True))])
        return above

    def _separator_hint(self, rows: list[list[str]]) -> str:
        """A hint for messages: a file with one column usually means a wrong separator."""
        return f" (one level; is {self.separator!r} the separator?)" if len(rows[0]) == 1 else ""


def _told_apart(values: Sequence[str], levels: Sequence[Sequence[str]]) -> list[list[str]]:
    """The levels with different labels for different sets of values; a label that is taken gets the level beside it.

    >>> _told_apart(["a", "b", "c"], [["x", "y", "y"], ["x", "x", "x"]])
    [['x', 'y', 'y'], ['x (level 2)', 'x (level 2)', 'x (level 2)']]
    """
    nodes: dict[str, tuple[int, ...]] = {value: (place,) for place, value in enumerate(values)}
    made = []
    for number, level in enumerate(levels, start=1):
        under: dict[str, list[int]] = {}
        for place, label in enumerate(level):
            under.setdefault(label, []).append(place)
        names = {}
        for label, places in under.items():
            name = label
            while nodes.setdefault(name, tuple(places)) != tuple(places):
                name = f"{name} (level {number})"
            names[label] = name
        made.append([names[label] for label in level])
    return made


def write_level_file(taxonomy: Taxonomy, path: Path | str, *, separator: str = SEPARATOR) -> None:
    """Save a taxonomy so that `LevelFile` reads it back; the file appears when it is complete."""
    target, rows = Path(path), taxonomy.level_rows()
    # A carriage return or a byte order mark survives only inside quotes.
    delicate = any(mark in cell for row in rows for cell in row for mark in "\r\ufeff")
    with Staging([target]) as staging:
        with staging.place(target).open("w", encoding="utf-8", newline="") as stream:
            quoting: Literal[0, 1] = csv.QUOTE_ALL if delicate else csv.QUOTE_MINIMAL
            csv.writer(stream, delimiter=separator, lineterminator="\n", quoting=quoting).writerows(rows)
        staging.commit()
