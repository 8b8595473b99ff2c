"""A first plan for a file nobody has described yet: guessed types, proposed roles and the reasons for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.data.domain import Domain, Kind
from sfumato.data.schema import Role
from sfumato.engines.base import Counted, Engine
from sfumato.errors import SchemaError
from sfumato.plan.column_vocabulary import CODES, NAMING, NUMBERING, PERSONS, RECOGNIZING, SECRET, known, words_of
from sfumato.plan.distinguishability import Separation
from sfumato.runtime.progress import advance

SAMPLE = 100_000
_MOST = 1_000_000
MARKERS = ("?", "NA", "N/A", "n/a", "NULL", "null", "None", "-", ".")


@dataclass(frozen=True)
class ProposedColumn:
    """One column: its guessed kind, the role proposed for it and why."""

    name: str
    kind: Kind
    role: Role
    why: str
    distinct: int
    separation: Separation
    taxonomy: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Proposal:
    """Roles and taxonomies for every column of a file, to be read and corrected by somebody who knows the data."""

    path: Path
    columns: tuple[ProposedColumn, ...]
    missing: tuple[str, ...]
    together: Separation
    sampled: int
    separator: str | None = None
    encoding: str | None = None

    @classmethod
    def of_file(cls, path: str | Path, *, separator: str | None = None, encoding: str | None = None) -> Proposal:
        """Look at the first records of a CSV or Parquet file, and at all values of the quasi columns."""
        from sfumato.engines.opening import open_file

        advance("reading")
        source = open_file(path, separator=separator, encoding=encoding)
        counted = source.first(SAMPLE)
        seen = {text for raw in counted.raw.values() for text in raw}
        missing = tuple(marker for marker in MARKERS if marker in seen)
        advance("proposing")
        columns = _with_person(tuple(_proposed(source, name, counted, missing) for name in source.columns))
        quasi = [column.name for column in columns if column.role is Role.QUASI]
        together = Separation.of_columns(counted, quasi)
        return cls(Path(path), columns, missing, together, int(counted.counts.sum()), separator, encoding)

    def named(self, role: Role) -> list[ProposedColumn]:
        """The columns with a role."""
        return [column for column in self.columns if column.role is role]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what is proposed for every column, and why."""
        columns = {
            column.name: {"type": str(column.kind), "role": str(column.role), "why": column.why}
            | {"distinct": column.distinct, "separation": dict(column.separation.__dict__)}
            | ({"taxonomy": dict(column.taxonomy)} if column.taxonomy else {})
            for column in self.columns
        }
        together = dict(self.together.__dict__)
        return {"columns": columns, "missing": list(self.missing), "sampled": self.sampled, "together": together}


def _proposed(source: Engine, name: str, counted: Counted, missing: Sequence[str]) -> ProposedColumn:
    apart = Separation.of_columns(counted, [name])
    try:
        kind = source.kind(name)
    except SchemaError:
        why = "holds nested or binary values, which are not judged"
        return ProposedColumn(name, Kind.TEXT, Role.PLAIN, why, len(counted.raw[name]), apart)
    domain = _domain(name, counted.raw[name], kind, missing)
    role, why = _role(name, domain, apart)
    if role is not Role.QUASI:
        return ProposedColumn(name, domain.kind, role, why, len(domain), apart)
    if len(counted.counts) == SAMPLE:  # there are more records, perhaps with other values
        domain = _domain(name, source.domains([name], limit=_MOST)[name], kind, missing)
    return ProposedColumn(name, domain.kind, role, why, len(domain), apart, _taxonomy(domain))


def _with_person(columns: tuple[ProposedColumn, ...]) -> tuple[ProposedColumn, ...]:
    """The columns, one of them the person's key: an identifier called a number that several records share.

    One that is called a number of persons is taken first; else the one with most values, since fewer of them may be
    households or firms.
    """
    repeated = [
        column
        for column in columns
        if column.role is Role.IDENTIFIER and column.separation.distinct < 1 and known(words_of(column.name), NUMBERING)
    ]
    if not repeated:
        return columns
    key = max(repeated, key=lambda column: (known(words_of(column.name), PERSONS) is not None, column.distinct))
    why = f"repeats: the records looked at have {key.distinct} values of it, so persons have several records"
    return tuple(replace(one, role=Role.PERSON, why=why) if one is key else one for one in columns)


