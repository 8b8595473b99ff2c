"""Roles that depend on other columns: what may be published unchanged, what becomes quasi, and known amounts.

`proposal` first proposes roles column by column (`column_roles`), then keys (`person_keys`), then these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.errors import listed
from sfumato.plan.proposals.column_contents import are_coordinates
from sfumato.plan.proposals.column_series import series_of
from sfumato.plan.proposals.column_vocabulary import (
    HARMLESS_WORDS,
    MONEY_WORDS,
    familiarity_rank,
    first_word_in,
    is_personal,
    words_of,
)
from sfumato.plan.proposals.distinguishability import Individuals
from sfumato.plan.proposals.person_keys import Domains
from sfumato.plan.proposals.proposed_column import ProposedColumn

GROUP = 5
"""The size of groups that is proposed, and in which plain columns must not single out persons."""
SINGLED_OUT = 0.05
"""The share of persons that the columns which stay plain may single out, and from which a set of columns is listed."""
MOST_QUASI = 20
"""Quasi columns from which generalization leaves little of each; more are left out."""
_MOST_COORDINATES = 4
"""Columns that may be coordinates: two places."""
_SEVERAL = 2
"""Columns of numbers, each of which singles out persons, from which records are found by amounts."""

_KNOWN_AMOUNT = (
    "keep it if others may know it; choose the role sensitive to publish it unchanged, for a secret that nobody knows, "
    "or identifier to leave it out"
)
"""What is to be decided about an amount by which others may find records."""


def with_joint_roles(
    columns: Sequence[ProposedColumn],
    undecided: Collection[str],
    domains: Domains,
    individuals: Individuals,
    *,
    decided: Collection[str] = (),
) -> list[ProposedColumn]:
    """The columns with roles for the undecided ones: published unchanged if they hardly single out persons.

    They are published unchanged only if all of them together single out at most `SINGLED_OUT` of the persons in a group
    of `GROUP` that agree in all quasi columns. Since their names say nothing, they may be secrets; so they are
    sensitive, and plain only if they are named as harmless. The others become quasi, up to `MOST_QUASI`; the rest is
    left out.
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
            f"{column.why}; by all sensitive columns together, {grouped:.0%} of the {individuals.unit} are unique in "
            f"groups of {GROUP}"
        )
        decide = column.decide
        if column.name not in calm:
            without = individuals.unique([name for name in secrets if name != column.name])
            asked = (
                f"all sensitive columns together make {together:.0%} of the {individuals.unit} unique "
                f"({without:.0%} without it), and who knows some of these secrets of a person finds the others: "
                "keep it if nobody knows them, choose the role quasi to generalize it, or identifier to leave it out"
            )
            decide = "; ".join(filter(None, [decide, asked]))
        found.append(column.with_role(column.role, why, decide) if column.name in secrets else column)
    return found


def _plain(open_names: Sequence[str], known: Sequence[str], any_secret: bool, individuals: Individuals) -> list[str]:
    """The columns that may be published unchanged."""
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
    others = sorted((name for name in known if name not in decided), key=familiarity_rank)
    first = [*kept, *others[: max(0, MOST_QUASI - len(kept))]]
    alone = [members[0].name for members in series_of(changed) if len(members) == 1]
    all_fit = len(first) + len(changed) <= MOST_QUASI
    more = [column.name for column in changed] if all_fit or not (first or alone) else alone
    return [*first, *more[: max(0, MOST_QUASI - len(first))]]


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
        why = f"{column.why}; by it and others like it, {left:.1%} of the {individuals.unit} are unique"
        if chosen:
            why += f" in groups of {GROUP}"
        if first_word_in(words_of(column.name), HARMLESS_WORDS):
            decide = "it is published unchanged; choose the role sensitive for a secret, quasi if others may know it"
            return column.with_role(Role.PLAIN, why, decide)
        decide = (
            "it may be a secret, so a model protects it; keep it if it is one, choose the role quasi if others may "
            "know it, or plain only if it says nothing of persons that is not known"
        )
        return column.with_role(Role.SENSITIVE, why, decide)
    if column.name in chosen and undecided:
        why = f"{column.why}, and {_singles_out(column.name, chosen, individuals)}"
        if column.name in coordinates:
            return column.with_role(Role.QUASI, "holds coordinates of places, which others may know")
        decide = (
            "keep it if others may know it of a person; choose the role sensitive if it is a secret, or identifier to "
            "leave it out"
        )
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
            "it is left out; choose the role quasi for what you need most, or make many columns quasi and replace "
            "k_anonymity by lkc_privacy, for an attacker who knows only a few of them"
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
