from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.people.choices import choices_of, read_rows
from sfumato.gateway.policy.policy import Policy
from tests.gateway import kabir

POLICY = Policy.of(kabir.policy())


def test_choices_become_their_places(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("key,column,choice\n1,income,G||\n2,income,G|M|A\n2,age,\n")
    income, age = choices_of(read_rows(tmp_path / "c.csv"), POLICY, "customer")
    assert income.to_pydict() == {"id": ["1", "2"], "income.choice": [1, 2]}
    assert age.to_pydict() == {"id": ["2"], "age.choice": [0]}


def test_the_last_choice_of_somebody_holds() -> None:
    (made,) = choices_of([("1", "age", "G||"), ("1", "age", "G|M|")], POLICY, "customer")
    assert made.to_pydict() == {"id": ["1"], "age.choice": [POLICY.choices.index("G|M|") + 1]}


@pytest.mark.parametrize(
    ("row", "said"), [(("1", "id", "G||"), "nobody chooses about column 'id'"), (("1", "age", "G|"), "no choice 'G|'")]
)
def test_what_cannot_be_chosen_is_refused(row, said) -> None:
    with pytest.raises(PolicyError, match=said.replace("|", r"\|")):
        choices_of([row], POLICY, "customer")


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\xff\xfe\x00", b""])
def test_what_is_no_file_of_choices_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.csv").write_bytes(content)
    with pytest.raises(DataError, match=r"c\.csv"):
        read_rows(tmp_path / "c.csv")
