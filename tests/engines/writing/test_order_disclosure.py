"""Columns that tell the order of the input are found, and columns in random order are not taken for such."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import exp
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sfumato.datasets.adult import adult_file
from sfumato.engines.writing import order_disclosure
from sfumato.engines.writing.order_disclosure import CHANCE, RecoveredOrder, is_comparable, recovered_order
from tests.examples import TIMES

N = 400


def found(values: object, kind: pa.DataType | None = None) -> RecoveredOrder | None:
    return recovered_order(pa.chunked_array([pa.array(values, kind, from_pandas=True)]))


def swapped() -> list[int]:
    values = list(range(N))
    values[7], values[300] = values[300], values[7]
    return values


def marks(seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(100, 1000, N).tolist()


GIVEN = np.random.default_rng(7).choice(["Ann", "Bob", "Eve", "Zoe"], N).tolist()


def surname(place: int) -> str:
    """Letters that sort as the places do."""
    return chr(65 + place // 26) + chr(97 + place % 26)


TELLING = {
    "rising": list(range(N)),
    "falling": list(range(N, 0, -1)),
    "one swapped pair": swapped(),
    "two files": [*range(150), *range(N - 150)],
    "seven files": [place % (N // 7) for place in range(N)],
    "two files, one falling": [*range(N // 2), *range(N // 2, 0, -1)],
    "with ties": [place // 10 for place in range(N)],
    "two values": ["f"] * 250 + ["m"] * 150,
    "one other value in between": ["f"] * 200 + ["m", "f"] + ["m"] * 198,
    "with missing values": [None if place % 3 == 0 else place for place in range(N)],
    "numbered texts": [f"P{place}" for place in range(N)],
    "numbered texts with gaps": ["unknown" if place % 5 == 0 else f"{place}/a" for place in range(N)],
    "a number between others": [
        f"{a}-{place:05}-{b}" for place, a, b in zip(range(N), marks(1), marks(2), strict=True)
    ],
    "a number of any width": [f"{a}/{place}/{b}" for place, a, b in zip(range(N), marks(1), marks(2), strict=True)],
    "the eighth of ten numbers": [
        " ".join(map(str, [*np.roll(marks(3), place)[:7], place, *np.roll(marks(4), place)[:2]])) for place in range(N)
    ],
    "the last of many numbers": [
        " ".join(map(str, [*np.roll(marks(3), place)[: 9 + place % 5], place])) for place in range(N)
    ],
    "numbers of many digits": [
        f"{a}-{10**20 + place}-{b}" for place, a, b in zip(range(N), marks(1), marks(2), strict=True)
    ],
    "bytes": [f"{a}-{place}-{b}".encode() for place, a, b in zip(range(N), marks(1), marks(2), strict=True)],
    "written numbers with gaps": ["n/a" if place % 5 == 0 else f"{place},5" for place in range(N)],
    "nearly by day": [pd.Timestamp("2020-01-01") + pd.Timedelta(days=place + place * 7 % 30) for place in range(N)],
    "noisy": (np.arange(N) + np.random.default_rng(1).normal(0, N / 6, N)).tolist(),
    "of many": [*range(40_000), *range(60_000)],
    "surnames": [f"{given} {surname(place)}" for place, given in enumerate(GIVEN)],
    "surnames of several words": [f"{given} de {surname(place // 3)} " for place, given in enumerate(GIVEN)],
    "some without a given name": [f"{given} {surname(place)}".strip() for place, given in enumerate(["", *GIVEN[1:]])],
    "categories": pd.Categorical([f"c{place // 8:02}" for place in range(N)]),
}


@pytest.mark.parametrize("values", TELLING.values(), ids=TELLING)
def test_a_column_that_tells_the_order_is_found(values: object) -> None:
    telling = found(values)
    assert telling is not None
    assert 0.75 <= telling.share <= 1


def test_what_is_no_number_is_missing() -> None:
    numbers = np.where(np.arange(40) % 3, np.arange(40), np.nan)
    assert recovered_order(pa.chunked_array([pa.array(numbers)])) == RecoveredOrder(1.0, 1)


def test_how_much_is_recovered() -> None:
    """By hand: one neighbouring pair of 12 records is swapped, so 65 of 66 pairs are right."""
    assert found([0, 1, 2, 3, 5, 4, 6, 7, 8, 9, 10, 11]) == RecoveredOrder((1 + 64 / 66) / 2, 1)
    assert found([*range(40), *range(40)]) == RecoveredOrder(1.0, 4)


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.float16(),
        pa.float32(),
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.decimal128(21, 2),
        pa.date32(),
        pa.binary(),
    ],
    ids=str,
)
def test_every_kind_of_value_that_can_be_compared(kind: pa.DataType) -> None:
    numbers = pa.array(range(20, 60))
    if kind in (pa.binary(), pa.date32(), pa.string_view()):
        numbers = numbers.cast(pa.int32() if kind == pa.date32() else pa.string())
    values = numbers.cast(kind)
    assert recovered_order(pa.chunked_array([values])) == RecoveredOrder(1.0, 1)


def test_columns_without_values_have_no_order() -> None:
    assert recovered_order(pa.chunked_array([pa.nulls(40)])) is None
    assert recovered_order(pa.chunked_array([], pa.int64())) is None
    assert recovered_order(pa.chunked_array([], pa.string())) is None


NESTED = [
    pa.struct([("a", pa.int64())]),
    pa.list_(pa.int64()),
    pa.list_(pa.int64(), 2),
    pa.map_(pa.string(), pa.int64()),
    pa.sparse_union([pa.field("a", pa.int64())]),
    pa.dictionary(pa.int32(), pa.list_(pa.int64())),
]


PLAIN = [
    pa.null(),
    pa.bool_(),
    pa.float16(),
    pa.binary(4),
    pa.binary_view(),
    pa.duration("s"),
    pa.time64("us"),
    pa.timestamp("us", "UTC"),
    pa.month_day_nano_interval(),
    pa.dictionary(pa.int8(), pa.string()),
]


@pytest.mark.parametrize("kind", NESTED, ids=str)
def test_nested_values_cannot_be_compared(kind: pa.DataType) -> None:
    assert not is_comparable(kind)


@pytest.mark.parametrize("kind", PLAIN, ids=str)
def test_plain_values_can_be_compared(kind: pa.DataType) -> None:
    assert is_comparable(kind)
    assert recovered_order(pa.chunked_array([], kind)) is None


def test_intervals_are_compared_by_their_length() -> None:
    """DuckDB gives the durations of a frame as such intervals."""
    lengths = [pa.MonthDayNano([0, place // 10, place % 10]) for place in range(40)]
    assert found(lengths, pa.month_day_nano_interval()) == RecoveredOrder(1.0, 1)


def test_few_records_may_be_sorted_by_chance() -> None:
    """Two of 7! = 5040 orders are sorted, more than one in 10,000; two of 8! = 40,320 are fewer."""
    assert not any(order_disclosure._within([np.array(order)]) for order in permutations(range(7)))
    assert found(range(7)) is None
    assert found(range(8)) == found(range(8, 0, -1)) == RecoveredOrder(1.0, 1)
    assert found([1, 0, *range(2, 8)]) is None


def test_the_numbers_in_a_text_share_one_chance() -> None:
    """By hand: of three numbers in a text, each has 1/30,000; two of 8! orders are more than that, two of 9! fewer."""
    mixed = [4, 1, 8, 0, 5, 7, 2, 6, 3]
    texts = [f"{100 - a}-{place:03}-{a * a}" for place, a in enumerate(mixed)]
    assert found(texts[:8]) is None
    assert found(texts) == RecoveredOrder(1.0, 1)
    assert found([f"{a:03}{'x' * (a % 2)}-{place}" for place, a in enumerate(mixed)]) == RecoveredOrder(1.0, 1)


@pytest.mark.parametrize("text", ["{}", "P{}", "{}-{}", "{}-{}-{}", "{} {} {} {} {} {} {} {} {} {} {}", "x", "x y", ""])
def test_texts_have_three_chances_whatever_numbers_are_in_them(text: str) -> None:
    numbers = np.random.default_rng(0).integers(0, 1000, (40, 11))
    texts = pa.array([text.format(*line) for line in numbers])
    assert sum(chance for _, chance in order_disclosure._readings(texts)) == pytest.approx(3 * CHANCE)


def test_repeated_waves_are_no_order_of_the_whole() -> None:
    """The first visits of everybody, and the second ones, are all over the file."""
    assert found([visit for _ in range(200) for visit in range(20)]) is None
    assert found([visit for _ in range(5_000) for visit in range(20)]) is None


def test_the_moments_are_those_of_all_orders() -> None:
    """Against every order of five values of which two tie, one by one."""
    values = (0, 1, 1, 2, 3)
    rising, falling = order_disclosure._rising_and_falling(np.array(list(permutations(values))))
    half = (rising - falling) / 2
    moments = order_disclosure._log_moments()
    for slope in (0, 40, 60):
        plain = np.mean([exp(order_disclosure._SLOPES[slope] * one) for one in half])
        assert exp(moments[slope, 5] - moments[slope, 2]) == pytest.approx(plain, rel=1e-9)


def test_pairs_are_counted_as_one_by_one() -> None:
    parts = np.random.default_rng(0).integers(0, 5, (7, 12))
    rising, falling = order_disclosure._rising_and_falling(parts)
    for part, up, down in zip(parts.tolist(), rising, falling, strict=True):
        pairs = list(combinations(part, 2))
        assert (up, down) == (sum(a < b for a, b in pairs), sum(a > b for a, b in pairs))


def test_a_column_with_many_numbers_is_compared_in_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release may have hundreds of such columns: texts, last words and nine numbers, of at most 600 records each."""
    compared, count = [], order_disclosure._rising_and_falling
    monkeypatch.setattr(
        order_disclosure,
        "_rising_and_falling",
        lambda parts: compared.append(parts.size * parts.shape[1]) or count(parts),
    )
    numbers = np.random.default_rng(0).integers(0, 1000, (100_000, 9))
    assert found([" ".join(map(str, line)) for line in numbers.tolist()]) is None
    assert 11 * 600**2 < sum(compared) < 11 * 600**2 * 1.4


