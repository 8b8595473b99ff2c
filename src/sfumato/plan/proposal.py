"""Proposals: roles, types and taxonomies for the columns of a file that has no plan yet, with reasons.

`sfumato init` makes one, and `drafting` turns it into a plan file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.domain import Domain, may_mean_others, position, readings
from sfumato.data.kinds import Kind
from sfumato.data.notations import NOTATIONS
from sfumato.data.schema import Role
from sfumato.engines.base import Counted, Engine
from sfumato.engines.databases.database_query import DatabaseQuery
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile, readable
from sfumato.errors import DataError, SchemaError
from sfumato.plan.column_vocabulary import (
    CODE_WORDS,
    NAME_WORDS,
    NUMBER_WORDS,
    PERSON_WORDS,
    QUASI_WORDS,
    SENSITIVE_WORDS,
    first_word_in,
    is_person_key,
    words_of,
)
from sfumato.plan.distinguishability import Separation
from sfumato.runtime.progress import advance

SAMPLE = 100_000
_MOST = 1_000_000
MARKERS = ("?", "NA", "N/A", "n/a", "NULL", "null", "None", "nan", "NaN", "-", ".")

_MOSTLY = 0.9
"""The share of values that are numbers or dates from which the others are said to be in the way."""
_FLAGS = 10
"""Values up to which a column named after a person may say yes or no, or what kind of person it is."""
_SOME = 1000
"""How many values are looked at to see that."""


@dataclass(frozen=True)
class ProposedColumn:
    """One column: its detected type, the proposed role and the reason for it.

    `format` is the notation of numbers or dates that are not in the standard one. `note` says why values that look like
    numbers or dates are read as texts; empty if there is nothing to say.
    """

    name: str
    kind: Kind
    role: Role
    why: str
    distinct: int
    separation: Separation
    taxonomy: Mapping[str, Any] | None = None
    note: str = ""
    format: str = ""


@dataclass(frozen=True)
class Proposal:
    """Roles and taxonomies for every column of a file or query; somebody who knows the data must review them.

    `left_out` are columns without a name, which only number the records.
    """

    path: Path
    columns: tuple[ProposedColumn, ...]
    missing: tuple[str, ...]
    together: Separation
    sampled: int
    options: ReadOptions = DETECTED
    database: DatabaseQuery | None = None
    left_out: tuple[str, ...] = ()

    @classmethod
    def of_file(cls, path: str | Path, options: ReadOptions = DETECTED) -> Proposal:
        """Propose from the first records of a file, and from all values of its quasi columns."""
        advance("reading")
        return cls._of_readable(Path(path), readable(path, options), options)

    @classmethod
    def of_database(cls, database: DatabaseQuery) -> Proposal:
        """The same for a table or query of a database."""
        advance("reading")
        name = re.sub(r"\W+", "_", database.table or "query")
        return replace(cls._of_readable(Path(name), database.read(), DETECTED), database=database)

    @classmethod
    def _of_readable(cls, path: Path, file: ReadableFile, options: ReadOptions) -> Proposal:
        from sfumato.engines.opening import open_file

        source = open_file(file)
        counted = source.first(SAMPLE)
        if not len(counted.counts):
            raise DataError(f"{source.described} has no records, so no roles can be proposed.")
        texts = {text for raw in counted.raw.values() for text in raw}
        missing = tuple(marker for marker in MARKERS if marker in texts)
        advance("proposing")
        named = [name for name in source.columns if name not in source.index_columns]
        proposed = tuple(_propose_column(source, name, counted, missing) for name in named)
        columns = _with_person_key(proposed, counted, missing)
        quasi = [column.name for column in columns if column.role is Role.QUASI]
        together = Separation.of_columns(counted, quasi)
        return cls(path, columns, missing, together, int(counted.counts.sum()), options, left_out=source.index_columns)

    def named(self, role: Role) -> list[ProposedColumn]:
        """The columns with the given role."""
        return [column for column in self.columns if column.role is role]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the proposal for every column and the reason for it."""
        columns = {
            column.name: {"type": str(column.kind), "role": str(column.role), "why": column.why}
            | {"distinct": column.distinct, "separation": dict(column.separation.__dict__)}
            | ({"format": column.format} if column.format else {})
            | ({"taxonomy": dict(column.taxonomy)} if column.taxonomy else {})
            | ({"note": column.note} if column.note else {})
            for column in self.columns
        }
        together = dict(self.together.__dict__)
        return {"columns": columns, "missing": list(self.missing), "sampled": self.sampled, "together": together}


