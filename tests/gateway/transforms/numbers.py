"""Numbers in which a wrong step would show, for every type of number."""

from __future__ import annotations

import random
from fractions import Fraction

from sfumato.gateway.transforms.bucket import Bucket
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WholeGrid, grid_of
from sfumato.gateway.transforms.round_to import RoundTo
from sfumato.gateway.transforms.steps import decimal_text

DUCKDB = [
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    *("DECIMAL(4,1)", "DECIMAL(9,2)", "DECIMAL(18,3)", "DECIMAL(38,0)", "DECIMAL(38,10)", "FLOAT", "DOUBLE"),
]
POSTGRES = [
    *("smallint", "integer", "bigint", "real", "double precision", "numeric"),
    *("numeric(4,1)", "numeric(9,2)", "numeric(38,10)", "numeric(60,5)", "numeric(3,-2)", "numeric(2,5)"),
]
WIDTHS = [1, 7, 10, 20000, 2**31, 3 * 10**9 + 1, 10**18, 10**40, 0.1, 0.25, 0.00001]
TRANSFORMS = [
    *(Bucket(width=width) for width in WIDTHS),
    *(Bucket(width=width, start=start) for width, start in ((10, 3), (7, -1), (20000, 10**6 + 1), (0.5, 0.25))),
    *(RoundTo(step=step) for step in (1, 5, 1000, 10**9, 0.1)),
]


def numbers_for(type_name: str, column_type: ColumnType, count: int = 100) -> list[str | None]:
    """Ends of the type, limits of common steps and what is beside them, and numbers of every size, as texts."""
    draw = random.Random(type_name)
    grid = grid_of(column_type)
    if column_type.kind == "float":
        return [None, *_floats(draw, column_type.single, count)]
    if not isinstance(grid, WholeGrid):
        return [None, "NaN", "Infinity", "-Infinity", *_long(draw, count)]
    near = [base * sign + beside for base in _bases(grid, draw) for sign in (1, -1) for beside in (-1, 0, 1)]
    drawn = [draw.randint(grid.least, grid.most) for _ in range(count // 4)]
    sized = [draw.choice([1, -1]) * draw.randrange(1 + 10 ** draw.randrange(39)) for _ in range(count // 2)]
    units = [one for one in [*near, *drawn, *sized] if grid.least <= one <= grid.most]
    ends = [grid.least, grid.least + 1, grid.most, grid.most - 1]
    texts = [decimal_text(Fraction(one) * grid.unit, max(grid.scale, 0)) for one in [*ends, *units]]
    special = ["NaN"] if type_name.startswith("numeric") else []
    return [None, *special, *texts]


def _bases(grid: WholeGrid, draw: random.Random) -> list[int]:
    scale = 10 ** max(grid.scale, 0)
    return [int(Fraction(width) * scale) * draw.randrange(5) for width in WIDTHS]


def _floats(draw: random.Random, single: bool, count: int) -> list[str]:
    """Floats of 32 bits are written with so few digits that they are what is written."""
    import numpy as np

    limits = [
        draw.choice([1, -1]) * width * draw.randrange(2000) for width in (0.1, 0.25, 1, 10, 100, 7) for _ in range(8)
    ]
    beside = [float(np.nextafter(one, towards)) for one in limits for towards in (1e300, -1e300)]
    sized = [draw.gauss(0, 1) * 10.0 ** draw.randint(-40, 20) for _ in range(count)]
    edges = [
        0.0,
        -0.0,
        0.1,
        0.3,
        0.7,
        1.7e308,
        -1.7e308,
        5e-324,
        -5e-324,
        2.0**53,
        2.0**42,
        2.0**24,
        2.0**22,
        -(2.0**42),
    ]
    if single:
        numbers = [float(np.float32(one)) for one in [*limits, *beside, *sized, *edges] if abs(one) < 1e38]
        near = [
            float(np.nextafter(np.float32(one), np.float32(towards))) for one in limits for towards in (1e38, -1e38)
        ]
        written = [repr(one) for one in [*numbers, *near]]
    else:
        written = [repr(one) for one in [*limits, *beside, *sized, *edges]]
    return [*written, "NaN", "Infinity", "-Infinity"]


def _long(draw: random.Random, count: int) -> list[str]:
    sized = [f"{draw.choice(['', '-'])}{draw.randrange(10 ** draw.randrange(1, 60))}" for _ in range(count)]
    tails = [f"{one}.{draw.randrange(10**9)}" for one in sized[: count // 2]]
    zeros = ["20.0", "20.000", "20.50", "20.500000", "-0.0", "0.000", "10.0000000000000000000001", "9." + "9" * 60]
    return [*sized, *tails, *zeros, "1e99", "-1e99", "1e101", "-1e101", "1" + "0" * 5000, "-1" + "0" * 131071 + ".5"]
