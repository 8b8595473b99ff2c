"""The nine patients in the buckets of the paper."""

from __future__ import annotations

import numpy as np

from sfumato.attacks.targets import Targets
from sfumato.datasets.nine_patients import BUCKETS, ROWS, nine_patients
from sfumato.knowledge.knowledge import Knowledge

KNOWN = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]})


def in_buckets(buckets=BUCKETS) -> Targets:
    """Every patient in a bucket given by the paper's number of the patient; zip codes are all different."""
    table = nine_patients()
    zips = [table.domains["Zip"].texts[code] for code in table.codes["Zip"]]
    group = np.array([buckets[ROWS["Zip"].index(text)] - 1 for text in zips], dtype=np.int32)
    return Targets(table, "Disease", group)
