"""Proposals: roles, types and taxonomies for the columns of a file that has no plan yet, with reasons.

`sfumato init` makes one, and `drafting` turns it into a plan file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.engines.base import Counted, Engine
from sfumato.engines.databases.database_query import DatabaseQuery
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.engines.readable_files import ReadableFile, readable
from sfumato.errors import DataError, SchemaError, UsageError, nearest
from sfumato.plan.proposals.column_roles import RoleFinding, finding, is_written_as_code
from sfumato.plan.proposals.column_vocabulary import DATE_WORDS, first_word_in, words_of
from sfumato.plan.proposals.distinguishability import ColumnSet, Individuals, Separation
from sfumato.plan.proposals.joint_roles import GROUP, SINGLED_OUT, with_joint_roles
from sfumato.plan.proposals.missing_codes import missing_codes
from sfumato.plan.proposals.person_keys import with_keys
from sfumato.plan.proposals.proposed_column import ProposedColumn
from sfumato.plan.unread_values import unread_values
from sfumato.runtime.progress import advance

SAMPLE = 100_000
_MOST = 1_000_000
MARKERS = ("?", "NA", "N/A", "n/a", "NULL", "null", "None", "nan", "NaN", "-", ".")

_DECIDE_DATE = (
    "its values are read as texts, and published as sets of them; correct that as the comment of the column says, or "
    "choose the role identifier to leave it out"
)

Roles = Mapping[str, Role]
"""Roles that somebody has decided, by column."""


@dataclass(frozen=True)
class Proposal:
    """Roles and taxonomies for every column of a file or query; somebody who knows the data must review them.

    `together` says how well all quasi columns distinguish records. `singling_out` are small sets of columns that single
    out most persons, and `plain_alone` is the share of persons whom all plain columns single out in groups of `GROUP`.
    `persons` are the persons of the sample, or its records if no column is the key of a person; `unit` says which.
    `left_out` are columns without a name, which only number the records. `missing_codes` are numbers that may mean "no
    answer", each with its columns.
    """

    path: Path
    columns: tuple[ProposedColumn, ...]
    missing: tuple[str, ...]
    together: Separation
    sampled: int
    options: ReadOptions = DETECTED
    database: DatabaseQuery | None = None
    left_out: tuple[str, ...] = ()
    singling_out: tuple[ColumnSet, ...] = field(default=(), kw_only=True)
    plain_alone: float = field(default=0.0, kw_only=True)
    persons: int = field(default=0, kw_only=True)
    unit: str = field(default="records", kw_only=True)
    missing_codes: Mapping[str, Sequence[str]] = field(default_factory=dict, kw_only=True)

    @classmethod
    def of_file(cls, path: str | Path, options: ReadOptions = DETECTED, *, roles: Roles | None = None) -> Proposal:
        """Propose from the first records of a file, and from all values of its quasi columns.

        `roles` are those that are decided already; the other columns are proposed beside them.
        """
        advance("reading")
        return cls._of_readable(Path(path), readable(path, options), options, roles or {})

    @classmethod
    def of_database(cls, database: DatabaseQuery, *, roles: Roles | None = None) -> Proposal:
        """The same for a table or query of a database."""
        advance("reading")
        name = re.sub(r"\W+", "_", database.table or "query")
        return replace(cls._of_readable(Path(name), database.read(), DETECTED, roles or {}), database=database)

    @classmethod
    def _of_readable(cls, path: Path, file: ReadableFile, options: ReadOptions, roles: Roles) -> Proposal:
        from sfumato.engines.opening import open_file

        source = open_file(file)
        if unknown := [name for name in roles if name not in source.columns]:
            raise UsageError(f"{source.described} has no column {unknown[0]!r}; {nearest(unknown[0], source.columns)}")
        counted = source.first(SAMPLE)
        if not len(counted.counts):
            raise DataError(f"{source.described} has no records, so no roles can be proposed.")
        missing = _markers(counted)
        advance("proposing")
        named = [name for name in source.columns if name not in source.index_columns]
        columns, individuals = _with_roles(source, named, counted, missing, roles)
        columns = _with_taxonomies(source, columns, counted, missing)
        plain = [column.name for column in columns if column.role is Role.PLAIN]
        secrets = [column.name for column in columns if column.role is Role.SENSITIVE and column.distinct > 1]
        published = [one.name for one in columns if one.role not in (Role.IDENTIFIER, Role.PERSON) and one.distinct > 1]
        return cls(
            path,
            tuple(columns),
            missing,
            Separation.of_columns(counted, [column.name for column in columns if column.role is Role.QUASI]),
            int(counted.counts.sum()),
            options,
            left_out=source.index_columns,
            singling_out=tuple(individuals.small_sets(published, SINGLED_OUT, also=secrets)),
            plain_alone=individuals.alone_among(plain, GROUP - 1) if plain else 0.0,
            persons=individuals.number,
            unit=individuals.unit,
            missing_codes=_missing_codes(source, columns, counted, missing),
        )

    def named(self, role: Role) -> list[ProposedColumn]:
        """The columns with the given role."""
        return [column for column in self.columns if column.role is role]

    @property
    def undecided(self) -> list[ProposedColumn]:
        """The columns for which somebody must decide."""
        return [column for column in self.columns if column.decide]

    @property
    def nothing_left(self) -> str:
        """Why nothing can be published by this proposal; empty if something can."""
        if any(column.role in (Role.QUASI, Role.SENSITIVE, Role.TARGET) for column in self.columns):
            if self.persons >= GROUP:
                return ""
            return (
                f"there are only {self.persons} {self.unit}, and groups of {GROUP} are proposed; publish more of them "
                "together."
            )
        return (
            "no column is left to publish: each names a record or has one value, so 'sfumato publish' refuses the plan "
            "until a column has another role."
        )

    @property
    def nothing_sensitive(self) -> str:
        """What is to be decided if no column of several values is sensitive; empty if one is."""
        if self.nothing_left or any(column.distinct > 1 for column in self.named(Role.SENSITIVE)):
            return ""
        return (
            "no column is sensitive, so k_anonymity hides which record is whose, and no model limits what others learn "
            "of a person: all records of a group may have the same value. Give the role sensitive to what others must "
            "not learn; keep it so if there is nothing of the kind."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the proposal for every column and the reason for it."""
        return {
            "columns": {column.name: column.to_dict() for column in self.columns},
            "missing": list(self.missing),
            "sampled": self.sampled,
            "together": dict(self.together.__dict__),
            "singling_out": [{"columns": list(one.columns), "unique": one.unique} for one in self.singling_out],
            "plain_alone": self.plain_alone,
            "unit": self.unit,
            "decide": [column.name for column in self.undecided],
            **({"missing_codes": dict(self.missing_codes)} if self.missing_codes else {}),
            **({"nothing_left": self.nothing_left} if self.nothing_left else {}),
            **({"nothing_sensitive": self.nothing_sensitive} if self.nothing_sensitive else {}),
        }


