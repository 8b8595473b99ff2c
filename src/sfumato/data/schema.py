"""Schemas: the roles of columns, and the named sets of quasi columns that an attacker could know together.

A plan, a caller or `sfumato init` makes a schema; every `Table` has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sfumato.data.kinds import Kind
from sfumato.data.notations import Notation
from sfumato.errors import SchemaError, TaxonomyError, listed, nearest
from sfumato.settings.named_arguments import named_arguments
from sfumato.taxonomies.base import TaxonomyBuilder


class Role(StrEnum):
    """The role of a column in disclosure control."""

    IDENTIFIER = "identifier"
    PERSON = "person"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    TARGET = "target"
    WAIVER = "waiver"
    PLAIN = "plain"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its role, the taxonomy that generalizes it, and the kind of its values (None: taken from the data).

    `pseudonym` asks to publish an identifier as keyed pseudonyms instead of dropping it. `notation` is the notation
    of numbers or dates; it is found from the values if it is not given.
    """

    name: str
    role: Role = Role.PLAIN
    taxonomy: TaxonomyBuilder | None = None
    kind: Kind | None = None
    pseudonym: bool = False
    notation: Notation | None = None


@dataclass(frozen=True)
class Schema:
    """The columns with a role, in order; every other column of the data is plain and published unchanged.

    `quasi_identifiers` names sets of quasi columns that an attacker could know together; without any, there is one set
    of all quasi columns. A person column is the key of the person that a record is about: models count persons instead
    of records, and the column itself is dropped or replaced by pseudonyms. A waiver column says which persons waive
    protection. `missing` lists texts that stand for a missing value.

    >>> schema = Schema.of(quasi=["job", "age"], sensitive=["disease"])
    >>> schema.quasi, schema.role("zip").value
    (('job', 'age'), 'plain')
    """

    columns: tuple[Column, ...]
    quasi_identifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SchemaError(f"column {listed(twice)} has more than one role; a column has exactly one.")
        if len(self.named(Role.WAIVER)) > 1:
            raise SchemaError(f"{listed(self.named(Role.WAIVER))} cannot all say who waives protection; choose one.")
        if len(self.named(Role.PERSON)) > 1:
            raise SchemaError(f"{listed(self.named(Role.PERSON))} cannot all be the person's key; choose one.")
        for name, members in self.quasi_identifiers.items():
            unknown = [member for member in members if member not in self.quasi]
            if unknown or not members:
                raise SchemaError(
                    f"quasi-identifier {name!r} names {listed(unknown) or 'no column'}, which is not a quasi column; "
                    f"{nearest(unknown[0] if unknown else name, self.quasi)}"
                )
        object.__setattr__(self, "quasi_identifiers", MappingProxyType(dict(self.quasi_identifiers)))

    @classmethod
    @named_arguments
    def of(
        cls,
        *,
        quasi: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        identifiers: Sequence[str] = (),
        target: Sequence[str] = (),
        plain: Sequence[str] = (),
        waiver: str = "",
        person: str = "",
        taxonomies: Mapping[str, TaxonomyBuilder | Mapping[str, Any]] | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
        pseudonyms: Sequence[str] = (),
        quasi_identifiers: Mapping[str, Sequence[str]] | None = None,
        missing: Sequence[str] = (),
    ) -> Schema:
        """A schema from lists of column names for each role; the numbers of numbered columns are names, too.

        A taxonomy is a builder, such as `Intervals(width=5)`, or the table of a plan that selects it: `{"width": 5}`.
        """
        builders = {_name(name): _builder(name, given) for name, given in (taxonomies or {}).items()}
        typed = {_name(name): _kind(name, kind) for name, kind in (kinds or {}).items()}
        hidden = _names(pseudonyms)
        roles = (
            (Role.IDENTIFIER, identifiers),
            (Role.PERSON, () if person in ("", None) else (person,)),
            (Role.QUASI, quasi),
            (Role.SENSITIVE, sensitive),
            (Role.TARGET, target),
            (Role.WAIVER, () if waiver in ("", None) else (waiver,)),
            (Role.PLAIN, plain),
        )
        columns = tuple(
            Column(name=name, role=role, taxonomy=builders.get(name), kind=typed.get(name), pseudonym=name in hidden)
            for role, names in roles
            for name in _names(names)
        )
        for name in (*builders, *typed, *hidden):
            if name not in {column.name for column in columns}:
                raise SchemaError(f"column {name!r} has settings but no role; give it one.")
        named = {name: tuple(_names(members)) for name, members in (quasi_identifiers or {}).items()}
        return cls(columns, named, (missing,) if isinstance(missing, str) else tuple(missing))

    def named(self, *roles: Role) -> tuple[str, ...]:
        """The columns with one of these roles, in order."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @cached_property
    def quasi(self) -> tuple[str, ...]:
        """Columns that could identify a person in combination."""
        return self.named(Role.QUASI)

    @cached_property
    def sensitive(self) -> tuple[str, ...]:
        """Columns whose values an attacker must not learn about a person."""
        return self.named(Role.SENSITIVE)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """Columns that a recipient wants to predict, published unchanged."""
        return self.named(Role.TARGET)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Columns that identify a person directly, including the person key; never published unchanged."""
        return self.named(Role.IDENTIFIER, Role.PERSON)

    @cached_property
    def person(self) -> str:
        """The person key; empty if every record is about another person."""
        return next(iter(self.named(Role.PERSON)), "")

    @cached_property
    def waiver(self) -> str:
        """The column that says which persons waive protection; empty if there is none."""
        return next(iter(self.named(Role.WAIVER)), "")

    @cached_property
    def judged(self) -> tuple[str, ...]:
        """The columns that models and algorithms read; `Table` codes exactly these."""
        return self.named(Role.QUASI, Role.SENSITIVE, Role.TARGET, Role.WAIVER, Role.PERSON)

    def role(self, name: str) -> Role:
        """The role of a column; plain if the schema does not list it."""
        return next((column.role for column in self.columns if column.name == name), Role.PLAIN)

    def column(self, name: str) -> Column:
        """The column with a name; a plain one if the schema does not list it."""
        return next((column for column in self.columns if column.name == name), Column(name=name))

    def known_together(self, name: str = "") -> tuple[str, ...]:
        """The columns of a named quasi-identifier; all quasi columns if `name` is empty."""
        if not name:
            return self.quasi
        if name not in self.quasi_identifiers:
            raise SchemaError(f"no quasi-identifier is called {name!r}; {nearest(name, self.quasi_identifiers)}")
        return self.quasi_identifiers[name]

    def one_sensitive(self, name: str = "") -> str:
        """The sensitive column of a model: the named one, or the only one of the schema."""
        if not self.sensitive:
            said = f"{name!r} is not declared sensitive, and no other column is" if name else "none is declared"
            raise SchemaError(
                f'the model or attack needs a sensitive column; {said}. Declare one with role = "sensitive" '
                "(--sensitive on the command line, sensitive=[...] in Python)."
            )
        if name:
            if name not in self.sensitive:
                raise SchemaError(f"{name!r} is not declared sensitive; {nearest(name, self.sensitive)}")
            return name
        if len(self.sensitive) > 1:
            raise SchemaError(
                "the model or attack must name its sensitive column: set its 'sensitive' to one of "
                f"{listed(self.sensitive)}."
            )
        return self.sensitive[0]

    def one_target(self, name: str = "") -> str:
        """The target column of a model or metric: the named one, or the only one of the schema."""
        if name:
            if name not in self.targets:
                raise SchemaError(f"{name!r} is not declared target; {nearest(name, self.targets)}")
            return name
        if len(self.targets) != 1:
            raise SchemaError(
                f"name the target column; the schema has {len(self.targets)}: {listed(self.targets) or 'none'}. "
                'A column becomes a target by role = "target".'
            )
        return self.targets[0]

    def check_against(self, names: Iterable[str]) -> None:
        """Raise an error if the data lack a column of the schema.

        If they lack all of them, the names are not listed: those of a file without a header are values of its first
        record.
        """
        present = list(names)
        lacking = [column.name for column in self.columns if column.name not in present]
        if not lacking:
            return
        hint = nearest(lacking[0], present)
        if len(lacking) == len(self.columns) and not hint.startswith("did you mean"):
            hint = (
                "nor any other column that is named. If the first line of the file is a record, say so by --no-header, "
                "or header = false in [data]."
            )
        raise SchemaError(f"the data has no column {lacking[0]!r}; {hint}")


