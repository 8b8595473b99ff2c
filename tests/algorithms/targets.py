"""Small tables with something to predict, and the groups an algorithm makes of them; shared by several tests."""

import numpy as np
from hypothesis import strategies as st

from sfumato.data.kinds import Kind
from sfumato.data.schema import Column, Role, Schema
from sfumato.data.table import Table
from sfumato.models import DistinctLDiversity, KAnonymity
from tests.oracles.models_oracle import records_of
from tests.strategies import NUMBERS, small_tables

CLASSES = ("yes", "no", None, "perhaps")


@st.composite
def targeted_tables(draw, *, numeric=False, max_rows=10):
    """A small table with one or two targets t0, t1; numbers that are never missing where `numeric`."""
    plain = draw(small_tables(max_rows=max_rows, max_repeats=3, max_sensitive=1))
    cells = {name: [record[name] for record in records_of(plain)] for name in plain.codes}
    columns = list(plain.schema.columns)
    for name in ("t0", "t1")[: draw(st.integers(1, 2))]:
        values = (NUMBERS if numeric else CLASSES)[: draw(st.integers(1, 4))]
        cells[name] = draw(st.lists(st.sampled_from(values), min_size=plain.records, max_size=plain.records))
        columns.append(Column(name=name, role=Role.TARGET, kind=Kind.NUMBER if numeric else Kind.TEXT))
    return Table.of_rows(Schema(tuple(columns)), cells)


def models():
    """k-anonymity, alone or with a sensitive column to judge."""
    size = st.builds(KAnonymity, k=st.integers(1, 4))
    return st.one_of(
        size, st.builds(lambda k, l: KAnonymity(k=k) & DistinctLDiversity(l=l), st.integers(1, 3), st.just(2))
    )


def groups_of(algorithm, table, model):
    """The groups as sets of table rows."""
    found = {}
    for row, group in enumerate(algorithm._choose_groups(table, model, np.random.default_rng(0)).group.tolist()):
        found.setdefault(group, []).append(row)
    return {tuple(rows) for rows in found.values()}
