"""One judge for everybody: reads a written release, whoever wrote it, and says what it costs and what it keeps.

It shares no code with what it judges: only the standard library, the original file and the level files. A cell costs
the width of its range over the width of the column, or (values it could be - 1) / (values of the column - 1); a record
that is not published costs 1. Numbers are taken as their published range, cut off at the column's own limits.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks.files import QUASI, SENSITIVE, level_file

ANYTHING = "*"
_RANGE = re.compile(r"^[\[(]?\s*(-?\d+(?:\.\d+)?)\s*(?:,|-)\s*(-?\d+(?:\.\d+)?)\s*[\])]?$")
_MEMBER = re.compile(r'\s*("(?:[^"]|"")*"|[^,]*)\s*(?:,|$)')
_LISTED = re.compile(r"^\[(['\"])(.*)\1\]$")


@dataclass(frozen=True)
class Meaning:
    """What a published cell stands for, comparable whatever its spelling, and what it costs."""

    cover: tuple[float, float] | frozenset[str]
    loss: float

    def holds(self, value: str) -> bool:
        """Whether the cell may stand for this original value."""
        if isinstance(self.cover, frozenset):
            return value in self.cover
        return self.cover[0] <= float(value) <= self.cover[1]


@dataclass(frozen=True)
class Evaluation:
    """NCP of the whole release, and the worst group's size, distinct sensitive values and distance from the table."""

    ncp: float
    k: int
    l: int
    t: float
    groups: int
    suppressed: int


def evaluate(original: str, release: str, aligned: bool = False) -> dict[str, Any]:
    """Judge a release of Adult by its files, as a task; an aligned one is also held against every original record."""
    levels = _levels(QUASI)
    found = asdict(judge(_lines(original), _lines(release), QUASI, SENSITIVE, levels))
    untrue = untrue_cells(_lines(original), _lines(release), QUASI, levels) if aligned else 0
    return {**found, "untrue": untrue}


def judge(
    original: Iterable[Sequence[str]],
    release: Iterable[Sequence[str]],
    quasi: Sequence[str],
    sensitive: str,
    levels: Mapping[str, Mapping[str, frozenset[str]]],
) -> Evaluation:
    """Judge published lines against original ones, both with a header first; `levels` names the nodes of a column."""
    before, after = _counted(original, (*quasi, sensitive)), _counted(release, (*quasi, sensitive))
    readers = _readers(before, quasi, levels)
    loss, groups = 0.0, defaultdict[Hashable, Counter[str]](Counter)
    for cells, count in after.items():
        meanings = [read(cell) for read, cell in zip(readers, cells[:-1], strict=True)]
        if any(cell != ANYTHING for cell in cells[:-1]):
            loss += count * sum(meaning.loss for meaning in meanings)
            groups[tuple(meaning.cover for meaning in meanings)][cells[-1]] += count
    records, published = before.total(), sum(group.total() for group in groups.values())
    secrets = Counter[str]()
    for cells, count in before.items():
        secrets[cells[-1]] += count
    return Evaluation(
        ncp=(loss / len(quasi) + records - published) / records,
        k=min((group.total() for group in groups.values()), default=0),
        l=min(map(len, groups.values()), default=0),
        t=max((_distance(group, secrets) for group in groups.values()), default=0.0),
        groups=len(groups),
        suppressed=records - published,
    )


def untrue_cells(
    original: Iterable[Sequence[str]],
    release: Iterable[Sequence[str]],
    quasi: Sequence[str],
    levels: Mapping[str, Mapping[str, frozenset[str]]],
) -> int:
    """How many published cells cannot stand for the value of the same record; both files have the same row order."""
    pairs = Counter(zip(_picked(original, quasi), _picked(release, quasi), strict=True))
    readers = _readers((before for before, _ in pairs), quasi, levels)
    return sum(
        count * (not read(cell).holds(value))
        for (before, after), count in pairs.items()
        for read, value, cell in zip(readers, before, after, strict=True)
    )


