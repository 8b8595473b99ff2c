from __future__ import annotations

import hashlib
import stat
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from sfumato.errors import DeniedError, OutputError, PolicyError, UsageError
from sfumato.gateway.people.people import People, Person


@pytest.fixture
def people() -> People:
    found = People()
    found.add("ann", ["seller", "staff"], {"level": 3, "since": date(2020, 5, 1), "city": "Toowoomba"})
    found.add("bob")
    return found


def test_a_token_opens_for_its_owner_only(people: People) -> None:
    token, other = people.renew("ann"), people.renew("bob")
    found = people.by_token(token)
    assert found == Person("ann", frozenset({"seller", "staff"}), people.person("ann").attributes)
    assert people.by_token(other) == Person("bob")
    for wrong in ("", token[:-1], token + "x", token.upper(), " " + token, "x" * 100_000, "\ud800", hashed(token)):
        assert people.by_token(wrong) is None


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def test_tokens_are_random_and_long(people: People) -> None:
    tokens = {people.renew("ann") for _ in range(50)}
    assert len(tokens) == 50
    assert min(len(token.removeprefix("sfumato_")) for token in tokens) >= 43  # 256 bits, six to a letter


def test_an_old_token_opens_nothing(people: People) -> None:
    old = people.renew("ann")
    fresh = people.renew("ann")
    assert people.by_token(old) is None
    people.remove("ann")
    assert people.by_token(fresh) is None
    assert "ann" not in people
    with pytest.raises(UsageError, match="there is no person 'ann'"):
        people.person("ann")


def test_whoever_is_disabled_asks_nothing(people: People) -> None:
    token = people.renew("ann")
    people.disable("ann")
    assert people.by_token(token) is None
    assert people.disabled("ann")
    with pytest.raises(DeniedError, match="disabled"):
        people.person("ann")
    renewed = people.renew("ann")
    assert people.by_token(renewed) is None
    people.enable("ann")
    assert people.by_token(renewed) == people.person("ann")


def test_a_file_keeps_everything_but_the_token(people: People, tmp_path: Path) -> None:
    token = people.renew("ann")
    people.disable("bob")
    path = people.write(tmp_path / "users.toml")
    text = path.read_text(encoding="utf-8")
    assert token not in text
    assert token.removeprefix("sfumato_") not in text
    assert hashed(token) in text
    again = People.read(path)
    assert list(again) == ["ann", "bob"]
    assert again.by_token(token) == people.person("ann")
    assert again.person("ann").attributes == {"level": 3, "since": date(2020, 5, 1), "city": "Toowoomba"}
    assert again.disabled("bob")


def test_every_kind_of_attribute_comes_back(tmp_path: Path) -> None:
    given = {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": "é 'x' \"y\" \\",
        "e": date(2026, 1, 1),
        "f": datetime(2026, 1, 1, 7, 30),
    }
    people = People()
    people.add('a.b "c" ü', ["x y"], given)
    again = People.read(people.write(tmp_path / "users.toml")).person('a.b "c" ü')
    assert again == Person('a.b "c" ü', frozenset({"x y"}), given)
    assert [type(value) for value in again.attributes.values()] == [type(value) for value in given.values()]


