"""Roles that depend on other columns: keys of persons and households, ends of edges, and what may stay unchanged.

`proposal` first proposes roles column by column (`column_roles`), then these.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, position
from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.engines.base import Counted
from sfumato.errors import listed
from sfumato.plan.column_contents import Content, are_coordinates, content_of
from sfumato.plan.column_series import series_of
from sfumato.plan.column_vocabulary import (
    AGE_WORDS,
    EDGE_WORDS,
    MEANING,
    MONEY_WORDS,
    NUMBER_WORDS,
    QUASI_WORDS,
    first_word_in,
    is_household_key,
    is_person_key,
    is_personal,
    words_of,
)
from sfumato.plan.distinguishability import Agreement, Individuals, variance_within
from sfumato.plan.proposed_column import ProposedColumn

GROUP = 5
"""The size of groups that is proposed, and in which plain columns must not single out persons."""
SINGLED_OUT = 0.05
"""The share of persons that the columns which stay plain may single out, and from which a set of columns is listed."""
MOST_QUASI = 20
"""Quasi columns from which generalization leaves little of each; more are left out."""

_KNOWN_FIRST = (
    "an age or a date of birth", "the sex", "a place", "a postal code", "a date", "the family", "the origin",
    "the ethnic origin", "work or education", "a household", "the body",
)  # fmt: skip
"""Meanings of quasi columns, those that most persons know of others first."""
_SERVES_AS_KEY = {Content.EMAIL, Content.IP, Content.DEVICE, Content.KEY, Content.NUMBER, Content.PHONE}
_MOST_COORDINATES = 4
"""Columns that may be coordinates: two places."""
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
_SEVERAL = 2
"""Columns of numbers, each of which singles out persons, from which records are found by amounts."""
_MOST_KEYS = 10
_MOST_COMPARED = 30
"""Columns that are compared to find a key by what it fixes."""

_KNOWN_AMOUNT = (
    "keep it if others may know it; sensitive publishes it unchanged, for a secret that nobody knows, and identifier "
    "leaves it out"
)
"""What is to be decided about an amount by which others may find records."""
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
    return sorted(known, key=lambda column: _rank(column.name))[:_MOST_COMPARED]


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
    repeated = [column for column in identifiers if _repeats(column.name, counted, missing)]
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
            or (column.name in domains and content_of(domains[column.name]) in _SERVES_AS_KEY)
        ]
    return max(
        suited,
        key=lambda column: (not is_household_key(column.name), is_person_key(column.name), column.distinct),
        default=None,
    )


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


def with_joint_roles(
    columns: Sequence[ProposedColumn],
    undecided: Collection[str],
    domains: Domains,
    individuals: Individuals,
    *,
    decided: Collection[str] = (),
) -> list[ProposedColumn]:
    """The columns with roles for the undecided ones: plain if they hardly single out persons, quasi or left out if not.

    Columns are published unchanged only if all of them together single out at most `SINGLED_OUT` of the persons in a
    group of `GROUP` that agree in all quasi columns. The others become quasi, up to `MOST_QUASI`; the rest is left out.
    Columns in `decided` have roles that somebody has given to them.
    """
    columns = _with_known_amounts(columns, undecided, individuals, decided)
    known = [column.name for column in columns if column.role is Role.QUASI and column.name not in undecided]
    open_names = [column.name for column in columns if column.name in undecided]
    any_secret = any(column.role is Role.SENSITIVE and column.distinct > 1 for column in columns)
    plain = _plain(open_names, known, any_secret, individuals)
    changed = [column for column in columns if column.name in undecided and column.name not in plain]
    chosen = _most_known(known, changed, decided)
    left = individuals.alone_among(plain, GROUP - 1) if plain and chosen else 0.0
    coordinates = _coordinates(columns, domains)
    with_roles = [
        _with_role(column, column.name in undecided, plain, chosen, individuals, left, coordinates, len(changed))
        for column in columns
    ]
    return _with_other_secrets(with_roles, individuals)


def _with_known_amounts(
    columns: Sequence[ProposedColumn], undecided: Collection[str], individuals: Individuals, decided: Collection[str]
) -> list[ProposedColumn]:
    """The columns, of which amounts of money are quasi if records are found by amounts and not by what persons are.

    Accounts of companies and tax returns have many numbers that differ in every record. Offices, banks and partners
    know some of them. As sensitive columns they would be published unchanged, so that one known amount gives away all
    others. If a column says what natural persons are, attackers are assumed to know that, and amounts stay secrets.
    """
    if any(is_personal(column.name) for column in columns):
        return list(columns)
    amounts = [
        column.name
        for column in columns
        if column.role is Role.SENSITIVE
        and column.kind is Kind.NUMBER
        and column.name not in decided
        and first_word_in(words_of(column.name), MONEY_WORDS)
    ]
    numbers = [column.name for column in columns if column.kind is Kind.NUMBER and column.name in undecided]
    unique = {name: individuals.unique([name]) for name in (*amounts, *numbers)}
    telling = [name for name, share in unique.items() if share > SINGLED_OUT]
    if len(telling) < _SEVERAL:
        return list(columns)
    found = []
    for column in columns:
        why = (
            f"{column.why}, but it makes {unique.get(column.name, 0):.0%} of the {individuals.unit} unique, as other "
            "numbers do, and no column says what persons are, so records are found by amounts"
        )
        known = column.name in amounts and column.name in telling
        found.append(column.with_role(Role.QUASI, why, _KNOWN_AMOUNT) if known else column)
    return found


def _with_other_secrets(columns: Sequence[ProposedColumn], individuals: Individuals) -> list[ProposedColumn]:
    """The columns, of which the sensitive ones say how they single out persons together.

    Somebody who knows some secrets of a person finds the others in the only record that has them, whatever the models
    promise. The columns that add most are asked for: all but those that together leave nearly nobody unique.
    """
    secrets = [column.name for column in columns if column.role is Role.SENSITIVE and column.distinct > 1]
    if len(secrets) < 2:
        return list(columns)
    grouped = individuals.alone_among(secrets, GROUP - 1)
    together = individuals.unique(secrets)
    calm = secrets
    if together > SINGLED_OUT:
        calm = individuals.plain_columns(secrets, individuals.number - 1, SINGLED_OUT)
    found = []
    for column in columns:
        why = (
            f"{column.why}; with the other sensitive columns it singles out {grouped:.0%} of the {individuals.unit} in "
            f"groups of {GROUP}"
        )
        decide = column.decide
        if column.name not in calm:
            without = individuals.unique([name for name in secrets if name != column.name])
            asked = (
                f"all sensitive columns together make {together:.0%} of the {individuals.unit} unique "
                f"({without:.0%} without it), and who knows some of these secrets of a person finds the others: "
                "keep it if nobody knows them, or use quasi to generalize it, or identifier to leave it out"
            )
            decide = "; ".join(filter(None, [decide, asked]))
        found.append(column.with_role(column.role, why, decide) if column.name in secrets else column)
    return found


def _plain(open_names: Sequence[str], known: Sequence[str], any_secret: bool, individuals: Individuals) -> list[str]:
    """The columns that may stay plain."""
    if not open_names:
        return []
    if not known and any_secret:
        # Without quasi columns all persons are one group, in which only unique persons are singled out.
        if individuals.unique(open_names) <= SINGLED_OUT:
            return list(open_names)
    elif not known:
        # A release without quasi and sensitive columns protects nobody, so all become quasi; most stay as they are.
        return []
    return individuals.plain_columns(open_names, GROUP - 1, SINGLED_OUT)


def _most_known(known: Sequence[str], changed: Sequence[ProposedColumn], decided: Collection[str]) -> list[str]:
    """The quasi columns that are kept if there are too many: decided and known ones first.

    Parts of a series are kept only if all columns are, or if there are no others.
    """
    kept = [name for name in known if name in decided]
    others = sorted((name for name in known if name not in decided), key=_rank)
    first = [*kept, *others[: max(0, MOST_QUASI - len(kept))]]
    alone = [members[0].name for members in series_of(changed) if len(members) == 1]
    all_fit = len(first) + len(changed) <= MOST_QUASI
    more = [column.name for column in changed] if all_fit or not (first or alone) else alone
    return [*first, *more[: max(0, MOST_QUASI - len(first))]]


def _rank(name: str) -> int:
    """The place of the best-known meaning of a name; columns without one come last."""
    meanings = {MEANING.get(word) for word in words_of(name)}
    return next((place for place, meaning in enumerate(_KNOWN_FIRST) if meaning in meanings), len(_KNOWN_FIRST))


def _with_role(
    column: ProposedColumn,
    undecided: bool,
    plain: Collection[str],
    chosen: Sequence[str],
    individuals: Individuals,
    left: float,
    coordinates: Collection[str],
    alike: int,
) -> ProposedColumn:
    """One column with its role among all; `alike` columns may single out persons and had no role before."""
    if column.name in plain:
        why = f"{column.why}; with the other plain columns it singles out {left:.1%} of the {individuals.unit}"
        if chosen:
            why += f" in groups of {GROUP}"
        decide = "it is published unchanged; choose sensitive if it is a secret, quasi if others may know it"
        return column.with_role(Role.PLAIN, why, decide)
    if column.name in chosen and undecided:
        why = f"{column.why}, and {_singles_out(column.name, chosen, individuals)}"
        if column.name in coordinates:
            return column.with_role(Role.QUASI, "holds coordinates of places, which others may know")
        decide = "keep it if others may know it of a person; sensitive if it is a secret, identifier to leave it out"
        return column.with_role(Role.QUASI, why, decide)
    if undecided or (column.role is Role.QUASI and column.name not in chosen):
        if len(chosen) >= MOST_QUASI:
            why = f"may single out persons with others, and there are {len(chosen)} quasi columns already"
        else:
            why = (
                f"may single out persons with others, and is one of {alike} such columns, too many for quasi columns: "
                f"at most {MOST_QUASI} are proposed in all"
            )
        why += "; the more there are, the less is left of each"
        decide = (
            "it is left out; choose quasi for what you need most, or make many columns quasi and replace k_anonymity "
            "by lkc_privacy, for an attacker who knows only a few of them"
        )
        return column.with_role(Role.IDENTIFIER, why, decide)
    return column


def _singles_out(name: str, chosen: Sequence[str], individuals: Individuals) -> str:
    """How a column singles out persons: alone, with one or two quasi columns, or in a group."""
    others = [other for other in chosen if other != name]
    for one, without in individuals.partners(name, others):
        if one.unique >= SINGLED_OUT:
            if len(one.columns) == 1:
                return f"alone it makes {one.unique:.0%} of the {individuals.unit} unique"
            return (
                f"with {listed(one.columns[1:])} it makes {one.unique:.0%} of the {individuals.unit} unique "
                f"({without:.0%} without it)"
            )
    alone = individuals.alone_among([name], GROUP - 1)
    return f"it would make {alone:.0%} of the {individuals.unit} unique in groups of {GROUP} that otherwise look alike"


def _coordinates(columns: Sequence[ProposedColumn], domains: Domains) -> set[str]:
    """The columns that are latitudes and longitudes of each other; many columns in their ranges are measurements."""
    found = {
        column.name
        for pair in pairwise(columns)
        if all(column.name in domains for column in pair)
        and are_coordinates(*(domains[column.name] for column in pair))
        for column in pair
    }
    return found if len(found) <= _MOST_COORDINATES else set()