def _readers(
    rows: Iterable[tuple[str, ...]], quasi: Sequence[str], levels: Mapping[str, Mapping[str, frozenset[str]]]
) -> list[Callable[[str], Meaning]]:
    """A reader for every quasi column, which come first in every row."""
    columns = list(zip(*rows, strict=True))
    return [reader_of(column, levels.get(name, {})) for name, column in zip(quasi, columns, strict=False)]


def reader_of(values: Iterable[str], nodes: Mapping[str, frozenset[str]]) -> Callable[[str], Meaning]:
    """How to read the published cells of a column with these original values; each spelling is read once."""
    present = frozenset(values)
    known: dict[str, Meaning] = {}
    numbers = [float(value) for value in present if _is_number(value)]

    def read(text: str) -> Meaning:
        if text not in known:
            bare = _unlisted(text)
            ordered = len(numbers) == len(present)
            known[text] = _range(bare, min(numbers), max(numbers)) if ordered else _set(bare, present, nodes)
        return known[text]

    return read


def _range(text: str, low: float, high: float) -> Meaning:
    """`*`, `20`, `[20, 30]`, `[20, 30)` or `20-30`."""
    if text == ANYTHING:
        lo, hi = low, high
    elif _is_number(text):
        lo = hi = float(text)
    elif ends := _RANGE.match(text):
        lo, hi = max(float(ends[1]), low), min(float(ends[2]), high)
    else:
        raise ValueError(f"cannot read the range {text!r}")
    return Meaning((lo, hi), (hi - lo) / (high - low) if high > low else 0.0)


def _set(text: str, present: frozenset[str], nodes: Mapping[str, frozenset[str]]) -> Meaning:
    """`*`, a value, the name of a node, `{A, B}` or `A,B`."""
    if text == ANYTHING:
        members = present
    elif text in present:
        members = frozenset({text})
    elif text in nodes:
        members = nodes[text] & present
    else:
        inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
        members = frozenset(_unquoted(part) for part in _MEMBER.findall(inner) if part)
    if not members or not members <= present:
        raise ValueError(f"cannot read the set {text!r}")
    return Meaning(members, (len(members) - 1) / max(len(present) - 1, 1))


def _counted(lines: Iterable[Sequence[str]], columns: Sequence[str]) -> Counter[tuple[str, ...]]:
    """How many records have each combination; a column called `count` says how many records a line stands for."""
    rows = iter(lines)
    header = next(rows)
    if "count" not in header:
        return Counter(_picked(chain([header], rows), columns))
    found = Counter[tuple[str, ...]]()
    for *cells, count in _picked(chain([header], rows), (*columns, "count")):
        found[tuple(cells)] += int(count)
    return found


def _picked(lines: Iterable[Sequence[str]], columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Only these columns of lines that begin with a header."""
    rows = iter(lines)
    header = list(next(rows))
    return map(itemgetter(*(header.index(name) for name in columns)), rows)


def _lines(path: str) -> Iterator[list[str]]:
    with Path(path).open(encoding="utf-8", newline="") as stream:
        yield from csv.reader(stream)


def _distance(group: Counter[str], table: Counter[str]) -> float:
    """Earth mover's distance with equal ground distances: half the sum of differences."""
    inside, outside = group.total(), table.total()
    return sum(abs(group[value] / inside - count / outside) for value, count in table.items()) / 2


def _levels(columns: Sequence[str]) -> dict[str, dict[str, frozenset[str]]]:
    """The nodes of every column by name, from the level files."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for column in columns:
        nodes = defaultdict[str, set[str]](set)
        with level_file(column).open(encoding="utf-8", newline="") as stream:
            for value, *labels in csv.reader(stream, delimiter=";"):
                for label in labels:
                    nodes[label].add(value)
        found[column] = {label: frozenset(values) for label, values in nodes.items()}
    return found


def _unlisted(text: str) -> str:
    """Some write a cell as a list of one text."""
    listed = _LISTED.match(text.strip())
    return listed[2] if listed else text.strip()


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.strip()


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", text) is not None