def _propose_column(source: Engine, name: str, counted: Counted, missing: Sequence[str]) -> ProposedColumn:
    separation = Separation.of_columns(counted, [name])
    try:
        kind = source.kind(name)
    except SchemaError:
        why = "has nested or binary values, which models cannot judge"
        return ProposedColumn(name, Kind.TEXT, Role.PLAIN, why, len(counted.raw[name]), separation)
    domain = domain_of(name, counted.raw[name], kind, missing)
    role, why = proposed_role(name, domain, separation)
    taxonomy = None
    if role is Role.QUASI:
        if len(counted.counts) == SAMPLE:  # the file may have more records, with other values
            domain = domain_of(name, source.domains([name], limit=_MOST)[name], kind, missing)
        taxonomy = _taxonomy(domain)
    notation = "" if domain.notation is None else domain.notation.name
    return ProposedColumn(
        name, domain.kind, role, why, len(domain), separation, taxonomy, _note(domain), format=notation
    )


def _with_person_key(
    columns: tuple[ProposedColumn, ...], counted: Counted, missing: Sequence[str]
) -> tuple[ProposedColumn, ...]:
    """The columns, one of them with the role `person`: an identifier that is a number or key and whose values repeat.

    A column whose name is that of a person key comes first, then the one with most values, since a key with fewer
    values may identify households or companies. If a person key differs in every record, another column gets the role
    only if it is named as a person key too: `patient_visit_id` numbers visits.
    """
    identifiers = [column for column in columns if column.role is Role.IDENTIFIER]
    repeated = [column for column in identifiers if _repeats(column.name, counted, missing)]
    one_each = any(is_person_key(column.name) for column in identifiers if column not in repeated)
    suited = [
        column
        for column in repeated
        if is_person_key(column.name) or (first_word_in(words_of(column.name), NUMBER_WORDS) and not one_each)
    ]
    if not suited:
        return columns
    key = max(suited, key=lambda column: (is_person_key(column.name), column.distinct))
    why = f"repeats: the sampled records have {key.distinct} values of it, so persons have several records"
    return tuple(replace(one, role=Role.PERSON, why=why) if one is key else one for one in columns)


def _repeats(name: str, counted: Counted, missing: Sequence[str]) -> bool:
    """Whether several records have the same value of a column; missing values do not count."""
    present = [text is not None and text not in missing for text in counted.raw[name]]
    often = np.bincount(counted.codes[name], weights=counted.counts, minlength=len(present))
    return bool((often[np.array(present, dtype=bool)] > 1).any())


def domain_of(name: str, raw: Sequence[str | None], kind: Kind | None, missing: Sequence[str]) -> Domain:
    """The domain of a column; digits in a column that is named as a postcode are codes and not numbers."""
    if first_word_in(words_of(name), CODE_WORDS):
        kind = Kind.TEXT
    return Domain.of(name, raw, kind=kind, missing=missing)[0]


def proposed_role(name: str, domain: Domain, separation: Separation) -> tuple[Role, str]:
    """The role by the first rule that applies and its reason: by words in the name, else by the separation ratio."""
    words = words_of(name)
    for rule in (_by_one_value, _by_person_key, _by_person_name, _by_known_word, _by_uniqueness, _by_separation):
        found = rule(words, domain, separation)
        if found is not None:
            return found
    return Role.PLAIN, f"has no known word in its name, and {len(domain)} values are too few to single out persons"


def _by_one_value(words: Sequence[str], domain: Domain, separation: Separation) -> tuple[Role, str] | None:
    return (Role.PLAIN, "has only one value, so it distinguishes no records") if domain.present < 2 else None


