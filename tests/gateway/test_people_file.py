from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.people import People
from sfumato.gateway.people_file import PeopleFile


def test_what_is_written_holds_from_then_on(tmp_path: Path) -> None:
    people, path = People(), tmp_path / "users.toml"
    token = people.add("olga", ["owner"])
    known = PeopleFile(people.write(path))
    assert known.by_token(token).name == "olga"
    people.disable("olga")
    people.write(path)
    assert known.by_token(token) is None
    people.enable("olga")
    other = people.add("mia")
    people.write(path)
    assert known.by_token(token).name == "olga"
    assert known.by_token(other).roles == frozenset()
    people.remove("olga")
    people.write(path)
    assert known.by_token(token) is None


def test_nobody_is_let_in_by_a_file_that_was_right_once(tmp_path: Path) -> None:
    people, path = People(), tmp_path / "users.toml"
    token = people.add("olga", ["owner"])
    known = PeopleFile(people.write(path))
    path.write_text("people = 7", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(PolicyError, match=r"users\.toml"):
            known.by_token(token)
    path.unlink()
    with pytest.raises(DataError, match=r"users\.toml"):
        known.by_token(token)
