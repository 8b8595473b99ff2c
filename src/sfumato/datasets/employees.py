"""Employees: synthetic records with correlated numbers. The checks of masks use them."""

from __future__ import annotations

from typing import Any

import numpy as np

_JOBS = ("clerk", "cook", "driver", "nurse", "teacher")
_TOWNS = ("Ashford", "Brook", "Carden")


def employees(n: int = 60, seed: int = 0) -> Any:
    """An Arrow table of n employees: age, years of service, pay, job, town, and the same country for all.

    Older employees tend to have served longer and to earn more. The pay and the job are missing in about one of ten
    records each.

    >>> employees(3).column_names
    ['age', 'years', 'pay', 'job', 'town', 'country']
    """
    import pyarrow as pa

    random = np.random.default_rng(seed)
    age = random.integers(18, 66, n)
    years = np.floor((age - 17) * random.random(n)).astype(np.int64)
    pay = np.round(1200 + 30 * age + 40 * years + random.gamma(2.0, 300.0, n), 2)
    job, town = (random.integers(len(names), size=n) for names in (_JOBS, _TOWNS))
    no_pay, no_job = random.random((2, n)) < 0.1
    return pa.table(
        {
            "age": age,
            "years": years,
            "pay": pa.array(pay, mask=no_pay),
            "job": pa.array([_JOBS[place] for place in job], mask=no_job),
            "town": pa.array([_TOWNS[place] for place in town]),
            "country": pa.array(["Sfumatia"] * n),
        }
    )
