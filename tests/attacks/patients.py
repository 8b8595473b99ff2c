"""The nine patients in the buckets of the paper, and any table in any buckets."""

from __future__ import annotations

import numpy as np

from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.datasets.nine_patients import BUCKETS, ROWS, nine_patients
from sfumato.disclosure.linkage import Linkage
from sfumato.knowledge.knowledge import Knowledge
from sfumato.operations.bucketize import bucketize
from sfumato.releases.table_candidate import TableCandidate

KNOWN = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]})


def in_buckets(buckets=BUCKETS) -> TableCandidate:
    """Every patient in a bucket given by the paper's number of the patient; zip codes are all different."""
    table = nine_patients()
    zips = [table.domains["Zip"].texts[code] for code in table.codes["Zip"]]
    return bucketized(table, [buckets[ROWS["Zip"].index(text)] - 1 for text in zips])


def bucketized(table: Table, group) -> TableCandidate:
    """Every row of a table in the bucket of its number."""
    linkage = Linkage.hiding(table.schema.sensitive, table.schema.quasi, table.codes)
    partition = Partition.of_labels(np.asarray(group, dtype=np.int32))
    return bucketize(table, partition, linkage, separate_table=True, random=np.random.default_rng(0))
