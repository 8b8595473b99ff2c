"""A synthetic census with realistic correlations: education, work, marriage and income depend on each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.schema import Schema
from sfumato.datasets.draws import CHUNK, WeightedDraws, batches, one_table, texts, write_batches, zipf_weights

SEXES = ("female", "male")
RACES = ("white", "black", "asian", "native", "other")
COUNTRIES = (
    "united states", "mexico", "philippines", "germany", "canada", "india", "cuba", "china", "vietnam", "poland",
    "italy", "japan", "jamaica", "guatemala", "haiti", "iran", "peru", "greece", "france", "ireland", "thailand",
    "laos",
)  # fmt: skip
MARITAL = ("never married", "married", "divorced", "separated", "widowed")
EDUCATION = (
    "primary", "some high school", "high school", "some college", "associate", "bachelor", "master", "professional",
    "doctorate",
)  # fmt: skip
WORK_CLASSES = ("private", "self employed", "local government", "state government", "federal government", "unpaid")
OCCUPATIONS = (
    "manager", "specialist", "technician", "sales", "clerical", "craft", "machine operator", "transport", "cleaner",
    "farming", "protection", "service", "household",
)  # fmt: skip
INCOMES = ("low", "middle", "high")

# weight of each occupation for persons of low, middle and high education
_OCCUPATION_WEIGHTS = np.array(
    [
        [2, 2, 6, 9, 9, 16, 14, 12, 4, 9, 3, 13, 1],
        [9, 7, 10, 14, 16, 14, 8, 6, 5, 4, 4, 8, 1],
        [22, 36, 7, 12, 8, 4, 1, 1, 1, 1, 2, 3, 0.3],
    ]
)
_WOMEN = np.array([0.3, 0.5, 0.4, 0.4, 0.7, 0.06, 0.3, 0.08, 0.15, 0.08, 0.12, 0.63, 0.95])
_PAY = np.array([3.0, 2.8, 2.0, 1.8, 1.1, 1.5, 1.0, 1.2, 0.5, 0.5, 1.8, 0.4, 0.1])


def census(n: int, seed: int = 0) -> Any:
    """An Arrow table of n persons; with the same seed, a larger n only appends persons.

    >>> census(2).num_rows
    2
    """
    return one_table(_chunk, n, seed)


def census_batches(n: int, seed: int = 0, batch: int = CHUNK) -> Iterator[Any]:
    """The same persons as a stream of Arrow record batches, which never holds all of them in memory."""
    return batches(_chunk, n, seed, batch)


def write_census(path: str | Path, n: int, seed: int = 0) -> Path:
    """Stream n persons into a Parquet or CSV file."""
    return write_batches(path, census_batches(n, seed))


def census_schema() -> Schema:
    """Eight quasi columns; the income is sensitive, the hours are a plain column."""
    quasi = ["sex", "age", "race", "marital_status", "education", "country", "work_class", "occupation"]
    return Schema.of(quasi=quasi, sensitive=["income"])


@lru_cache(maxsize=1)
def _draw_tables() -> dict[str, WeightedDraws]:
    """The lookup tables of all columns that are drawn by weight, computed once."""
    ages = np.arange(17, 91)
    by_age = np.exp(-(((ages - 36) / 22) ** 2))
    marital_by_age: list[list[float]] = [
        [88, 9, 2, 1, 0.1],
        [42, 47, 8, 3, 0.3],
        [14, 62, 18, 4, 2],
        [6, 62, 17, 3, 12],
        [4, 48, 8, 2, 38],
    ]
    education_by_age: list[list[float]] = [
        [4, 22, 34, 32, 4, 4, 0.3, 0.1, 0.1],
        [3, 6, 31, 22, 9, 20, 6, 2, 1],
        [9, 9, 33, 18, 7, 14, 7, 2, 2],
    ]
    occupations = np.stack([level * share for level in _OCCUPATION_WEIGHTS for share in (_WOMEN, 1 - _WOMEN)])
    classes: list[list[float]] = [[80, 5, 7, 4, 3, 1], [72, 12, 8, 5, 3, 0.3], [60, 13, 13, 9, 5, 0.1]]
    home = np.array(
        [[92, *(8 * zipf_weights(len(COUNTRIES) - 1, 0.9))], [55, *(30 * zipf_weights(len(COUNTRIES) - 1, 0.7))]]
    )
    return {
        "age": WeightedDraws(by_age),
        "race": WeightedDraws([86, 9, 3, 1, 1]),
        "home": WeightedDraws(home),
        "marital": WeightedDraws(marital_by_age),
        "education": WeightedDraws(education_by_age),
        "occupation": WeightedDraws(occupations),
        "work": WeightedDraws(classes),
        "hours": WeightedDraws([[30, 25, 40, 4, 1], [6, 8, 62, 17, 7], [4, 6, 45, 28, 17]]),
    }


def _chunk(random: np.random.Generator, first: int) -> dict[str, Any]:
    """One chunk of persons from number `first` on; each column is drawn after the columns it depends on."""
    tables = _draw_tables()
    draw = random.random((11, CHUNK))
    age = tables["age"].draw(draw[0]) + np.int16(17)
    sex = (draw[1] > 0.45).astype(np.int16)
    race = tables["race"].draw(draw[2])
    country = tables["home"].draw(draw[3], (race > 1).astype(np.int8))
    marital = tables["marital"].draw(draw[4], np.digitize(age, [24, 34, 50, 68]))
    education = tables["education"].draw(draw[5], np.digitize(age, [23, 60]))
    education_level = np.digitize(education, [3, 5])
    occupation = tables["occupation"].draw(draw[6], education_level * 2 + sex)
    work = tables["work"].draw(draw[7], education_level)
    workload = np.where((age < 22) | (age > 66), 0, np.where(occupation == 0, 2, 1))
    hours = np.array([15, 28, 38, 46, 58])[tables["hours"].draw(draw[8], workload)] + (draw[9] * 8).astype(np.int64)
    score = _PAY[occupation] + 0.35 * education + 0.04 * (hours - 40) + 0.9 * (marital == 1) + 0.5 * sex
    score = score + np.minimum(age, 55) / 18 + 3 * draw[10]
    return {
        "age": age.astype(np.int32),
        "sex": texts(SEXES, sex),
        "race": texts(RACES, race),
        "marital_status": texts(MARITAL, marital),
        "education": texts(EDUCATION, education),
        "country": texts(COUNTRIES, country),
        "work_class": texts(WORK_CLASSES, work),
        "occupation": texts(OCCUPATIONS, occupation),
        "hours": hours.astype(np.int32),
        "income": texts(INCOMES, np.digitize(score, [6.5, 8.6])),
    }
