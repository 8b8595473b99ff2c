"""The nine patients of Li and Li (2008) in the groups of their table II, and what everybody knows about men."""

from __future__ import annotations

import numpy as np

from sfumato.data.table import Table
from sfumato.datasets.nine_patients import BUCKETS, ROWS
from sfumato.disclosure.groups import Groups
from sfumato.knowledge import Item, Knowledge, Rule

NO_MAN = Knowledge("Disease", (Rule((Item("Sex", "M"),), "Ovarian Cancer"),))


def patient_of(table: Table) -> np.ndarray:
    """Which patient, from 0, each row of a table is; no two have the same age."""
    ages = [table.domain("Age").texts[code] for code in table.codes["Age"]]
    return np.array([ROWS["Age"].index(age or "") for age in ages])


def anatomy_groups(table: Table) -> Groups:
    """Patients 1 to 3, 4 to 6 and 7 to 9."""
    return Groups.of_labels(table, (np.array(BUCKETS)[patient_of(table)] - 1).astype(np.int32))