def _markers(counted: Counted) -> tuple[str, ...]:
    """The texts that are taken as missing; a hyphen beside a plus is an answer."""
    texts = {text for raw in counted.raw.values() for text in raw}
    signs = any({"+", "-"} == {text for text in raw if text is not None} for raw in counted.raw.values())
    return tuple(marker for marker in MARKERS if marker in texts and not (signs and marker == "-"))


def _missing_codes(
    source: Engine, columns: Sequence[ProposedColumn], counted: Counted, missing: Sequence[str]
) -> dict[str, list[str]]:
    """Numbers that may mean that there is no answer, each with the columns in which they stand apart."""
    found: dict[str, list[str]] = {}
    for column in columns:
        if column.kind is Kind.NUMBER:
            domain = domain_of(column.name, counted.raw[column.name], source.kind(column.name), missing)
            for code in missing_codes(domain):
                found.setdefault(code, []).append(column.name)
    return found


def _with_roles(
    source: Engine, names: Sequence[str], counted: Counted, missing: Sequence[str], roles: Roles
) -> tuple[list[ProposedColumn], Individuals]:
    """The columns with their roles, and the persons by whom they were chosen."""
    columns, domains, undecided = [], {}, set()
    for name in names:
        column, domain, known = _propose_column(source, name, counted, missing)
        if name in roles:
            column = column.with_role(roles[name], "was decided by you")
        elif not known:
            undecided.add(name)
        columns.append(column)
        if domain is not None:
            domains[name] = domain
    columns = with_keys(columns, {name: one for name, one in domains.items() if name not in roles}, counted, missing)
    columns = _with_decided(columns, roles)
    key = next((column.name for column in columns if column.role is Role.PERSON), "")
    individuals = Individuals(counted, key)
    undecided &= {column.name for column in columns if column.role is Role.PLAIN}
    columns = with_joint_roles(columns, undecided, domains, individuals, decided=roles)
    return _with_decided(columns, roles), individuals