@pytest.mark.parametrize("records", [8, 12, 20, 40, 100, 1000])
def test_random_columns_are_refused_as_rarely_as_promised(records: int) -> None:
    """For every way to divide a column, with and without ties; the expected number is the bound itself."""
    random, draws, refused = np.random.default_rng(records), 10_000 * TIMES // records, Counter()
    for _ in range(draws):
        for values in (random.permutation(records), random.integers(0, 3, records), random.integers(0, 9, records)):
            refused[recovered_order(pa.chunked_array([values])) is not None] += 1
    assert refused[True] <= 3 * draws * CHANCE * len(order_disclosure._PARTS) + 1


@pytest.mark.parametrize("records", [8, 9, 12, 20, 40])
def test_random_texts_are_refused_as_rarely_as_promised(records: int) -> None:
    random, draws, refused = np.random.default_rng(records), 3_000 * TIMES // records, Counter()
    for _ in range(draws):
        numbers = random.integers(0, 1000, (records, 4))
        texts = [" ".join(map(str, line[: random.integers(1, 5)])) for line in numbers]
        refused[recovered_order(pa.chunked_array([texts])) is not None] += 1
    assert refused[True] <= 3 * draws * CHANCE * len(order_disclosure._PARTS) + 1


def test_adult_is_published_in_no_order(data_folder: Path) -> None:
    adult = pd.read_csv(adult_file(data_folder, "all"))
    assert len(adult.columns) >= 9
    assert {name for name in adult.columns if found(adult[name]) is not None} == set()
