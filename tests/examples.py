"""How many examples random tests try: some in every run, many more in `make test-thorough`.

`@examples(60)` draws 60 examples by Hypothesis, a bare `@given` draws 40, and `@seeds(12)` gives a test the seeds from
0 to 11. With the environment variable `SFUMATO_THOROUGH=20` all are 20 times as many.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings

TIMES = int(os.environ.get("SFUMATO_THOROUGH", "1"))
USUAL = 40
"""How many examples a test draws that does not say how many."""


def examples(number: int, **more: Any) -> settings:
    """Settings of Hypothesis for so many examples."""
    return settings(max_examples=number * TIMES, **more)


def seeds(number: int) -> pytest.MarkDecorator:
    """A test with an argument `seed`, once for every seed."""
    return pytest.mark.parametrize("seed", range(number * TIMES))