def _names(names: str | Sequence[str]) -> Sequence[str]:
    """A sequence of names; a single text is one name, not a sequence of letters."""
    if isinstance(names, (str, Integral)):
        return (_name(names),)
    if not isinstance(names, Iterable):
        raise SchemaError(f'columns are given as a list of their names, such as ["age"]; got {type(names).__name__}.')
    return tuple(_name(name) for name in names)


def _name(name: object) -> str:
    """The name of a column as Arrow has it: that of a numbered column of a pandas frame is its number as a text."""
    if isinstance(name, str):
        return name
    if isinstance(name, Integral):
        return str(int(name))
    raise SchemaError(f'a column is named by a text, such as "age"; got {type(name).__name__}.')


def _kind(name: str, given: Kind | str) -> Kind:
    if given in tuple(Kind):
        return Kind(given)
    raise SchemaError(f"the kind of column {name!r} cannot be {given!r}; {nearest(str(given), map(str, Kind))}")


def _builder(name: str, given: TaxonomyBuilder | Mapping[str, Any]) -> TaxonomyBuilder:
    """A taxonomy as it is given, or as a plan writes it; paths are relative to the working folder."""
    if isinstance(given, TaxonomyBuilder):
        return given
    if isinstance(given, Mapping):
        from sfumato.taxonomies.reading import builder_from_plan

        return builder_from_plan(given, Path())
    wrong = f"got a class: write {given.call()}" if _is_builder_class(given) else f"got {type(given).__name__}"
    raise TaxonomyError(
        f"the taxonomy of column {name!r} is given with its settings, such as Intervals(width=5), or as in a plan, "
        f'such as {{"width": 5}}; {wrong}.'
    )


def _is_builder_class(given: object) -> bool:
    return isinstance(given, type) and issubclass(given, TaxonomyBuilder)