def test_only_the_owner_can_read_the_file(people: People, tmp_path: Path) -> None:
    path = tmp_path / "users.toml"
    path.write_text("")
    path.chmod(0o644)
    people.write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["users.toml"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = people.write(tmp_path / "users.toml")
    before = path.read_bytes()

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    people.add("carl")
    with pytest.raises(OutputError, match="disk is full"):
        people.write(path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["users.toml"]


def test_nothing_shows_a_token_or_an_attribute(people: People) -> None:
    token = people.renew("ann")
    shown = f"{people!r} {people} {people.person('ann')!r} {people.by_token(token)!r} {people._sections!r}"
    assert token not in shown
    assert hashed(token) not in shown
    assert "Toowoomba" not in repr(people.person("ann"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("people = 3", r"\[people\] must be a table"),
        ("[users.ann]", "there is no section 'users'; did you mean 'people'|allowed: people"),
        ("[people.ann]", "needs 'token_sha256'"),
        ('[people.ann]\ntoken_sha256 = "short"', "token_sha256"),
        (f'[people.ann]\ntoken_sha256 = "{"0" * 64}"\nrole = "x"', "has no key 'role'; did you mean 'roles'"),
        (f'[people.ann]\ntoken_sha256 = "{"0" * 64}"\nroles = [3]', "text in quotes"),
        (f'[people.ann]\ntoken_sha256 = "{"0" * 64}"\nattributes = {{a = [1]}}', "attribute 'a' of 'ann' must be"),
        (f'[people.ann]\ntoken_sha256 = "{"0" * 64}"\ndisabled = "no"', "true or false"),
        (f'[people."a\\nb"]\ntoken_sha256 = "{"0" * 64}"', "printable"),
        (f'[people.a]\ntoken_sha256 = "{"0" * 64}"\n[people.b]\ntoken_sha256 = "{"0" * 64}"', "same token_sha256"),
        (
            f'[people.ann]\ntoken_sha256 = "{"0" * 64}"\nexpires = "soon"',
            r"\[people.ann\] expires must be a day or a moment",
        ),
        (
            f'[people.ann]\ntoken_sha256 = "{"0" * 64}"\naccount = ""',
            r"\[people.ann\] account must be a text that is not",
        ),
        (f'[people.ann]\ntoken_sha256 = "{"0" * 64}"\naccount = " x"', "the account of 'ann' is 1 to 200 printable"),
        ("[people.ann", "not valid TOML"),
    ],
)
def test_faulty_files_are_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "users.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=why):
        People.read(path)


def test_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="no readable file of people"):
        People.read(tmp_path / "users.toml")


def test_faulty_people_are_refused(people: People) -> None:
    with pytest.raises(UsageError, match="already"):
        people.add("ann")
    for name in ("", " x", "a\nb", "x" * 201, "\ud800"):
        with pytest.raises(UsageError, match="printable"):
            people.add(name)
    with pytest.raises(UsageError, match="a role of 'c'"):
        people.add("c", [""])
    with pytest.raises(UsageError, match="attribute 'a' of 'c' must be") as found:
        people.add("c", [], {"a": ["secret"]})
    assert "secret" not in str(found.value)
    assert list(people) == ["ann", "bob"]
    with pytest.raises(UsageError, match="did you mean 'ann'"):
        people.renew("anne")
    assert len(People()) == 0
    with pytest.raises(UsageError, match="nobody yet"):
        People().remove("ann")


def test_people_can_be_kept_in_sets(people: People) -> None:
    assert {people.person("ann"), people.person("ann")} == {people.person("ann")}


NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expires", "lasts"),
    [
        (None, True),
        (date(2026, 11, 16), True),
        (date(2026, 11, 15), False),
        (NOON + timedelta(seconds=1), True),
        (NOON, False),
        (datetime(2026, 11, 16, 12, 30), True),  # without an offset it is meant in UTC
        (datetime(2026, 11, 16, 11, 30), False),
        (datetime(2026, 11, 16, 12, 30, tzinfo=timezone(timedelta(hours=1))), False),
    ],
)
def test_a_token_that_has_expired_opens_nothing(tmp_path: Path, expires: date | None, lasts: bool) -> None:
    earlier = People(clock=lambda: NOON - timedelta(days=300))
    token = earlier.add("ann", expires=expires)
    people = People.read(earlier.write(tmp_path / "users.toml"), clock=lambda: NOON)
    assert people.expires("ann") == expires
    assert people.expired("ann") is not lasts
    assert (people.by_token(token) is not None) is lasts
    if not lasts:
        with pytest.raises(DeniedError, match="renew their token"):
            people.person("ann")


def test_a_day_is_that_of_utc() -> None:
    far = timezone(timedelta(hours=14))
    people = People(clock=lambda: datetime(2026, 11, 17, 2, tzinfo=far))  # still the 16th in UTC
    assert people.by_token(people.add("ann", expires=date(2026, 11, 16))) is not None


def test_a_renewed_token_lasts_until_the_day_that_was_said() -> None:
    now = [NOON]
    people = People(clock=lambda: now[0])
    people.add("ann", expires=date(2026, 11, 16))
    people.renew("ann")
    assert people.expires("ann") == date(2026, 11, 16)
    now[0] += timedelta(days=1)
    with pytest.raises(UsageError, match="'ann' would open nothing: 2026-11-16 is over; say when it expires"):
        people.renew("ann")
    token = people.renew_until("ann", date(2027, 1, 31))
    assert people.by_token(token) == people.person("ann")
    people.renew_until("ann", None)
    assert people.expires("ann") is None
    with pytest.raises(UsageError, match="would open nothing"):
        people.add("bob", expires=date(2026, 11, 16))
    assert "bob" not in people


def test_an_account_is_carried_along(tmp_path: Path) -> None:
    people = People()
    token = people.add("ann", account="team")
    people.add("bob")
    again = People.read(people.write(tmp_path / "users.toml"))
    assert again.by_token(token) == Person("ann", account="team")
    assert (again.account("ann"), again.account("bob"), again.person("bob").account) == ("team", None, None)
