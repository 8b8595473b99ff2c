"""Keys of persons and households, and ends of edges: roles that are seen from how columns depend on each other.

`proposal` first proposes roles column by column (`column_roles`), then these, and last those of `joint_roles`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, position
from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.engines.base import Counted
from sfumato.errors import listed
from sfumato.plan.proposals.column_contents import Content, content_of
from sfumato.plan.proposals.column_vocabulary import (
    AGE_WORDS,
    EDGE_WORDS,
    MEANING,
    NUMBER_WORDS,
    QUASI_WORDS,
    familiarity_rank,
    first_word_in,
    is_household_key,
    is_person_key,
    words_of,
)
from sfumato.plan.proposals.distinguishability import Agreement, variance_within
from sfumato.plan.proposals.proposed_column import ProposedColumn

_SERVES_AS_KEY = {Content.EMAIL, Content.IP, Content.DEVICE, Content.KEY, Content.NUMBER, Content.PHONE}
_SHARED = 0.3
"""The share of values that the ends of edges have in common."""
_REPEATED = 10
"""Values of a key that repeat at least, and how many times as often as the mean the most frequent one may."""
_FIXED = 0.99
"""The share of pairs of records with the same key that agree in a column which the key fixes."""
_SAME = 0.95
"""The same share of all pairs, from which a column is fixed by anything."""
_BY_CHANCE = 0.05
"""The share of pairs of records that agree in all fixed columns, up to which a key is no chance."""
_NEARER = 0.2
"""The variance of an age in the records of a person, as a share of that among all, up to which only time passed."""
_MOST_KEYS = 10
_MOST_COMPARED = 30
"""Columns that are compared to find a key by what it fixes."""

_KEY_OF_OTHERS = (
    "it is left out, and does not say which records are about the same person; choose person if one person has all "
    "records of a value"
)
"""What is to be decided about a key in whose records sex or age differ."""

Domains = Mapping[str, Domain]


def with_keys(
    columns: Sequence[ProposedColumn], domains: Domains, counted: Counted, missing: Sequence[str]
) -> list[ProposedColumn]:
    """The columns with the roles of keys: the ends of edges, one person key, and keys of households."""
    columns = _with_edges(columns, domains)
    columns = _with_keys_of_others(columns, domains, counted, missing)
    key, why, decide = _named_key(columns, domains, counted, missing)
    least = key.distinct + 1 if key is not None and is_household_key(key.name) else 0
    if (key is None or not is_person_key(key.name)) and not _numbers_persons(columns, counted, missing):
        fixing = _fixing_key(columns, domains, counted, missing, least)
        if fixing is not None:
            key, fixed = fixing
            why = (
                f"repeats, and each of its {key.distinct} values has the same {listed(fixed)} in all its records, so "
                "it is the key of persons who have several records"
            )
            decide = "is it the key of a person? If not, choose another role, and every record counts alone"
    return [one.with_role(Role.PERSON, why, decide) if one is key else one for one in columns]


def _numbers_persons(columns: Sequence[ProposedColumn], counted: Counted, missing: Sequence[str]) -> bool:
    """Whether a key of persons differs in every record, so that nobody has several."""
    keys = [column for column in columns if column.role is Role.IDENTIFIER and is_person_key(column.name)]
    return any(not _repeats(column.name, counted, missing) for column in keys)


def _fixing_key(
    columns: Sequence[ProposedColumn], domains: Domains, counted: Counted, missing: Sequence[str], least: int
) -> tuple[ProposedColumn, list[str]] | None:
    """The column of codes that fixes most columns that others may know of a person, and these columns.

    A column that does not fix the sex or ethnic origin is no key of persons; it may be that of places or shops. The age
    of a person changes with time, but less than among all. None if there is none.
    """
    known = _compared(columns, domains)
    found = []
    for column in _possible_keys(columns, domains, counted, missing, least):
        rows = _present(column.name, counted, missing)[counted.codes[column.name]]
        fixed, chance, free = [], 1.0, 0
        for other in (other for other in known if other is not column):
            agreement = Agreement.of(counted, column.name, other.name, rows)
            if agreement.overall > _SAME:
                continue
            if agreement.within >= _FIXED:
                fixed.append(other.name)
                chance *= agreement.overall
            elif _changes(other, column, counted, rows):
                break
            elif not _is_age(other.name) and domains[other.name].kind not in (Kind.DATE, Kind.MONTH):
                free += 1  # days of visits change
        else:
            if len(fixed) > free and chance <= _BY_CHANCE:
                found.append((column, fixed))
    return max(found, key=lambda pair: (len(pair[1]), pair[0].distinct), default=None)


def _compared(columns: Sequence[ProposedColumn], domains: Domains) -> list[ProposedColumn]:
    """The columns that are compared with a key: those that others may know, best known first."""
    known = [
        column
        for column in columns
        if column.role in (Role.QUASI, Role.PLAIN) and column.distinct > 1 and column.name in domains
    ]
    return sorted(known, key=lambda column: familiarity_rank(column.name))[:_MOST_COMPARED]


def _changes(column: ProposedColumn, key: ProposedColumn, counted: Counted, rows: NDArray[np.bool_]) -> bool:
    """Whether a column that does not agree in the records of a key shows that these are records of several persons.

    The sex and the ethnic origin do, and ages that differ by more than the time that passed.
    """
    if not _is_age(column.name):
        return _lasts(column.name)
    return variance_within(counted, key.name, column.name, _numbers(column, counted), rows) > _NEARER


def _with_keys_of_others(
    columns: Sequence[ProposedColumn], domains: Domains, counted: Counted, missing: Sequence[str]
) -> list[ProposedColumn]:
    """The columns, of which repeated keys are asked for if the records of one value are those of several persons.

    Keys that are named after persons or households are not asked for, nor others beside a key of persons.
    """
    if any(column.role is Role.IDENTIFIER and is_person_key(column.name) for column in columns):
        return list(columns)
    known = [other for other in _compared(columns, domains) if _is_age(other.name) or _lasts(other.name)]
    found = []
    for column in columns:
        changing = ""
        if known and _may_number_others(column, domains) and _repeats(column.name, counted, missing):
            changing = _changing(column, known, counted, missing)
        why = f"{column.why}; {changing!r} differs in the records of one value, so it is no key of persons"
        found.append(column.with_role(Role.IDENTIFIER, why, _KEY_OF_OTHERS) if changing else column)
    return found


def _changing(key: ProposedColumn, known: Sequence[ProposedColumn], counted: Counted, missing: Sequence[str]) -> str:
    """A column that differs in the records of a key as it does not in those of a person; empty if there is none."""
    rows = _present(key.name, counted, missing)[counted.codes[key.name]]
    for other in known:
        agreement = Agreement.of(counted, key.name, other.name, rows)
        if agreement.overall <= _SAME and agreement.within < _FIXED and _changes(other, key, counted, rows):
            return other.name
    return ""


def _may_number_others(column: ProposedColumn, domains: Domains) -> bool:
    """Whether an identifier is named as a number or key, but not as that of a person or household."""
    if column.role is not Role.IDENTIFIER or column.name not in domains:
        return False
    if is_person_key(column.name) or is_household_key(column.name):
        return False
    return first_word_in(words_of(column.name), NUMBER_WORDS) is not None


def _possible_keys(
    columns: Sequence[ProposedColumn], domains: Domains, counted: Counted, missing: Sequence[str], least: int
) -> list[ProposedColumn]:
    """The columns of texts or whole numbers whose values repeat about equally often, those with most values first.

    Their names do not say that they are something else.
    """
    found = []
    for column in columns:
        domain = domains.get(column.name)
        if (
            domain is None
            or column.role not in (Role.IDENTIFIER, Role.PLAIN)
            or column.distinct < max(least, _REPEATED)
        ):
            continue
        if domain.kind not in (Kind.TEXT, Kind.NUMBER) or first_word_in(words_of(column.name), QUASI_WORDS):
            continue
        if domain.numbers is not None and (domain.numbers[: domain.present] % 1 != 0).any():
            continue
        sizes = np.bincount(counted.codes[column.name], weights=counted.counts)
        sizes = sizes[_present(column.name, counted, missing)]
        repeated = int((sizes > 1).sum())
        if repeated >= max(_REPEATED, len(sizes) / _REPEATED) and sizes.max() <= _REPEATED * sizes.mean():
            found.append(column)
    return sorted(found, key=lambda column: -column.distinct)[:_MOST_KEYS]


def _is_age(name: str) -> bool:
    """Whether a column is named as an age or a date of birth."""
    return first_word_in(words_of(name), AGE_WORDS) is not None


def _lasts(name: str) -> bool:
    """Whether a column is named by something that a person has for ever, and that is the same in all records."""
    return MEANING.get(first_word_in(words_of(name), QUASI_WORDS) or "") in ("the sex", "the ethnic origin")


def _numbers(column: ProposedColumn, counted: Counted) -> NDArray[np.float64]:
    """The number, or the day of a date, of each written value of a column."""
    found = [None if text is None else position(text, column.kind) for text in counted.raw[column.name]]
    return np.array([np.nan if one is None else one for one in found], dtype=np.float64)


def _named_key(
    columns: Sequence[ProposedColumn], domains: Domains, counted: Counted, missing: Sequence[str]
) -> tuple[ProposedColumn | None, str, str]:
    """The column whose name or content is that of a person key and that repeats, the reason, and what is to decide."""
    identifiers = [column for column in columns if column.role is Role.IDENTIFIER]
    several = [column for column in identifiers if column.name not in domains or domains[column.name].present > 1]
    repeated = [column for column in several if _repeats(column.name, counted, missing)]
    key = _person_key(identifiers, repeated, domains)
    if key is None:
        return None, "", ""
    why = f"repeats: the sampled records have {key.distinct} values of it, so persons have several records"
    decide = ""
    if is_household_key(key.name):
        why = (
            f"is the key of a household and repeats: the sampled records have {key.distinct} values of it; no other "
            "column is the key of a person, so models count households"
        )
        decide = (
            "keep it if the records of a household must not be told from those of others; identifier counts every "
            "record alone"
        )
    elif not is_person_key(key.name):
        decide = "is it the key of a person? If not, identifier leaves it out and counts every record alone"
    return key, why, decide


def _person_key(
    identifiers: Sequence[ProposedColumn], repeated: Sequence[ProposedColumn], domains: Domains
) -> ProposedColumn | None:
    """An identifier whose values repeat and that is a number or key; None if there is none.

    A column whose name is that of a person key comes first, a key of households last, and then the one with most
    values, since a key with fewer values may identify companies. If a person key differs in every record, another
    column gets the role only if it is named as a person key too: `patient_visit_id` numbers visits. A key of persons
    with fewer values than there are households numbers the members of each.
    """
    one_each = any(is_person_key(column.name) for column in identifiers if column not in repeated)
    households = max((column.distinct for column in repeated if is_household_key(column.name)), default=0)
    repeated = [column for column in repeated if column.distinct >= households]
    suited = [column for column in repeated if is_person_key(column.name)]
    if not suited and not one_each:
        suited = [
            column
            for column in repeated
            if (first_word_in(words_of(column.name), NUMBER_WORDS) and column.decide != _KEY_OF_OTHERS)
            or is_household_key(column.name)
            or _has_content_of_key(column, domains)
        ]
    return max(
        suited,
        key=lambda column: (not is_household_key(column.name), is_person_key(column.name), column.distinct),
        default=None,
    )


def _has_content_of_key(column: ProposedColumn, domains: Domains) -> bool:
    """Whether a column has enough addresses or numbers of persons; a few are those of offices or some of the staff."""
    domain = domains.get(column.name)
    return domain is not None and domain.present >= _REPEATED and content_of(domain) in _SERVES_AS_KEY


def _repeats(name: str, counted: Counted, missing: Sequence[str]) -> bool:
    """Whether several records have the same value of a column; missing values do not count."""
    present = _present(name, counted, missing)
    often = np.bincount(counted.codes[name], weights=counted.counts, minlength=len(present))
    return bool((often[present] > 1).any())


def _present(name: str, counted: Counted, missing: Sequence[str]) -> NDArray[np.bool_]:
    """Which values of a column are not missing."""
    return np.array([text is not None and text not in missing for text in counted.raw[name]], dtype=bool)


def _with_edges(columns: Sequence[ProposedColumn], domains: Domains) -> list[ProposedColumn]:
    """The columns, of which the ends of an edge are identifiers: they have the same values and names as from, to."""
    named = {column.name.lower(): column.name for column in columns if column.name in domains}
    ends: set[str] = set()
    for one, other in EDGE_WORDS:
        if one in named and other in named:
            first, second = ({text for text in domains[named[end]].texts if text is not None} for end in (one, other))
            if len(first & second) >= _SHARED * min(len(first), len(second)) and min(len(first), len(second)) > 1:
                ends |= {named[one], named[other]}
    why = "is the end of an edge: another column has the same values, so it names a person or a place"
    decide = "it is left out; a table of edges without its ends says little, and k-anonymity does not protect a network"
    return [column.with_role(Role.IDENTIFIER, why, decide) if column.name in ends else column for column in columns]