def _with_decided(columns: Sequence[ProposedColumn], roles: Roles) -> list[ProposedColumn]:
    """The columns with the roles that are decided; if one of these is the person key, no other column is."""
    decided_key = Role.PERSON in roles.values()
    why = "is a key, and another column was chosen as the key of persons"
    return [
        column.with_role(roles[column.name], "was decided by you")
        if column.name in roles
        else column.with_role(Role.IDENTIFIER, why)
        if decided_key and column.role is Role.PERSON
        else column
        for column in columns
    ]


def _propose_column(
    source: Engine, name: str, counted: Counted, missing: Sequence[str]
) -> tuple[ProposedColumn, Domain | None, bool]:
    """One column by itself, its values, and whether its role is known; a column of unknown role is plain for now."""
    separation = Separation.of_columns(counted, [name])
    try:
        kind = source.kind(name)
    except SchemaError:
        why = "has nested or binary values, which models cannot judge"
        decide = "it is left out; choose the role plain to publish its values unchanged"
        values = len(counted.raw[name])
        return ProposedColumn(name, Kind.TEXT, Role.IDENTIFIER, why, values, separation, decide=decide), None, True
    domain = domain_of(name, counted.raw[name], kind, missing)
    sizes = np.bincount(counted.codes[name], weights=counted.counts)
    records = max(sizes.sum(), 1)
    found = _finding(name, source.labels.get(name, ""), domain, separation, float((sizes == 1).sum() / records))
    column = ProposedColumn(
        name,
        domain.kind,
        found.role or Role.PLAIN,
        found.why,
        len(domain),
        separation,
        note=(note := _note(domain, kind)),
        format=_format(domain),
        decide=found.decide or (_DECIDE_DATE if note and first_word_in(words_of(name), DATE_WORDS) else ""),
        frequent=float(sizes.max() / records),
        mostly_missing=counted.raw[name][int(sizes.argmax())] in {None, *missing},
    )
    return column, domain, found.role is not None


def _finding(name: str, label: str, domain: Domain, separation: Separation, own: float) -> RoleFinding:
    """The role of a column by its name and values; if they say nothing, by the words of its label.

    Labels are often whole questions, so they make no column an identifier.
    """
    found = finding(name, domain, separation, own)
    if found.role is not None or not label:
        return found
    by_label = finding(label, domain, separation, own, by="label")
    return by_label if by_label.role in (Role.QUASI, Role.SENSITIVE) else found


def _with_taxonomies(
    source: Engine, columns: Sequence[ProposedColumn], counted: Counted, missing: Sequence[str]
) -> list[ProposedColumn]:
    """The columns, with a first taxonomy for each quasi column.

    If the file may have more records than the sample, they are read for values that the sample does not have.
    """
    from sfumato.taxonomies.proposal import propose
    from sfumato.taxonomies.reading import plan_of

    quasi = [column.name for column in columns if column.role is Role.QUASI]
    raw = source.domains(quasi, limit=_MOST) if quasi and len(counted.counts) == SAMPLE else counted.raw
    found = []
    for column in columns:
        if column.role is Role.QUASI:
            stored = source.kind(column.name)
            domain = domain_of(column.name, raw[column.name], stored, missing)
            note = _note(domain, stored)
            found.append(
                replace(
                    column,
                    kind=domain.kind,
                    distinct=len(domain),
                    taxonomy=None if note else plan_of(propose(domain)),  # one for texts would not suit dates
                    note=note,
                    format=_format(domain),
                )
            )
        else:
            found.append(column)
    return found


def _note(domain: Domain, stored: Kind | None) -> str:
    """Why values that look like numbers or dates are read as texts; nothing of a column that is named as a code."""
    found = None if is_written_as_code(domain.column) else unread_values(domain, stored)
    return "" if found is None else found.note


def _format(domain: Domain) -> str:
    return "" if domain.notation is None else domain.notation.name


def domain_of(name: str, raw: Sequence[str | None], stored: Kind | None, missing: Sequence[str]) -> Domain:
    """The domain of a column; digits in a column that is named as a postcode are codes and not numbers."""
    return Domain.of(name, raw, kind=Kind.TEXT if is_written_as_code(name) else None, stored=stored, missing=missing)[0]