def _by_person_key(words: Sequence[str], domain: Domain, separation: Separation) -> tuple[Role, str] | None:
    """A key of persons is an identifier, even with few values; `_with_person_key` checks whether it repeats."""
    person, number = first_word_in(words, PERSON_WORDS), first_word_in(words, NUMBER_WORDS)
    why = f"is named {person!r} and {number!r} and has {len(domain)} values, so it is the key of a person"
    if person and number:
        return Role.IDENTIFIER, why
    if person and list(words) == [person] and len(domain) > _FLAGS:
        return Role.IDENTIFIER, f"is named {person!r} and has {len(domain)} values, so it says who the person is"
    return None


def _by_person_name(words: Sequence[str], domain: Domain, separation: Separation) -> tuple[Role, str] | None:
    """A word for names or numbers, on a column with enough values to identify persons; `city_name` does not count."""
    many = separation.distinct > 0.1
    word = None if first_word_in(words, QUASI_WORDS) else first_word_in(words, NAME_WORDS)
    if word is None or not (many or len(domain) > 50):
        word = first_word_in(words, NUMBER_WORDS) if many or len(domain) > 1000 else None
    why = f"is named {word!r} and has {len(domain)} values, so it may name a person directly"
    return (Role.IDENTIFIER, why) if word else None


def _by_known_word(words: Sequence[str], domain: Domain, separation: Separation) -> tuple[Role, str] | None:
    if word := first_word_in(words, SENSITIVE_WORDS):
        return Role.SENSITIVE, f"is named {word!r}, which most persons want to keep private"
    word = first_word_in(words, QUASI_WORDS)
    why = (
        f"is named {word!r}, which others may know; it distinguishes {separation.separated:.1%} of all pairs of records"
    )
    return (Role.QUASI, why) if word else None


def _by_uniqueness(words: Sequence[str], domain: Domain, separation: Separation) -> tuple[Role, str] | None:
    why = f"has {separation.distinct:.0%} as many values as records: nearly every value belongs to one person"
    return (Role.IDENTIFIER, why) if separation.distinct > 0.98 and _may_identify(domain) else None


def _by_separation(words: Sequence[str], domain: Domain, separation: Separation) -> tuple[Role, str] | None:
    """Others may remember dates, and a column that distinguishes nearly all pairs of records singles out persons."""
    if domain.kind in (Kind.DATE, Kind.MONTH):
        return (
            Role.QUASI,
            f"is a date, which others may know; it distinguishes {separation.separated:.1%} of all pairs of records",
        )
    why = f"distinguishes {separation.separated:.1%} of all pairs of records"
    return (Role.QUASI, why) if separation.separated >= 0.95 and separation.distinct >= 0.01 else None


def _may_identify(domain: Domain) -> bool:
    """Whether values may be names or numbers of persons: texts and whole numbers may, fractions are measurements."""
    return domain.numbers is None or bool(
        (domain.numbers[: domain.present] % 1 == 0).all() and domain.kind is Kind.NUMBER
    )


def _note(domain: Domain) -> str:
    """Why values that look like numbers or dates are read as texts: in several ways, or not all of them."""
    texts = [text for text in domain.texts[: domain.present] if text is not None]
    if domain.kind is not Kind.TEXT or not texts:
        return ""
    several = [one.name for one in readings(texts)]
    if may_mean_others(texts):
        several = ["1234.5 (type number)", *several, *(["mm.yyyy"] if not several else [])]
    if len(several) > 1:
        return (
            f"can be read as {' or '.join(several)}, with different results: say by `format` which one it is, or its "
            "values are published as texts."
        )
    some = texts[:: -(-len(texts) // _SOME)]
    most = max(sum(read(text) is not None for text in some) for read in _ways_to_read())
    if several or most < _MOSTLY * len(some) or most == len(some):
        return ""
    return (
        "looks like numbers or dates, but some of its values are none: list those that mean a missing value in "
        "[data] missing, or its values are published as texts."
    )


def _ways_to_read() -> Iterator[Callable[[str], object]]:
    """Functions that read a text as a number, date or month, in the standard notation and in the others."""
    for kind in (Kind.NUMBER, Kind.DATE, Kind.MONTH):
        yield partial(position, kind=kind)
    for notation in NOTATIONS:
        yield notation.standard


def _taxonomy(domain: Domain) -> Mapping[str, Any]:
    """A first taxonomy for the values, in the form of a plan file."""
    from sfumato.taxonomies.proposal import propose
    from sfumato.taxonomies.reading import plan_of

    return plan_of(propose(domain))
