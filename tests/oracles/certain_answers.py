"""When a row of an answer is true: it may be a row of the truth, whatever is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.values import Range, WeakerText


def covers(outputs: Sequence[Output], flat: Sequence[Any], row: Sequence[Any]) -> bool:
    """Whether a row of an answer may be this row of the truth; what is hidden may be anything."""
    place = 0
    for output, true in zip(outputs, row, strict=True):
        parts = flat[place : place + len(output.names)]
        place += len(parts)
        if not _may_be(output, parts, true):
            return False
    return True


def _may_be(output: Output, parts: Sequence[Any], true: Any) -> bool:
    if parts[0] is None:
        return true is None or output.value.hideable
    if true is None:
        return False
    if isinstance(output.value, Range):
        return parts[0] <= true <= parts[1]
    if isinstance(output.value, WeakerText):
        return true == parts[0] if parts[1] else true.startswith(parts[0])
    return true == parts[0]