def _domain(name: str, raw: Sequence[str | None], kind: Kind | None, missing: Sequence[str]) -> Domain:
    """The values in order. Digits with leading zeros, or called a postcode, are codes: their size means nothing."""
    zeros = any(text is not None and len(text) > 1 and text[0] == "0" and text.isdigit() for text in raw)
    if zeros or known(words_of(name), CODES):
        kind = Kind.TEXT
    return Domain.of(name, raw, kind=kind, missing=missing)[0]


def _role(name: str, domain: Domain, apart: Separation) -> tuple[Role, str]:
    """By name where it tells, else by how well the column tells records apart; the first rule that fits decides."""
    words = words_of(name)
    for rule in (_by_one_value, _by_key_of_person, _by_name_of_person, _by_known_word, _by_uniqueness, _by_separation):
        found = rule(words, domain, apart)
        if found is not None:
            return found
    return Role.PLAIN, f"has no telling name, and {len(domain)} values are too few to single people out"


def _by_one_value(words: Sequence[str], domain: Domain, apart: Separation) -> tuple[Role, str] | None:
    return (Role.PLAIN, "has one value only, so it tells nobody apart") if domain.present < 2 else None


def _by_key_of_person(words: Sequence[str], domain: Domain, apart: Separation) -> tuple[Role, str] | None:
    """A number of persons names them, however few they are; `_with_person` sees whether it repeats."""
    person, number = known(words, PERSONS), known(words, NUMBERING)
    why = f"is called {person!r} and {number!r} and has {len(domain)} values, so it is the key of a person"
    return (Role.IDENTIFIER, why) if person and number else None


def _by_name_of_person(words: Sequence[str], domain: Domain, apart: Separation) -> tuple[Role, str] | None:
    """A word for names or numbers of people, on a column with enough values for that; `city_name` is no such name."""
    many = apart.distinct > 0.1
    word = None if known(words, RECOGNIZING) else known(words, NAMING)
    if word is None or not (many or len(domain) > 50):
        word = known(words, NUMBERING) if many or len(domain) > 1000 else None
    why = f"is called {word!r} and has {len(domain)} values, so it may name a person outright"
    return (Role.IDENTIFIER, why) if word else None


def _by_known_word(words: Sequence[str], domain: Domain, apart: Separation) -> tuple[Role, str] | None:
    if word := known(words, SECRET):
        return Role.SENSITIVE, f"is called {word!r}: what one would not want to become known"
    word = known(words, RECOGNIZING)
    why = f"is called {word!r}: others may know it; it tells {apart.separated:.1%} of all pairs of records apart"
    return (Role.QUASI, why) if word else None


def _by_uniqueness(words: Sequence[str], domain: Domain, apart: Separation) -> tuple[Role, str] | None:
    why = f"has {apart.distinct:.0%} as many values as records: nearly each stands for one person"
    return (Role.IDENTIFIER, why) if apart.distinct > 0.98 and _may_name(domain) else None


def _by_separation(words: Sequence[str], domain: Domain, apart: Separation) -> tuple[Role, str] | None:
    """Dates are remembered by others, and a column that separates nearly all pairs singles people out."""
    if domain.kind is Kind.DATE:
        return Role.QUASI, f"is a date, which others may know; it tells {apart.separated:.1%} of all pairs apart"
    why = f"tells {apart.separated:.1%} of all pairs of records apart, whoever may know it"
    return (Role.QUASI, why) if apart.separated >= 0.95 and apart.distinct >= 0.01 else None


def _may_name(domain: Domain) -> bool:
    """Texts and whole numbers can be names or numbers of people; measured fractions are not."""
    return domain.numbers is None or bool(
        (domain.numbers[: domain.present] % 1 == 0).all() and domain.kind is Kind.NUMBER
    )


def _taxonomy(domain: Domain) -> Mapping[str, Any]:
    from sfumato.taxonomies.proposal import propose
    from sfumato.taxonomies.reading import plan_of

    return plan_of(propose(domain))
