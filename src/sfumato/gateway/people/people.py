"""The users of the gateway: their roles, attributes and tokens."""

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

_TOKEN_PREFIX = "sfumato_"  # identifies a leaked token in a file or a log
_MAX_TOKEN_LENGTH = 200
Expiry = date | datetime
"""The last day on which a token is valid, or the moment from which it is not."""

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Person:
    """A user of the gateway: a name, roles, and attributes that conditions can test.

    `account` is the account that the user shares with others who may combine what each of them learns, and `partners`
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
    """`[people.NAME]`: one user; `token_sha256` is the hash of the token, never the token.

    `expires` is the last day on which the token is valid, in UTC, or the moment from which it is not; a moment without
    an offset is in UTC, too.
    """

    roles: list[Name] = []
    attributes: dict[Name, Any] = {}
    disabled: bool = False
    expires: InstanceOf[date] | None = None
    account: Name | None = None
    token_sha256: Annotated[str, Field(min_length=64, max_length=64, repr=False)]

    def person(self, name: str, partners: frozenset[str] = frozenset()) -> Person:
        """The user, without the hash of the token."""
        return Person(name, frozenset(self.roles), dict(self.attributes), self.account, partners)

    def has_expired(self, now: datetime) -> bool:
        """Whether the token is no longer valid."""
        if self.expires is None:
            return False
        if not isinstance(self.expires, datetime):
            return now.astimezone(UTC).date() > self.expires
        return now >= (self.expires if self.expires.tzinfo else self.expires.replace(tzinfo=UTC))


class PeopleSections(sections.Section):
    """A whole file of users."""

    people: dict[Name, PersonSection] = {}


class People:
    """All users of the gateway, stored in a TOML file.

    >>> people = People()
    >>> token = people.add("russell", ["E-Marketing"], {"experience": 12})
    >>> people.by_token(token).name
    'russell'
    >>> people
    People(1 person)
    """

    problem = ""
    """Why no user can be recognised; always empty here, where the users are in memory."""

    def __init__(self, persons: Mapping[str, PersonSection] | None = None, *, clock: Clock = utc_now) -> None:
        self._sections = dict(persons or {})
        self._clock = clock
        for name, section in self._sections.items():
            _demand_valid(name, section.roles, section.attributes, section.account)
        self._by_hash = {section.token_sha256: name for name, section in self._sections.items()}
        self._persons: dict[str, Person] = {}
        if len(self._by_hash) < len(self._sections):
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
        expires: Expiry | None = None,
        account: str | None = None,
    ) -> str:
        """Add a user; returns the token, which is shown this once and stored only as a hash."""
        given: dict[str, Any] = {"roles": sorted(set(roles)), "attributes": dict(attributes or {}), "account": account}
        _demand_valid(name, **given)
        if name in self._sections:
            raise UsageError(f"there is a person {name!r} already; renew their token, or remove them first.")
        token, hashed = _new_token()
        self._store(name, self._demand_unexpired(name, PersonSection(**given, expires=expires, token_sha256=hashed)))
        return token

    def remove(self, name: str) -> None:
        """Remove a user; the token is invalid from now on."""
        section = self._section(name)
        del self._sections[name], self._by_hash[section.token_sha256]
        self._persons.clear()

    def renew(self, name: str) -> str:
        """A new token with the same expiry; the old one is invalid from now on."""
        return self._renew(name, self._section(name).expires)

    def renew_until(self, name: str, expires: Expiry | None) -> str:
        """A new token with another expiry, or none; the old one is invalid from now on."""
        return self._renew(name, expires)

    def disable(self, name: str) -> None:
        """Keep a user, but refuse every request."""
        self._change(name, disabled=True)

    def enable(self, name: str) -> None:
        """Accept requests of a disabled user again."""
        self._change(name, disabled=False)

    def by_token_cached(self, token: str) -> Person | None:
        """The same as `by_token`: there is no file that may have changed."""
        return self.by_token(token)

    def by_token(self, token: str) -> Person | None:
        """The user with this token; None if there is none, or the user is disabled or expired."""
        if len(token) > _MAX_TOKEN_LENGTH:
            return None
        hashed = _hash(token)
        # The lookup time depends on the hash, but an attacker can choose only the token, and so learns nothing from it.
        name = self._by_hash.get(hashed)
        if name is None:
            return None
        section = self._sections[name]
        same = hmac.compare_digest(section.token_sha256, hashed)
        if not same or section.disabled or (section.expires is not None and section.has_expired(self._clock())):
            return None
        return self._person(name, section)

    def person(self, name: str) -> Person:
        """A user by name; DeniedError if disabled or expired."""
        section = self._section(name)
        if section.disabled:
            raise DeniedError(f"{name!r} is disabled; enable them first.")
        if section.has_expired(self._clock()):
            raise DeniedError(
                f"the token of {name!r} expired: it was valid until {section.expires}; renew their token first."
            )
        return self._person(name, section)

    def roles(self, name: str) -> frozenset[str]:
        """The roles of a user, also of a disabled one."""
        return frozenset(self._section(name).roles)

    def attributes(self, name: str) -> dict[str, object]:
        """The attributes of a user, which conditions of roles can test."""
        return dict(self._section(name).attributes)

    def disabled(self, name: str) -> bool:
        """Whether a user is disabled."""
        return self._section(name).disabled

    def expires(self, name: str) -> Expiry | None:
        """The last day or the moment until which the token is valid; None if it does not expire."""
        return self._section(name).expires

    def expired(self, name: str) -> bool:
        """Whether the token is no longer valid."""
        return self._section(name).has_expired(self._clock())

    def account(self, name: str) -> str | None:
        """The account that a user shares with others."""
        return self._section(name).account

    def write(self, path: str | Path) -> Path:
        """Write a TOML file that only its owner can read; the old file stays until the new one is complete."""
        import tomlkit

        target = Path(path)
        content = {
            name: {key: one for key, one in section if one is not None} for name, section in self._sections.items()
        }
        with Staging([target]) as staging:
            place = staging.place(target)
            with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(tomlkit.dumps({"people": content}))
                file.flush()
                os.fsync(file.fileno())
            place.replace(target)  # atomic: a server that reads the file now finds the old or the new one
        return target

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)

    def __contains__(self, name: object) -> bool:
        return name in self._sections

    def __repr__(self) -> str:
        return f"People({len(self)} {'person' if len(self) == 1 else 'people'})"

    def _section(self, name: str) -> PersonSection:
        if name not in self._sections:
            hint = nearest(name, self._sections) if self._sections else "there is nobody yet."
            raise UsageError(f"there is no person {name!r}; {hint}")
        return self._sections[name]

    def _renew(self, name: str, expires: Expiry | None) -> str:
        token, hashed = _new_token()
        self._demand_unexpired(name, self._section(name).model_copy(update={"expires": expires}))
        self._change(name, token_sha256=hashed, expires=expires)
        return token

    def _demand_unexpired(self, name: str, section: PersonSection) -> PersonSection:
        """The section, unless its token would have expired already."""
        if section.has_expired(self._clock()):
            raise UsageError(
                f"the token of {name!r} would open nothing: {section.expires} is over; say when it expires."
            )
        return section

    def _change(self, name: str, **changes: Any) -> None:
        section = self._section(name)
        del self._by_hash[section.token_sha256]
        self._store(name, section.model_copy(update=changes))

    def _person(self, name: str, section: PersonSection) -> Person:
        """The user as an object, created once: a user may send a thousand requests a second."""
        found = self._persons.get(name)
        if found is None:
            found = self._persons[name] = section.person(name, self._partners(name, section.account))
        return found

    def _partners(self, name: str, account: str | None) -> frozenset[str]:
        """The other users of the same account."""
        members = {other for other, section in self._sections.items() if section.account == account}
        return frozenset() if account is None else frozenset(members - {name})

    def _store(self, name: str, section: PersonSection) -> None:
        self._persons.clear()
        self._sections[name] = section
        self._by_hash[section.token_sha256] = name


def _new_token() -> tuple[str, str]:
    """A random token and its hash."""
    token = _TOKEN_PREFIX + secrets.token_urlsafe(32)
    return token, _hash(token)


def _hash(token: str) -> str:
    """The hash of a token. A fast hash is enough: slow ones protect guessable passwords, not 256 random bits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _demand_text(text: str, what: str) -> None:
    if not (0 < len(text) <= 200 and text.isprintable() and text == text.strip()):
        raise UsageError(f"{what} is 1 to 200 printable characters, with no space at either end.")


def _demand_valid(
    name: str, roles: Iterable[str], attributes: Mapping[str, object], account: str | None = None
) -> None:
    """Refuse names, roles and attributes that cannot be written to the file or shown."""
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
