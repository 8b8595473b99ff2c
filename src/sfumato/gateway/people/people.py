"""The people who may use the gateway: their roles, what is known of them, and how they are recognised."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, InstanceOf

from sfumato.errors import DeniedError, PolicyError, UsageError, nearest
from sfumato.gateway.policy.sections import Name
from sfumato.runtime.atomic_files import Staging
from sfumato.settings import toml_sections as sections

_TOKEN_START = "sfumato_"  # so that whoever finds a token in a file or a log knows what it opens
_LONGEST_TOKEN = 200
Moment = date | datetime
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The moment that it is now, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Person:
    """Somebody who asks: a name, roles, and attributes that conditions can look at.

    `account` is the account that they share with others who may put together what each of them learns, and `partners`
    are the names of these.

    >>> Person("russell", frozenset({"E-Marketing"}), {"experience": 12})
    Person(name='russell', roles=frozenset({'E-Marketing'}))
    """

    name: str
    roles: frozenset[str] = frozenset()
    attributes: Mapping[str, object] = field(default_factory=dict, repr=False, hash=False)
    account: str | None = field(default=None, repr=False)
    partners: frozenset[str] = field(default=frozenset(), repr=False)


class PersonSection(sections.Section):
    """`[people.NAME]`: one person; `token_sha256` is the hash of the token, never the token.

    `expires` is the last day on which the token opens anything, in UTC, or the moment from which it opens nothing; a
    moment without an offset is meant in UTC, too.
    """

    roles: list[Name] = []
    attributes: dict[Name, Any] = {}
    disabled: bool = False
    expires: InstanceOf[date] | None = None
    account: Name | None = None
    token_sha256: Annotated[str, Field(min_length=64, max_length=64, repr=False)]

    def person(self, name: str, partners: frozenset[str] = frozenset()) -> Person:
        """The person, without what recognises them."""
        return Person(name, frozenset(self.roles), dict(self.attributes), self.account, partners)

    def has_expired(self, now: datetime) -> bool:
        """Whether the token opens nothing any more."""
        if self.expires is None:
            return False
        if not isinstance(self.expires, datetime):
            return now.astimezone(UTC).date() > self.expires
        return now >= (self.expires if self.expires.tzinfo else self.expires.replace(tzinfo=UTC))


class PeopleSections(sections.Section):
    """A whole file of people."""

    people: dict[Name, PersonSection] = {}


class People:
    """Everybody who may use the gateway, kept in a TOML file.

    >>> people = People()
    >>> token = people.add("russell", ["E-Marketing"], {"experience": 12})
    >>> people.by_token(token).name
    'russell'
    >>> people
    People(1 person)
    """

    problem = ""
    """What keeps everybody from being recognised; people who are here already always are."""

    def __init__(self, known: Mapping[str, PersonSection] | None = None, *, clock: Clock = utc_now) -> None:
        self._known = dict(known or {})
        self._clock = clock
        for name, section in self._known.items():
            _demand_sense(name, section.roles, section.attributes, section.account)
        self._by_hash = {section.token_sha256: name for name, section in self._known.items()}
        self._persons: dict[str, Person] = {}
        if len(self._by_hash) < len(self._known):
            raise PolicyError("two people have the same token_sha256; renew the token of one of them.")

    @classmethod
    def read(cls, path: str | Path, *, clock: Clock = utc_now) -> People:
        """From a TOML file."""
        found = Path(path)
        given = sections.read_toml(found, called="file of people", error=PolicyError)
        described = f"file of people {found.name!r}"
        whole = sections.validate_sections(PeopleSections, given, described=described, error=PolicyError)
        try:
            return cls(whole.people, clock=clock)
        except UsageError as error:
            raise PolicyError(f"{described}: {error}") from None

    def add(
        self,
        name: str,
        roles: Iterable[str] = (),
        attributes: Mapping[str, object] | None = None,
        *,
        expires: Moment | None = None,
        account: str | None = None,
    ) -> str:
        """Somebody more; returns their token, which is shown this once and kept only as a hash."""
        given: dict[str, Any] = {"roles": sorted(set(roles)), "attributes": dict(attributes or {}), "account": account}
        _demand_sense(name, **given)
        if name in self._known:
            raise UsageError(f"there is a person {name!r} already; renew their token, or remove them first.")
        token, hashed = _made()
        self._keep(name, self._unexpired(name, PersonSection(**given, expires=expires, token_sha256=hashed)))
        return token

    def remove(self, name: str) -> None:
        """Somebody less; their token opens nothing from now on."""
        section = self._section(name)
        del self._known[name], self._by_hash[section.token_sha256]
        self._persons.clear()

    def renew(self, name: str) -> str:
        """A fresh token for somebody, until the same day; the old one opens nothing from now on."""
        return self._renew(name, self._section(name).expires)

    def renew_until(self, name: str, expires: Moment | None) -> str:
        """A fresh token until another day, or without an end; the old one opens nothing from now on."""
        return self._renew(name, expires)

    def disable(self, name: str) -> None:
        """Keep somebody, but let them ask nothing."""
        self._change(name, disabled=True)

    def enable(self, name: str) -> None:
        """Let somebody ask again."""
        self._change(name, disabled=False)

    def remembered(self, token: str) -> Person | None:
        """The same as `by_token`: there is no file that may have changed."""
        return self.by_token(token)

    def by_token(self, token: str) -> Person | None:
        """Whose token this is; None if it is nobody's, or theirs who may ask nothing."""
        if len(token) > _LONGEST_TOKEN:
            return None
        hashed = _hash(token)
        # Looking up may take longer for some hashes than for others, but nobody can aim at a hash, only at a token.
        name = self._by_hash.get(hashed)
        if name is None:
            return None
        section = self._known[name]
        same = hmac.compare_digest(section.token_sha256, hashed)
        if not same or section.disabled or (section.expires is not None and section.has_expired(self._clock())):
            return None
        return self._person(name, section)

    def person(self, name: str) -> Person:
        """Somebody by name."""
        section = self._section(name)
        if section.disabled:
            raise DeniedError(f"{name!r} is disabled; enable them first.")
        if section.has_expired(self._clock()):
            raise DeniedError(f"{name!r} was known until {section.expires} only; renew their token first.")
        return self._person(name, section)

    def roles(self, name: str) -> frozenset[str]:
        """The roles of somebody, also of somebody who is disabled."""
        return frozenset(self._section(name).roles)

    def attributes(self, name: str) -> dict[str, object]:
        """What conditions of roles can ask about somebody."""
        return dict(self._section(name).attributes)

    def disabled(self, name: str) -> bool:
        """Whether somebody may ask nothing."""
        return self._section(name).disabled

    def expires(self, name: str) -> Moment | None:
        """The last day or the moment until which the token of somebody opens anything; None if it has no end."""
        return self._section(name).expires

    def expired(self, name: str) -> bool:
        """Whether the token of somebody opens nothing any more."""
        return self._section(name).has_expired(self._clock())

    def account(self, name: str) -> str | None:
        """The account that somebody shares with others."""
        return self._section(name).account

    def write(self, path: str | Path) -> Path:
        """Into a TOML file that only its owner can read; the old file is there until the new one is complete."""
        import tomlkit

        target = Path(path)
        said = {name: {key: one for key, one in known if one is not None} for name, known in self._known.items()}
        with Staging([target]) as staging:
            place = staging.place(target)
            with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(tomlkit.dumps({"people": said}))
                file.flush()
                os.fsync(file.fileno())
            place.replace(
                target
            )  # in one step: a server that reads the file at this moment finds the old or the new one
        return target

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __repr__(self) -> str:
        return f"People({len(self)} {'person' if len(self) == 1 else 'people'})"

    def _section(self, name: str) -> PersonSection:
        if name not in self._known:
            hint = nearest(name, self._known) if self._known else "there is nobody yet."
            raise UsageError(f"there is no person {name!r}; {hint}")
        return self._known[name]

    def _renew(self, name: str, expires: Moment | None) -> str:
        token, hashed = _made()
        self._unexpired(name, self._section(name).model_copy(update={"expires": expires}))
        self._change(name, token_sha256=hashed, expires=expires)
        return token

    def _unexpired(self, name: str, section: PersonSection) -> PersonSection:
        if section.has_expired(self._clock()):
            raise UsageError(
                f"the token of {name!r} would open nothing: {section.expires} is over; say when it expires."
            )
        return section

    def _change(self, name: str, **changes: Any) -> None:
        section = self._section(name)
        del self._by_hash[section.token_sha256]
        self._keep(name, section.model_copy(update=changes))

    def _person(self, name: str, section: PersonSection) -> Person:
        """The person, made once: somebody may ask a thousand times a second."""
        found = self._persons.get(name)
        if found is None:
            found = self._persons[name] = section.person(name, self._partners(name, section.account))
        return found

    def _partners(self, name: str, account: str | None) -> frozenset[str]:
        sharing = {other for other, section in self._known.items() if section.account == account}
        return frozenset() if account is None else frozenset(sharing - {name})

    def _keep(self, name: str, section: PersonSection) -> None:
        self._persons.clear()
        self._known[name] = section
        self._by_hash[section.token_sha256] = name


def _made() -> tuple[str, str]:
    token = _TOKEN_START + secrets.token_urlsafe(32)
    return token, _hash(token)


def _hash(token: str) -> str:
    """A slow hash makes guessing passwords dear; 256 random bits cannot be guessed however fast one hashes."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _demand_text(text: str, what: str) -> None:
    if not (0 < len(text) <= 200 and text.isprintable() and text == text.strip()):
        raise UsageError(f"{what} is 1 to 200 printable characters, with no space at either end.")


def _demand_sense(
    name: str, roles: Iterable[str], attributes: Mapping[str, object], account: str | None = None
) -> None:
    _demand_text(name, "the name of a person")
    if account is not None:
        _demand_text(account, f"the account of {name!r}")
    for role in roles:
        _demand_text(role, f"a role of {name!r}")
    for attribute, value in attributes.items():
        _demand_text(attribute, f"the name of an attribute of {name!r}")
        if isinstance(value, str):
            _demand_text(value, f"attribute {attribute!r} of {name!r}, as a text,")
        elif not isinstance(value, bool | int | float | date):
            raise UsageError(
                f"attribute {attribute!r} of {name!r} must be a number, a text, true or false, a day or a moment."
            )
