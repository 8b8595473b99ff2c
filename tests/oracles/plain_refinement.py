"""Top-down refinement the obvious way: every candidate is tried on all records in every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log2

from sfumato.data.table import Table

Record = dict[str, str | None]
Requirement = tuple[tuple[str, ...], int]
Masks = dict[str, Callable[[Record], object]]


def records_of(table: Table) -> list[Record]:
    """One plain record for each that the table stands for."""
    found = []
    for row in range(len(table)):
        record = {name: table.domains[name].texts[codes[row]] for name, codes in table.codes.items()}
        found += [record] * int(table.counts[row])
    return found


@dataclass
class Trial:
    """A candidate: the column, where it comes in order, the published value, the cut, and how records would look."""

    column: str
    order: tuple[int, int]
    value: str
    at: str
    concerned: Callable[[Record], bool]
    masked: Callable[[Record], object]


@dataclass
class PlainColumn:
    """One column: what each value is published as, and what can be refined."""

    name: str
    place: int
    values: list[str | None]

    def mask(self, value: str | None) -> object:
        raise NotImplementedError

    def trials(self, records: Sequence[Record], target: str) -> list[Trial]:
        raise NotImplementedError

    def take(self, trial: Trial) -> None:
        raise NotImplementedError


@dataclass
class TreeColumn(PlainColumn):
    paths: dict[str | None, list[str]] = field(default_factory=dict)
    depth: dict[str | None, int] = field(default_factory=dict)

    def mask(self, value: str | None) -> object:
        return self.paths[value][self.depth[value]]

    def trials(self, records: Sequence[Record], target: str) -> list[Trial]:
        shown = {}
        for place, value in enumerate(self.values):
            if self.depth[value] < len(self.paths[value]) - 1:
                shown.setdefault(self.mask(value), place)
        return [self._trial(str(node), place) for node, place in shown.items()]

    def _trial(self, node: str, place: int) -> Trial:
        def masked(record: Record) -> object:
            value = record[self.name]
            deeper = self.depth[value] + (self.mask(value) == node)
            return self.paths[value][deeper]

        return Trial(
            self.name, (self.place, place), node, "", lambda record: self.mask(record[self.name]) == node, masked
        )

    def take(self, trial: Trial) -> None:
        for value in [value for value in self.values if self.mask(value) == trial.value]:
            self.depth[value] += 1


@dataclass
class NumberColumn(PlainColumn):
    cuts: list[str | None] = field(default_factory=list)

    def mask(self, value: str | None) -> object:
        return self._interval(self.cuts, value)

    def _interval(self, cuts: Sequence[str | None], value: str | None) -> int:
        order = self.values.index(value)
        return sum(self.values.index(cut) <= order for cut in cuts)

    def trials(self, records: Sequence[Record], target: str) -> list[Trial]:
        found = []
        for interval in range(len(self.cuts) + 1):
            inside = [value for value in self.values if self.mask(value) == interval]
            here = [record for record in records if self.mask(record[self.name]) == interval]
            present = [value for value in inside if any(record[self.name] == value for record in here)]
            if None in inside:
                cut = None if len(inside) > 1 and not self.cuts else "nothing"
            else:
                cut = self._best(present, here, target)
            if cut != "nothing":
                found.append(self._trial(interval, inside, cut))
        return found

    def _best(self, present: Sequence[str | None], here: Sequence[Record], target: str) -> str | None:
        best, most = "nothing", -1.0
        for cut in present[1:]:
            sides = [[], []]
            for record in here:
                sides[self.values.index(record[self.name]) >= self.values.index(cut)].append(record)
            told = entropy(here, target) - sum(len(side) / len(here) * entropy(side, target) for side in sides)
            if told > most + 1e-12:
                best, most = cut, told
        return best

    def _trial(self, interval: int, inside: Sequence[str | None], cut: str | None) -> Trial:
        return Trial(
            self.name,
            (self.place, self.values.index(inside[0])),
            "",
            "missing" if cut is None else cut,
            lambda record: self.mask(record[self.name]) == interval,
            lambda record: self._interval([*self.cuts, cut], record[self.name]),
        )

    def take(self, trial: Trial) -> None:
        self.cuts.append(None if trial.at == "missing" else trial.at)


@dataclass
class PoolColumn(PlainColumn):
    shown: set[str | None] = field(default_factory=set)

    def mask(self, value: str | None) -> object:
        return value if value in self.shown else ("hidden",)

    def trials(self, records: Sequence[Record], target: str) -> list[Trial]:
        hidden = [value for value in self.values if value not in self.shown]
        return [self._trial(value) for value in hidden if any(record[self.name] == value for record in records)]

    def _trial(self, shows: str | None) -> Trial:
        return Trial(
            self.name,
            (self.place, self.values.index(shows)),
            "missing" if shows is None else shows,
            "",
            lambda record: record[self.name] not in self.shown,
            lambda record: shows if record[self.name] == shows else self.mask(record[self.name]),
        )

    def take(self, trial: Trial) -> None:
        self.shown.add(None if trial.value == "missing" else trial.value)


def entropy(records: Sequence[Record], target: str) -> float:
    """Of the target among these records, in bits."""
    counts = Counter(record[target] for record in records)
    return -sum(count / len(records) * log2(count / len(records)) for count in counts.values())


def columns_of(table: Table, names: Sequence[str]) -> dict[str, PlainColumn]:
    """What is known of each column: a tree if it has a taxonomy, else intervals for numbers, else a pool."""
    found: dict[str, PlainColumn] = {}
    for place, name in enumerate(names):
        domain = table.domain(name)
        values = list(domain.texts)
        if name in table.taxonomies:
            rows = table.taxonomies[name].level_rows()
            paths = {value: _path(row, value) for value, row in zip(values, rows, strict=True)}
            found[name] = TreeColumn(name, place, values, paths, dict.fromkeys(values, 0))
        elif domain.ordered:
            found[name] = NumberColumn(name, place, values)
        else:
            found[name] = PoolColumn(name, place, values)
    return found


def _path(row: Sequence[str], value: str | None) -> list[str]:
    """From the root to the value, each node once."""
    path = []
    for label in reversed(row):
        if not path or path[-1] != label:
            path.append(label)
    return path


def needed(requirements: Sequence[Requirement]) -> list[Requirement]:
    """Without those that another one implies."""
    kept: list[Requirement] = []
    for at, (columns, k) in enumerate(requirements):
        implied = [
            place
            for place, (others, most) in enumerate(requirements)
            if place != at and set(columns) <= set(others) and k <= most
        ]
        mutual = {
            place for place in implied if set(requirements[place][0]) == set(columns) and requirements[place][1] == k
        }
        if not [place for place in implied if place not in mutual or place < at]:
            kept.append((columns, k))
    return kept


def smallest(records: Sequence[Record], masks: dict[str, Callable[[Record], object]], columns: Sequence[str]) -> int:
    """The fewest records that look alike by these columns."""
    return min(Counter(tuple(masks[name](record) for name in columns) for record in records).values())


def refine(
    table: Table,
    requirements: Sequence[Requirement],
    score: Callable[[float, float], float],
    *,
    beneficial: bool,
    keeps: Callable[[Sequence[Record], Masks], bool] = lambda records, masks: True,
) -> list[tuple[str, str, str, float, float]]:
    """Every step: column, value, where it is cut, gain and loss. `keeps` is one more promise about masked records."""
    target = table.schema.one_target()
    wanted = {name for columns, _ in requirements for name in columns}
    names = [name for name in table.schema.quasi if name in wanted]
    records, columns, kept = records_of(table), columns_of(table, names), needed(requirements)
    steps = []
    masks = {name: (lambda record, c=column: c.mask(record[c.name])) for name, column in columns.items()}
    if any(len(records) < k for _, k in kept) or not keeps(records, masks):
        return steps
    while True:
        now = {req: smallest(records, masks, req[0]) for req in kept}
        best = None
        for column in columns.values():
            for trial in column.trials(records, target):
                found = _tried(trial, records, target, masks, kept, now, score, beneficial)
                after = {**masks, trial.column: trial.masked}
                if found is not None and (best is None or _better(found, best)) and keeps(records, after):
                    best = found
        if best is None:
            return steps
        _, trial, told, lost = best
        steps.append((trial.column, trial.value, trial.at, told, lost))
        columns[trial.column].take(trial)


def _better(one, other) -> bool:
    if abs(one[0] - other[0]) <= 1e-12 * max(abs(one[0]), abs(other[0])):
        return one[1].order < other[1].order
    return one[0] > other[0]


def _tried(trial, records, target, masks, kept, now, score, beneficial):
    """Score, trial, gain and loss; None if it breaks a requirement or helps nobody."""
    here = [record for record in records if trial.concerned(record)]
    if not here or (beneficial and len({record[target] for record in here}) < 2):
        return None
    after = {**masks, trial.column: trial.masked}
    parts: dict[object, list[Record]] = {}
    for record in here:
        parts.setdefault(trial.masked(record), []).append(record)
    told = entropy(here, target) - sum(len(part) / len(here) * entropy(part, target) for part in parts.values())
    losses = []
    for requirement in kept:
        if trial.column in requirement[0]:
            then = smallest(records, after, requirement[0])
            if then < requirement[1]:
                return None
            losses.append(now[requirement] - then)
    lost = sum(losses) / len(losses)
    told = 0.0 if abs(told) < 1e-12 else told
    return score(told, lost), trial, told, lost
