"""Conformance checks for masks.

Each check is a plain function of a mask and a frame with the employees of `sfumato.datasets`; `check_mask` runs them
all. Masks of numbers change pay and years of service, masks of categories the job, other masks both kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sfumato.checks.base import demand, demand_declared
from sfumato.datasets.employees import employees
from sfumato.engines.frames.frames import to_arrow
from sfumato.errors import DataError, SchemaError, SfumatoError, UsageError
from sfumato.masks.base import Mask

Check = Callable[[Mask, Any], None]

_COLUMNS = {"numbers": ["pay", "years"], "categories": ["job"], "any": ["years", "job"]}
_WRONG = {"numbers": "job", "categories": "pay"}


def check_mask(mask: Mask, frame: Any = None) -> None:
    """Run every check; the first violation is raised as a ConformanceError."""
    for check in CHECKS:
        check(mask, employees() if frame is None else frame)


def check_declarations(mask: Mask, frame: Any) -> None:
    """Settings and facts are declared as for all classes."""
    demand_declared(mask)


def check_records_stay_in_place(mask: Mask, frame: Any) -> None:
    """The result is the same kind of frame with the same number and order of records, index and other columns."""
    masked, columns = mask.mask(frame, _columns(mask), seed=1), _columns(mask)
    demand(type(masked) is type(frame), mask, "returns another kind of frame")
    demand(bool(np.array_equal(_index(masked), _index(frame))), mask, "changes the index")
    before, after = to_arrow(frame), to_arrow(masked)
    demand(after.column_names == before.column_names, mask, "changes the names of columns")
    demand(after.num_rows == before.num_rows, mask, "loses or adds records")
    others = [name for name in before.column_names if name not in columns]
    demand(after.select(others).equals(before.select(others)), mask, "changes columns that it was not asked to mask")


def check_input_is_left_alone(mask: Mask, frame: Any) -> None:
    """The input frame is unchanged after masking."""
    before = to_arrow(frame).to_pydict()
    mask.mask(frame, _columns(mask), seed=1)
    demand(_same(to_arrow(frame).to_pydict(), before), mask, "changes its input")


def check_chance_follows_the_seed(mask: Mask, frame: Any) -> None:
    """The same seed gives the same result; without a seed, the result of a randomized mask differs every time."""
    one, two, free, other = (_mask_columns(mask, frame, seed) for seed in (1, 1, None, None))
    demand(_same(one, two), mask, "gives two results for the same seed")
    if mask.randomized:
        demand(not _same(free, other), mask, "repeats itself without a seed")
    else:
        demand(_same(one, free), mask, "declares that it is not randomized, but its result varies")


def check_something_changes(mask: Mask, frame: Any) -> None:
    """At least one value is changed."""
    before = to_arrow(frame).select(_columns(mask)).to_pydict()
    demand(not _same(_mask_columns(mask, frame, 1), before), mask, "changes nothing")


def check_missing_stays_missing(mask: Mask, frame: Any) -> None:
    """Missing values stay missing, and no other value becomes missing."""
    masked, before = _mask_columns(mask, frame, 1), to_arrow(frame)
    for name in _columns(mask):
        missing = [_missing(value) for value in before[name].to_pylist()]
        demand([_missing(value) for value in masked[name]] == missing, mask, "fills in missing values, or loses values")


def check_refuses_what_it_cannot_mask(mask: Mask, frame: Any) -> None:
    """No column, an unknown one, one of the wrong kind and a constant one are refused, each with its type of error."""
    requests: list[tuple[list[str], type[SfumatoError]]] = [([], UsageError), (["nobody's"], SchemaError)]
    if mask.for_kind in _WRONG:
        requests.append(([_WRONG[mask.for_kind]], DataError))
    if mask.needs_spread and mask.for_kind != "numbers":
        requests.append((["country"], DataError))
    for columns, kind in requests:
        try:
            mask.mask(frame, columns, seed=1)
        except SfumatoError as error:
            demand(isinstance(error, kind), mask, f"refuses {columns} with another error than {kind.__name__}")
        else:
            demand(False, mask, f"masks {columns}, which cannot be masked")


CHECKS: tuple[Check, ...] = (
    check_declarations,
    check_records_stay_in_place,
    check_input_is_left_alone,
    check_chance_follows_the_seed,
    check_something_changes,
    check_missing_stays_missing,
    check_refuses_what_it_cannot_mask,
)


def _columns(mask: Mask) -> list[str]:
    return _COLUMNS[mask.for_kind]


def _mask_columns(mask: Mask, frame: Any, seed: int | None) -> dict[str, list[Any]]:
    masked: dict[str, list[Any]] = to_arrow(mask.mask(frame, _columns(mask), seed=seed)).to_pydict()
    return {name: masked[name] for name in _columns(mask)}


def _index(frame: Any) -> Any:
    """The index of the frame, if this kind of frame has one."""
    return getattr(frame, "index", ())


def _same(one: dict[str, list[Any]], other: dict[str, list[Any]]) -> bool:
    """Whether two tables have the same values; missing values are equal to each other."""
    pairs = [pair for name in one for pair in zip(one[name], other[name], strict=True)]
    return all(a == b or (_missing(a) and _missing(b)) for a, b in pairs)


def _missing(value: Any) -> bool:
    """Whether a value is None or NaN; only NaN differs from itself."""
    return value is None or value != value  # noqa: PLR0124  # NaN
