"""JSON as all outputs of the library have it: sorted keys, two spaces, and no numbers that JSON cannot express."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def as_json(plain: Any) -> str:
    """JSON with sorted keys; NaN and infinity become null, because JSON cannot express them."""
    return json.dumps(_finite(plain), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(plain: Any) -> Any:
    """Plain data with None in place of NaN and infinity."""
    if isinstance(plain, Mapping):
        return {str(key): _finite(value) for key, value in plain.items()}
    if isinstance(plain, (list, tuple)):
        return [_finite(value) for value in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
