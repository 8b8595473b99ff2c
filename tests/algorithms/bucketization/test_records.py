"""Records: sensitive values and excluded sets, as read from a table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.algorithms.bucketization.records import Records
from sfumato.datasets import nine_patients
from sfumato.errors import UsageError
from sfumato.knowledge.item import Item
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.rule import Rule
from sfumato.models import DistinctLDiversity, MatchingLDiversity
from tests.algorithms.bucketization.some_records import small_records
from tests.oracles.bucketing_oracle import can_have

MEN = Knowledge("Disease", (Rule((Item("Sex", "M"),), "Ovarian Cancer"),))
WOMEN = Knowledge("Disease", (Rule((Item("Sex", "F"),), "Prostate Cancer"), Rule((Item("Sex", "F"),), "Flu")))


def told(model):
    """For every patient the secret and what is ruled out, as texts."""
    table = model.with_derived_columns(nine_patients())
    records = Records.of(table, np.repeat(np.arange(len(table)), table.counts), model)
    texts = table.domain("Disease").texts
    sexes = table.domain("Sex").texts
    return [
        (sexes[quasi[2]], texts[value], {texts[code] for code in np.flatnonzero(records.ruled_out[exclusion])})
        for quasi, value, exclusion in zip(records.quasi, records.value, records.exclusion, strict=True)
    ]


def test_every_record_has_its_secret_and_what_is_ruled_out_for_it() -> None:
    found = told(MatchingLDiversity(l=2, knowledge=MEN))
    assert len(found) == 9
    assert all(ruled_out == ({"Ovarian Cancer"} if sex == "M" else set()) for sex, _, ruled_out in found)


def test_two_models_rule_out_what_either_does() -> None:
    both = MatchingLDiversity(l=2, knowledge=MEN) & MatchingLDiversity(l=2, knowledge=WOMEN)
    for sex, _, ruled_out in told(both):
        assert ruled_out == ({"Ovarian Cancer"} if sex == "M" else {"Prostate Cancer", "Flu"})


def test_without_knowledge_nothing_is_ruled_out() -> None:
    table = nine_patients()
    records = Records.of(table, np.arange(9), DistinctLDiversity(l=2))
    assert len(records) == 9
    assert not records.ruled_out.any()
    assert records.ordered == (False, True, False)
    assert records.sizes == tuple(len(table.domains[name]) for name in table.schema.quasi)


def test_a_table_that_is_not_prepared_is_refused() -> None:
    model = MatchingLDiversity(l=2, knowledge=MEN)
    name = model.sensitive_columns(nine_patients().schema)[1]
    table = nine_patients()
    odd = table.with_column(name, table.codes["Sex"], table.domain("Sex"))
    with pytest.raises(UsageError, match="prepare the table"):
        Records.of(odd, np.arange(9), model)


@given(small_records(most=9, own_value=False))
def test_own_value_ruled_out_is_looked_up_record_by_record(records):
    expected = [not can_have(records, record, records.value[record]) for record in range(len(records))]
    assert records.own_value_ruled_out.tolist() == expected
