"""Synthetic hospital stays with realistic correlations; the persons are invented.

Illnesses depend on age and sex, some are seasonal, some stays take weeks, and most patients live in few postcodes.
Records are generated as a stream, so that a laptop can generate a hundred million of them. `sfumato demo` uses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.datasets.draws import CHUNK, WeightedDraws, batches, one_table, texts, write_batches, zipf_weights

SEXES = ("female", "male")
INSURERS = ("state", "company", "private", "mutual", "none")
GIVEN = (
    (
        "Ada",
        "Bela",
        "Clara",
        "Dunja",
        "Edith",
        "Fatma",
        "Greta",
        "Hanna",
        "Ines",
        "Judit",
        "Kaya",
        "Lena",
        "Mina",
        "Nora",
    ),
    (
        "Adam",
        "Boris",
        "Carl",
        "David",
        "Emil",
        "Faruk",
        "Georg",
        "Hugo",
        "Ivan",
        "Jonas",
        "Kemal",
        "Leon",
        "Milan",
        "Nils",
    ),
)
FAMILY = (
    "Adler", "Aydin", "Bauer", "Berg", "Costa", "Dahl", "Engel", "Faber", "Garcia", "Haas", "Horvat", "Ilic", "Jansen",
    "Kaiser", "Keller", "Kowal", "Lang", "Lopez", "Maier", "Marin", "Novak", "Olsen", "Peters", "Petrov", "Quast",
    "Rossi", "Roth", "Sahin", "Silva", "Stein", "Toth", "Ullmann", "Vogel", "Weber", "Wolf", "Yilmaz", "Zidane",
    "Zimmer",
)  # fmt: skip

# illness: weights for women and for men at 10, 35, 60 and 85 years, mean days of the stay, more frequent in winter
ILLNESSES: dict[str, tuple[tuple[float, ...], tuple[float, ...], float, bool]] = {
    "appendicitis": ((6, 4, 1, 1), (7, 4, 1, 1), 3, False),
    "arthrosis": ((0, 1, 9, 12), (0, 1, 7, 9), 7, False),
    "asthma": ((7, 3, 2, 1), (9, 2, 2, 1), 3, True),
    "birth": ((0, 22, 0, 0), (0, 0, 0, 0), 3, False),
    "breast cancer": ((0, 2, 7, 4), (0, 0, 0.1, 0.1), 5, False),
    "bronchitis": ((9, 3, 3, 5), (10, 3, 4, 6), 4, True),
    "cataract": ((0, 0, 3, 9), (0, 0, 3, 7), 1, False),
    "depression": ((1, 7, 5, 2), (0.5, 4, 3, 2), 24, False),
    "diabetes": ((2, 2, 6, 7), (2, 2, 8, 7), 6, False),
    "fracture": ((8, 4, 5, 14), (11, 8, 4, 7), 6, True),
    "gallstones": ((0, 4, 5, 4), (0, 2, 4, 4), 4, False),
    "heart attack": ((0, 0.3, 4, 8), (0, 1, 9, 10), 7, False),
    "heart failure": ((0.1, 0.3, 4, 16), (0.1, 0.5, 6, 15), 9, False),
    "hepatitis": ((0.5, 1, 1, 0.5), (0.5, 2, 1.5, 0.5), 8, False),
    "hiv": ((0.05, 0.6, 0.3, 0.05), (0.05, 1.4, 0.8, 0.1), 9, False),
    "influenza": ((8, 2, 2, 5), (8, 2, 2, 5), 4, True),
    "kidney stones": ((0.2, 2, 2, 1), (0.2, 4, 4, 2), 3, False),
    "lung cancer": ((0, 0.3, 4, 3), (0, 0.4, 6, 4), 8, False),
    "migraine": ((1, 4, 1, 0.3), (1, 1.5, 0.5, 0.2), 2, False),
    "pneumonia": ((7, 2, 3, 11), (7, 2, 4, 12), 8, True),
    "prostate cancer": ((0, 0, 0, 0), (0, 0.1, 7, 7), 5, False),
    "schizophrenia": ((0.2, 2, 1, 0.4), (0.3, 3, 1, 0.3), 27, False),
    "stroke": ((0.1, 0.6, 4, 12), (0.1, 0.8, 6, 11), 10, False),
    "tonsillitis": ((12, 3, 0.4, 0.1), (10, 2, 0.3, 0.1), 3, True),
}

_DAYS = 730
_FIRST_DAY = np.datetime64("2023-01-01", "D")
_NUMBERS = 1_000_000_000
_STRIDE = 387_420_489  # coprime to the range, so numbers look random and never repeat


def patients(n: int, seed: int = 0) -> Any:
    """An Arrow table of n hospital stays; with the same seed, a larger n only appends records.

    >>> patients(3).column_names
    ['patient_number', 'name', 'sex', 'age', 'postcode', 'admitted', 'diagnosis', 'days', 'insurer']
    """
    return one_table(_chunk, n, seed)


def patient_batches(n: int, seed: int = 0, batch: int = CHUNK) -> Iterator[Any]:
    """The same stays as a stream of Arrow record batches, which never holds all of them in memory."""
    return batches(_chunk, n, seed, batch)


def write_patients(path: str | Path, n: int, seed: int = 0) -> Path:
    """Stream n stays into a Parquet or CSV file."""
    return write_batches(path, patient_batches(n, seed))


def patients_schema() -> Schema:
    """Number and name are identifiers; sex, age, postcode and admission are quasi; the diagnosis is sensitive."""
    from sfumato.taxonomies.reading import builder_from_plan

    plans: dict[str, dict[str, Any]] = {
        "age": {"intervals": [0, 18, 30, 45, 60, 75, 90, 120]},
        "postcode": {"mask": "right"},
        "admitted": {"dates": True},
    }
    return Schema.of(
        identifiers=["patient_number", "name"],
        quasi=["sex", "age", "postcode", "admitted"],
        sensitive=["diagnosis"],
        kinds={"postcode": "text"},
        taxonomies={name: builder_from_plan(given, Path()) for name, given in plans.items()},
    )


@lru_cache(maxsize=1)
def _draw_tables() -> dict[str, WeightedDraws]:
    """The lookup tables of all columns that are drawn by weight, computed once."""
    ages = np.arange(100)
    by_age = 1.2 * np.exp(-ages / 4) + np.exp(-(((ages - 32) / 14) ** 2)) + 2.2 * np.exp(-(((ages - 70) / 15) ** 2))
    anchors = [10, 35, 60, 85]
    bands = np.arange(2.5, 100, 5)
    illness = np.array(
        [
            [np.interp(band, anchors, weights[sex]) for weights in ILLNESSES.values()]
            for sex in range(2)
            for band in bands
        ]
    )
    day = np.arange(_DAYS)
    week = np.where(day % 7 < 5, 1.0, 0.6)
    winter = week * (1 + 0.9 * np.cos(2 * np.pi * day / 365))
    insurers = [[50, 30, 12, 6, 2], [22, 52, 12, 10, 4], [64, 10, 16, 9, 1]]
    return {
        "age": WeightedDraws(by_age),
        "illness": WeightedDraws(illness),
        "day": WeightedDraws([week, winter]),
        "insurer": WeightedDraws(insurers),
        "area": WeightedDraws(zipf_weights(len(_postcodes()), 0.8)),
        "given": WeightedDraws(zipf_weights(len(GIVEN[0]), 0.5)),
        "family": WeightedDraws(zipf_weights(len(FAMILY), 0.5)),
    }


@lru_cache(maxsize=1)
def _postcodes() -> tuple[str, ...]:
    """Two hundred postcodes; neighbouring ones share their first digits."""
    return tuple(f"{10 + region}{district:01d}{street:02d}" for street in range(1, 24, 3)
                 for district in range(0, 9, 2) for region in range(0, 9, 2))  # fmt: skip


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    return tuple(f"{given} {family}" for sex in GIVEN for given in sex for family in FAMILY)


def _chunk(random: np.random.Generator, first: int) -> dict[str, Any]:
    """One chunk of stays from number `first` on; each column is drawn after the columns it depends on."""
    tables = _draw_tables()
    draw = random.random((9, CHUNK))
    age = tables["age"].draw(draw[0])
    sex = (draw[1] > np.interp(np.arange(100), [0, 70, 99], [0.49, 0.51, 0.7])[age]).astype(np.int16)
    illness = tables["illness"].draw(draw[2], sex * np.int16(20) + age // 5)
    mean = np.array([weights[2] for weights in ILLNESSES.values()])
    winter = np.array([weights[3] for weights in ILLNESSES.values()], dtype=np.int8)
    days = np.minimum(1 - np.log1p(-draw[3]) * mean[illness] * (0.7 + age / 120), 120).astype(np.int32)
    admitted = _FIRST_DAY + tables["day"].draw(draw[4], winter[illness]).astype("timedelta64[D]")
    stage = np.where(age < 22, 0, np.where(age < 66, 1, 2))
    given = tables["given"].draw(draw[7]) + sex * np.int16(len(GIVEN[0]))
    name = given.astype(np.int32) * len(FAMILY) + tables["family"].draw(draw[8])
    return {
        "patient_number": _numbers(first),
        "name": texts(_names(), name),
        "sex": texts(SEXES, sex),
        "age": age.astype(np.int32),
        "postcode": texts(_postcodes(), tables["area"].draw(draw[5])),
        "admitted": admitted,
        "diagnosis": texts(tuple(ILLNESSES), illness),
        "days": days,
        "insurer": texts(INSURERS, tables["insurer"].draw(draw[6], stage)),
    }


def _numbers(first: int) -> NDArray[np.int64]:
    """A unique number for every stay, which does not reveal its position."""
    return (np.arange(first, first + CHUNK, dtype=np.int64) * _STRIDE + 12_345_678) % _NUMBERS
