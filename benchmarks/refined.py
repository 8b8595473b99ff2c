"""What the refinement benchmarks measure, called as a user would call it; runs in measuring processes only."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

from benchmarks.blow_up import ATTRIBUTES, NUMBERS, TARGET, arrow_texts, coded_table
from benchmarks.measure import repeated, timed

FIVE = {
    "one": ["fnlwgt", "sex", "race", "capital-loss", "native-country"],
    "two": ["age", "education", "sex", "occupation", "hours-per-week"],
    "three": ["workclass", "education-num", "marital-status", "race", "capital-gain"],
    "four": ["relationship", "age", "workclass", "native-country", "sex"],
    "five": ["occupation", "marital-status", "hours-per-week", "capital-loss", "education"],
}
"""Five quasi-identifiers of five attributes each, of which one lets final weights be cut thousands of times."""


def refine(
    *, records: int, k: int = 50, several: bool = False, taxonomies: bool = True, repeat: int = 3
) -> dict[str, Any]:
    """Top-down refinement of coded columns, all attributes as one quasi-identifier or five at once."""
    from sfumato.algorithms import TopDownRefinement
    from sfumato.models import KAnonymity

    table = coded_table(records, quasi_identifiers=FIVE if several else None)
    model: Any = KAnonymity(k=k, quasi="one") if several else KAnonymity(k=k)
    for name in list(FIVE)[1:] if several else ():
        model = model & KAnonymity(k=k, quasi=name)
    algorithm = TopDownRefinement(taxonomies=taxonomies)
    algorithm.prepare()
    with peak_memory() as memory:
        steps = algorithm.refined(table, model).steps
    lap = repeated(lambda: algorithm.refined(table, model), repeat)
    return {"wall": lap.wall, "cpu": lap.cpu, "steps": len(steps), "memory": memory.megabytes}


def specialize(*, records: int, l: int = 4, k: int = 20, repeat: int = 3) -> dict[str, Any]:
    """High-dimensional top-down specialization of coded columns under LKC-privacy with C = 100 %."""
    from sfumato.algorithms import Hdtds
    from sfumato.models import LkcPrivacy

    table, model = coded_table(records, sensitive="marital-status"), LkcPrivacy(l=l, k=k)
    Hdtds().refined(coded_table(2_000, sensitive="marital-status"), model)
    lap = repeated(lambda: Hdtds().refined(table, model), repeat)
    with timed() as whole:
        release = Hdtds().anonymize(table, model)
    return {"wall": lap.wall, "cpu": lap.cpu, "judged": whole.wall, "groups": len(release.groups)}


def from_texts(*, records: int, k: int = 50, repeat: int = 3) -> dict[str, Any]:
    """From an Arrow table of texts to one of masked texts, judged."""
    from sfumato.algorithms import TopDownRefinement
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table
    from sfumato.datasets.adult_trees import adult_trees
    from sfumato.models import KAnonymity

    frame = arrow_texts(records)
    kinds = dict.fromkeys(NUMBERS, "number")
    schema = Schema.of(quasi=ATTRIBUTES, target=[TARGET], taxonomies=adult_trees(), kinds=kinds)
    algorithm = TopDownRefinement()

    def masked() -> Any:
        return algorithm.anonymize(Table.from_frame(frame, schema), KAnonymity(k=k)).frame()

    masked()
    lap = repeated(masked, repeat)
    return {"wall": lap.wall, "cpu": lap.cpu}


def evolve(*, path: str, k: int = 10, objective: str = "lm") -> dict[str, Any]:
    """A full genetic search on the Adult training records."""
    from benchmarks.subject import schema
    from sfumato.algorithms import Genetic
    from sfumato.data.table import Table
    from sfumato.metrics import Ncp
    from sfumato.models import KAnonymity

    table = Table.read(path, schema())
    with timed() as lap:
        release = Genetic(objective=objective).anonymize(table, KAnonymity(k=k), suppression=0.02)
    return {"wall": lap.wall, "cpu": lap.cpu, "ncp": Ncp().measure(release)}


class peak_memory:  # noqa: N801  # used like a function
    """How far resident memory rose above where it was; known on Linux, elsewhere nothing."""

    megabytes: float | None = None

    def __enter__(self) -> peak_memory:
        if sys.platform == "linux":  # what was freed but is kept for later would hide what is needed now
            ctypes.CDLL("libc.so.6").malloc_trim(0)
        self._before = _status("VmRSS")
        if self._before is not None:
            Path("/proc/self/clear_refs").write_text("5")
        return self

    def __exit__(self, *_: object) -> None:
        after = _status("VmHWM")
        if after is not None and self._before is not None:
            self.megabytes = (after - self._before) / 1000


def _status(name: str) -> float | None:
    path = Path("/proc/self/status")
    if not path.is_file():
        return None
    line = next(line for line in path.read_text().splitlines() if line.startswith(name))
    return float(line.split()[1]) * 1.024
