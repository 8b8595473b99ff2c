"""Writes a report as JSON for programs; the keys are always in the same order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

from sfumato.report.report import Report

FORMAT = "sfumato report 1"


def draw_json(report: Report) -> str:
    """The report as one JSON document; NaN and infinity become null."""
    attacks = [_plain(result.to_dict()) for result in report.attacks]
    plain = {"format": FORMAT, "holds": report.holds, **_plain(report), "attacks": attacks}
    return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    """A value as dictionaries, lists, texts and numbers."""
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, (str, int, bool)) or value is None else str(value)
