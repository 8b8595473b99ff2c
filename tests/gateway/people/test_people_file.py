from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.people.people import People
from sfumato.gateway.people.people_file import PeopleFile


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


def test_what_is_remembered_is_looked_up_again_only_where_a_token_is_unknown(tmp_path: Path) -> None:
    people, path = People(), tmp_path / "users.toml"
    token = people.add("olga", ["owner"])
    known = PeopleFile(people.write(path))
    other = people.add("mia")
    people.remove("olga")
    people.write(path)
    assert known.by_token_cached(token).name == "olga"
    assert known.by_token_cached(other).name == "mia"  # the file is read again for her
    assert known.by_token_cached(token) is None
    assert people.by_token_cached(other) == people.by_token(other)


def test_a_file_that_cannot_be_read_is_a_problem_until_it_can(tmp_path: Path) -> None:
    people, path = People(), tmp_path / "users.toml"
    known = PeopleFile(people.write(path))
    assert known.problem == people.problem == ""
    path.write_text("people = 7", encoding="utf-8")
    assert known.problem == "the file of users on disk cannot be read"
    path.unlink()
    assert known.problem
    people.write(path)
    assert known.problem == ""


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


def test_a_token_expires_without_a_change_of_the_file(tmp_path: Path) -> None:
    now = [datetime(2026, 11, 16, 23, 59, tzinfo=UTC)]
    people = People(clock=lambda: now[0])
    token = people.add("olga", expires=date(2026, 11, 16))
    known = PeopleFile(people.write(tmp_path / "users.toml"), clock=lambda: now[0])
    assert known.by_token(token).name == "olga"
    now[0] = datetime(2026, 11, 17, tzinfo=UTC)
    assert known.by_token(token) is None
