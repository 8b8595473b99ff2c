"""Top-down disclosure: the worked example, and that no other value could be shown."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from sfumato.algorithms import TopDownDisclosure
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.disclosure.groups import Groups
from sfumato.models import ConfidenceBounding, KAnonymity
from tests.examples import examples
from tests.strategies import small_tables

HIV = ConfidenceBounding(h=0.6, value="HIV")


def test_only_writers_are_shown() -> None:
    """Golden I4: book, section 5.2.3 on Table 2.2; Writer scores 0.38843 and nothing else may follow."""
    search = TopDownDisclosure(target="Disease").refined(hospital(), HIV)
    assert [step.value for step in search.steps] == ["Writer"]
    step = search.steps[0]
    assert (step.gain, step.loss, step.score) == pytest.approx((0.39953, 3 / 5 - 4 / 7, 0.38843), abs=5e-6)


def test_the_other_maximal_answer() -> None:
    """Golden I4: the maximal sets of values that may be shown are exactly {Writer} and {38}."""
    table = hospital()
    values = [(name, code) for name in table.schema.quasi for code in range(len(table.domains[name]))]
    safe = [set(chosen) for size in (1, 2) for chosen in combinations(values, size) if _kept(table, chosen)]
    named = [{table.domain(name).texts[code] for name, code in chosen} for chosen in safe]
    assert named == [{"Writer"}, {"38"}]


def _kept(table: Table, chosen) -> bool:
    codes = {
        name: np.where(np.isin(table.codes[name], [code for n, code in chosen if n == name]), table.codes[name], -1)
        for name in table.schema.quasi
    }
    rows = np.unique(np.stack(list(codes.values())), axis=1, return_inverse=True)[1]
    return bool(HIV.holds(Groups.of_labels(table, rows.astype(np.int32))).all())


@examples(40)
@given(small_tables())
def test_nothing_more_could_be_shown(table: Table) -> None:
    """With every value worth showing, any one more would break the promise."""
    k = max(1, table.records // 4)
    release = TopDownDisclosure(beneficial=False).anonymize(table, KAnonymity(k=k))
    for name, labels in release.recoding.labels.items():
        label_of = release.recoding.label_of[name]
        hidden = [code for code in range(len(table.domains[name])) if labels.texts[label_of[code]] == "*"]
        for code in hidden if len(hidden) > 1 else []:
            finer = release.candidate.published.codes[name].copy()
            finer[table.codes[name] == code] = len(labels)
            rest = [release.candidate.published.codes[other] for other in table.schema.quasi if other != name]
            groups = np.unique(np.stack([finer, *rest]), axis=1, return_inverse=True)[1].astype(np.int32)
            assert Groups.of_labels(table, groups).sizes.min() < k or not (table.codes[name] == code).any()


def test_missing_values_can_be_shown_like_any() -> None:
    schema = Schema.of(quasi=["town"], target=["class"])
    table = Table.of_rows(schema, {"town": ["a", "a", None, None], "class": ["x", "x", "y", "y"]})
    release = TopDownDisclosure(beneficial=False).anonymize(table, KAnonymity(k=2))
    assert sorted(map(str, release.recoding.labels["town"].texts)) == ["*", "None", "a"]
    assert release.groups.sizes.tolist() == [2, 2]
