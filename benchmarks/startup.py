"""How long before anything happens: the help page and the bare import, against Python doing nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import command, interleaved
from benchmarks.row import Row, at_most
from benchmarks.settings import Settings

NOTHING = "python doing nothing"
LEAST_REPEATS = 10


def measure(settings: Settings) -> Iterator[Row]:
    """Whole processes, started again and again; the first round only fills the caches."""
    runs = {
        "sfumato --help": lambda: command([Path(sys.executable).with_name("sfumato"), "--help"]),
        "import sfumato": lambda: command([sys.executable, "-c", "import sfumato"]),
        NOTHING: lambda: command([sys.executable, "-c", "pass"]),
    }
    interleaved(runs, 1)
    found = interleaved(runs, max(settings.repeat, LEAST_REPEATS))
    floor = found[NOTHING].wall
    for name, bar in (("sfumato --help", 0.3), ("import sfumato", 0.25)):
        yield Row(
            question="startup",
            name=name,
            figure=found[name].wall,
            unit="s",
            ratio=found[name].wall / floor,
            against=NOTHING,
            bar=at_most(bar),
            note=f"CPU {found[name].cpu:.2f} s",
        )
