"""Representations that tell how much there is, and nothing of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from sfumato.runtime.representations import sizes_only


class Pair(NamedTuple):
    one: Any
    other: Any

    def __repr__(self) -> str:
        return sizes_only(self)


@dataclass
class Records:
    values: Any
    count: int = 3
    name: str = "canary"
    hidden: list[str] = field(default_factory=list, repr=False)

    def __repr__(self) -> str:
        return sizes_only(self)


@pytest.mark.parametrize(
    ("held", "size"),
    [
        (np.full((3, 2), 7770), " 3 x 2"),
        (np.array(7770), ""),
        (["canary"], " 1"),
        ({"canary": 1, "b": 2}, " 2"),
        (pa.table({"a": ["canary"], "b": [1]}), " 1 x 2"),
        (pa.array(["canary"] * 4), " 4"),
        ("canary", ""),
        (b"canary", ""),
        (7770, ""),
        (None, ""),
    ],
    ids=str,
)
def test_only_sizes_are_shown(held: object, size: str) -> None:
    assert repr(Pair(held, [1])) == (f"<Pair: one{size}, other 1>" if size else "<Pair: other 1>")
    assert repr(Records(held)) == (f"<Records: values{size}, hidden 0>" if size else "<Records: hidden 0>")
