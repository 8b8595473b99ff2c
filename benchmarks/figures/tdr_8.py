"""Figure 8: thirty random requirements on Adult, several quasi-identifiers against the one that unites them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from benchmarks.figures.data_sets import DataSet, adult
from benchmarks.figures.figure import Claim, Figure
from sfumato.algorithms import TopDownRefinement
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.adult_trees import adult_trees
from sfumato.evaluation.workloads import Classification
from sfumato.models import KAnonymity
from sfumato.models.base import PrivacyModel

K, COUNT, SEED = 100, 30, 2007
OTHERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Requirement:
    """Several quasi-identifiers of the same length."""

    quasi: tuple[tuple[str, ...], ...]

    @property
    def united(self) -> tuple[str, ...]:
        """All columns of all of them, each once."""
        return tuple(dict.fromkeys(name for one in self.quasi for name in one))

    def models(self, k: int) -> tuple[Mapping[str, tuple[str, ...]], PrivacyModel]:
        """The quasi-identifiers by name, and k-anonymity for each."""
        named = {f"q{at}": one for at, one in enumerate(self.quasi, 1)}
        return named, reduce(and_, (KAnonymity(k=k, quasi=name) for name in named))


def requirements(columns: tuple[str, ...], count: int = COUNT, seed: int = SEED) -> list[Requirement]:
    """As the paper draws them: 3 to 7 quasi-identifiers, all of one length from 2 to 9; one drawn twice counts once."""
    random = np.random.default_rng(seed)
    return [_drawn(columns, random) for _ in range(count)]


def _drawn(columns: tuple[str, ...], random: np.random.Generator) -> Requirement:
    how_many, length = random.integers(3, 8), random.integers(2, 10)
    drawn = [np.sort(random.choice(len(columns), length, replace=False)) for _ in range(how_many)]
    return Requirement(tuple(dict.fromkeys(tuple(columns[place] for place in one) for one in drawn)))


def figure() -> Figure:
    """A point for every requirement of the first draw, with taxonomies and without; other draws are counted."""
    found = {"generalize": _draws(adult_trees()), "suppress": _draws({})}
    lines = {how: draws[0] for how, draws in found.items()}
    every = [error for points in lines.values() for point in points for error in point]
    diagonal = {"both the same": [(end, end) for end in (min(every), max(every))]}
    claims = [claim for how, draws in found.items() for claim in (_claim(how, draws[0]), _counted(how, draws))]
    notes = f"Drawn with seed {SEED}, then with seeds {', '.join(map(str, OTHERS))}; the paper's draw is not printed."
    return Figure(
        "tdr_8", f"Adult, k = {K}, C4.5: thirty random requirements", "AE of MultiQID, %", "AE of SingleQID, %",
        lines | diagonal, claims, notes, drawn="points", guides=tuple(diagonal),
    )  # fmt: skip


def _draws(trees: Mapping[str, Any]) -> list[list[tuple[float, float]]]:
    data = adult()
    drawn = (requirements(data.columns, seed=seed) for seed in (SEED, *OTHERS))
    return [[pair(data, requirement, trees) for requirement in each] for each in drawn]


def _claim(how: str, points: list[tuple[float, float]]) -> Claim:
    better, worse = _lower(points), _lower([(one, multi) for multi, one in points])
    saved = float(np.mean([one - multi for multi, one in points]))
    told = f"{better} of {len(points)} lower, {len(points) - better - worse} the same, {worse} higher"
    said = f"most of thirty requirements have a lower AE as MultiQID than united ({how})"
    return Claim(said, f"{told}; {saved:.2f} points on average", better > len(points) / 2)


def _counted(how: str, draws: list[list[tuple[float, float]]]) -> Claim:
    counts, of = [_lower(points) for points in draws], sum(map(len, draws))
    told = f"{', '.join(map(str, counts))} lower, together {sum(counts)} of {of}"
    return Claim(f"the same over five draws of thirty together ({how})", told, sum(counts) > of / 2)


def _lower(points: list[tuple[float, float]]) -> int:
    """How often several quasi-identifiers err less than the one that unites them."""
    return sum(one - multi > 1e-9 for multi, one in points)


def pair(data: DataSet, requirement: Requirement, trees: Mapping[str, Any], k: int = K) -> tuple[float, float]:
    """AE in percent with several quasi-identifiers, and with the one that unites them."""
    united = requirement.united
    named, each = requirement.models(k)
    table = Table.from_frame(data.frame, _schema(data, united, trees, named))
    return _error(data, table, each), _error(data, table, KAnonymity(k=k))


def _schema(data: DataSet, quasi: tuple[str, ...], trees: Mapping[str, Any], named: Any) -> Schema:
    grown = {name: tree for name, tree in trees.items() if name in quasi}
    return Schema.of(quasi=list(quasi), target=[data.target], taxonomies=grown, quasi_identifiers=named)


def _error(data: DataSet, table: Table, model: PrivacyModel) -> float:
    published = TopDownRefinement().anonymize(table, model).frame()
    return 100 * Classification().error(published, data.target, data.split, nominal=table.schema.quasi)
