from __future__ import annotations

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sfumato.plan.writing import plan_text, write_plan
from tests.plan.plans import tables

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x7f", min_codepoint=32), min_size=1, max_size=12)


def test_what_is_written_is_read_back() -> None:
    assert tomllib.loads(plan_text(tables())) == tables()


@given(NAMES, NAMES)
def test_any_column_name_survives(name: str, value: str) -> None:
    given = tables(columns={name: {"role": "quasi", "taxonomy": {"tree": value}}})
    assert tomllib.loads(plan_text(given)) == given


def test_comments_stand_above_their_section() -> None:
    text = plan_text(tables(), {(): "top\nof the file", ("columns", "age"): "why", ("models", "1"): "second"})
    assert text.startswith("# top\n# of the file\n\n[data]")
    assert "# why\n[columns.age]\n" in text
    assert '# second\n[[models]]\nname = "distinct_l_diversity"' in text
    assert tomllib.loads(text) == tables()


def test_a_plan_that_is_there_keeps_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(plan_text(tables(), {("columns", "age"): "an old comment"}))
    changed = tables(run={"seed": 8}, suppression={"limit": 0.0})
    changed["columns"]["age"]["taxonomy"] = {"width": 20}
    changed["columns"]["days"] = {"role": "plain"}
    del changed["columns"]["postcode"]
    changed["models"] = [{"name": "k_anonymity", "k": 9}]
    write_plan(changed, path)
    assert tomllib.loads(path.read_text()) == changed
    assert "# an old comment" in path.read_text()


def test_a_new_plan_is_written_whole(tmp_path: Path) -> None:
    write_plan(tables(), tmp_path / "new.toml")
    assert tomllib.loads((tmp_path / "new.toml").read_text()) == tables()
    assert [path.name for path in tmp_path.iterdir()] == ["new.toml"]
