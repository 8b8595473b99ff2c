"""Records to learn from: drawn at random as features and as plain cases, the golf example, and files on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from pyarrow import csv

from sfumato.evaluation.learners import Features
from sfumato.evaluation.learners.features import Feature
from tests.oracles.c45_oracle import Case

GOLF = [
    ("sunny", 75, 70, "true", "Play"),
    ("sunny", 80, 90, "true", "Don't"),
    ("sunny", 85, 85, "false", "Don't"),
    ("sunny", 72, 95, "false", "Don't"),
    ("sunny", 69, 70, "false", "Play"),
    ("overcast", 72, 90, "true", "Play"),
    ("overcast", 83, 78, "false", "Play"),
    ("overcast", 64, 65, "true", "Play"),
    ("overcast", 81, 75, "false", "Play"),
    ("rain", 71, 80, "true", "Don't"),
    ("rain", 65, 70, "true", "Don't"),
    ("rain", 75, 80, "false", "Play"),
    ("rain", 68, 80, "false", "Play"),
    ("rain", 70, 96, "false", "Play"),
]
"""Quinlan (1993), section 2.2: when to play golf."""

SPELLED = {
    "Cg": "capital-gain",
    "Ag": "age",
    "M": "marital-status",
    "En": "education-num",
    "Re": "relationship",
    "H": "hours-per-week",
    "S": "sex",
    "E": "education",
    "O": "occupation",
}
"""The columns of Adult as Fung, Wang and Yu (2007) abbreviate them, in the order in which C4.5 ranks them."""

ADULT_TOP = tuple(SPELLED.values())
CRX_TOP = ("A9", "A11", "A10", "A8", "A15", "A7", "A14", "A6")
GERMAN_TOP = (
    "credit_amount",
    "status",
    "duration_months",
    "credit_history",
    "savings",
    "other_installment_plans",
    "purpose",
)


def golf() -> tuple[Features, np.ndarray]:
    names = ("outlook", "temperature", "humidity", "windy", "decision")
    table = pa.table(dict(zip(names, map(list, zip(*GOLF, strict=True)), strict=True)))
    classes = np.array([row[-1] == "Don't" for row in GOLF], dtype=np.int32)
    return Features.of_frame(table, names[:-1]), classes


def adult_frame(folder: Path) -> tuple[pa.Table, int, str]:
    """Both parts, one after the other, and how many records the first has."""
    train, test = (csv.read_csv(folder / "adult" / f"adult_{part}_complete.csv") for part in ("train", "test"))
    return pa.concat_tables([train, test]), train.num_rows, "salary-class"


def crx_frame(folder: Path) -> tuple[pa.Table, int, str]:
    return csv.read_csv(folder / "crx" / "crx_complete.csv"), 465, "A16"


def german_frame(folder: Path) -> tuple[pa.Table, int, str]:
    return csv.read_csv(folder / "german" / "german.csv"), 666, "class"


FRAMES = {"adult": adult_frame, "crx": crx_frame, "german": german_frame}


def features_of(frame: tuple[pa.Table, int, str]) -> tuple[Features, np.ndarray, np.ndarray, np.ndarray]:
    """Features, classes in the order in which they occur, places to train on and to test on."""
    table, first, target = frame
    features = Features.of_frame(table, [name for name in table.column_names if name != target])
    classes = table.column(target).combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int32)
    return features, classes, np.arange(first), np.arange(first, len(classes))


NAMES = ("ant", "bee", "cat", "dog", None)


@st.composite
def drawn(draw: st.DrawFn, *, most: int = 24, missing: bool = True) -> tuple[Features, np.ndarray, np.ndarray]:
    """Features, classes and weights of some records."""
    records = draw(st.integers(1, most))
    columns = tuple(
        draw(_numbers(f"c{place}", records, missing) if draw(st.booleans()) else _names(f"c{place}", records))
        for place in range(draw(st.integers(0, 4)))
    )
    classes = draw(st.lists(st.integers(0, 2), min_size=records, max_size=records))
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 1.0, 2.0, 7.0]), min_size=records, max_size=records))
    return Features(columns, records), np.array(classes, dtype=np.int32), np.array(weights)


@st.composite
def _numbers(draw: st.DrawFn, name: str, records: int, missing: bool) -> Feature:
    cell = st.sampled_from([0.0, 1.0, 1.5, 2.0, 5.0, 9.0, *([float("nan")] if missing else [])])
    return Feature(name, np.array(draw(st.lists(cell, min_size=records, max_size=records)), dtype=np.float64))


@st.composite
def _names(draw: st.DrawFn, name: str, records: int) -> Feature:
    cell = st.integers(0, len(NAMES) - 1)
    return Feature(name, np.array(draw(st.lists(cell, min_size=records, max_size=records)), dtype=np.int32), NAMES)


def plain(features: Features) -> list[tuple[Any, ...]]:
    """The cells of every record."""
    cells = [column.values.tolist() for column in features.columns]
    return list(zip(*cells, strict=True)) if cells else [()] * len(features)


def cases_of(features: Features, classes: np.ndarray, weights: np.ndarray) -> list[Case]:
    rows = zip(plain(features), classes.tolist(), weights.tolist(), strict=True)
    return [Case(cells, label, weight) for cells, label, weight in rows]


def numeric_of(features: Features) -> tuple[bool, ...]:
    return tuple(column.numeric for column in features.columns)


def nested(nodes: Any, ranks: Any, classes: np.ndarray, node: int = 0) -> Any:
    """The nodes of a learned tree as the oracle writes a tree."""
    leaf = (int(classes[nodes.majority[node]]), float(nodes.cases[node]), float(nodes.wrong[node]))
    column = int(nodes.column[node])
    if column < 0:
        return leaf
    first, numeric = int(nodes.first[node]), nodes.below[node] >= 0
    limit = float(ranks[column][nodes.below[node]]) if numeric else -1
    inner = {
        bool(nodes.branch[child]) if numeric else int(nodes.branch[child]): nested(nodes, ranks, classes, child)
        for child in range(first, first + int(nodes.children[node]))
    }
    return (*leaf, column, limit, inner)
