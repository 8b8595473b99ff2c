from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.table import Table
from sfumato.datasets import hospital, nine_patients
from sfumato.errors import KnowledgeError
from sfumato.knowledge import Item, Knowledge, Miner, Rule
from tests.strategies import small_tables

MEN = Rule((Item("Sex", "M"),), "Ovarian Cancer")
WOMEN = Rule((Item("Sex", "F"),), "Prostate Cancer")


def test_who_cannot_have_what() -> None:
    table = nine_patients()
    known = Knowledge("Disease", (MEN, WOMEN, Rule((), "Plague")))
    out, domain = known.ruled_out(table), table.domain("Disease")
    sex = table.domain("Sex")
    for row, code in enumerate(table.codes["Sex"].tolist()):
        expected = "Ovarian Cancer" if sex.texts[code] == "M" else "Prostate Cancer"
        assert [domain.texts[value] for value in np.flatnonzero(out[row])] == [expected]
    sets, which = known.exclusions(table, "out")
    assert np.array_equal(sets.ruled_out[which], out)


@settings(deadline=None)
@given(small_tables(max_sensitive=1), st.integers(1, 3))
def test_what_is_ruled_out_rule_by_rule(table: Table, items: int) -> None:
    known = Miner(min_expectation=0.3, max_items=items, min_confidence=0.6).mine(table)
    expected = np.zeros((len(table), len(table.domain("s0"))), dtype=bool)
    for rule in known.never:
        expected[known.rows_where(table, rule.when), table.domain("s0").code_of(rule.value)] = True
    assert np.array_equal(known.ruled_out(table), expected)


def test_joined() -> None:
    one, two = Knowledge("Disease", (MEN,)), Knowledge("Disease", (MEN, WOMEN), shares=(Rule((), "Flu", 0.3),))
    joined = one | two
    assert (joined.never, len(joined)) == ((MEN, WOMEN), 3)
    with pytest.raises(KnowledgeError, match="cannot be joined"):
        _ = one | Knowledge("Salary")


def test_it_fits_a_table_or_is_refused() -> None:
    with pytest.raises(KnowledgeError, match="did you mean 'Disease'"):
        Knowledge("Diseases").ruled_out(hospital())
    with pytest.raises(KnowledgeError, match="'Sexes', which is not a quasi column; did you mean 'Sex'"):
        Knowledge("Disease", (Rule((Item("Sexes", "Male"),), "Flu"),)).ruled_out(hospital())


def test_digests_tell_rules_apart_and_survive_a_file(tmp_path: Path) -> None:
    mined = Miner(min_expectation=0.5, positive=True, statistics=True, max_items=2).mine(nine_patients())
    assert len(mined.never) * len(mined.likely) * len(mined.shares) > 0
    again = Knowledge.read(mined.write(tmp_path / "rules.toml"))
    assert (again, again.digest) == (mined, mined.digest)
    assert Knowledge.of(mined.to_dict()) == mined
    assert mined.digest != (mined | Knowledge("Disease", (WOMEN,))).digest


def test_rules_about_nobody_or_about_no_value_here_are_idle():
    rules = (
        Rule((Item("Sex", "M"),), "Ovarian Cancer"),
        Rule((Item("Sex", "male"),), "Ovarian Cancer"),
        Rule((Item("Sex", "M"),), "Overian Cancer"),
        Rule((), "Flu"),
    )
    found = Knowledge("Disease", rules).idle(nine_patients())
    assert found == rules[1:3]
