"""Plans: everything about one publication, read from and written to TOML.

`Plan` builds the schema, models, algorithm, masks, metrics and attacks that a plan file names. `publication` runs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sfumato.data.kinds import Kind
from sfumato.data.notations import notation_named
from sfumato.data.schema import Column, Role, Schema
from sfumato.errors import PlanError, UsageError, listed
from sfumato.plan.sections import (
    AttackSection,
    ColumnSection,
    Sections,
    ThingSection,
    place,
    read_toml,
    validate_plan,
)
from sfumato.settings import catalogue
from sfumato.settings.params import Declared
from sfumato.taxonomies.base import TaxonomyBuilder

if TYPE_CHECKING:
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.attacks.base import Attack, Attackable, AttackResult
    from sfumato.audit.file_digest import FileDigest
    from sfumato.data.pseudonyms import Pseudonyms
    from sfumato.engines.databases.database_location import DatabaseLocation
    from sfumato.engines.databases.database_query import DatabaseQuery
    from sfumato.knowledge.knowledge import Knowledge
    from sfumato.masks.base import Mask
    from sfumato.metrics.base import TableMetric
    from sfumato.models.base import PrivacyModel
    from sfumato.plan.outcome import Outcome

Result = TypeVar("Result")


class PlannedAttack(NamedTuple):
    """An attack of a plan, the knowledge of its attacker, and the place of its section for messages."""

    attack: Attack[Any]
    knowledge: Knowledge | None
    where: str

    def demand_suitable(self, release: Attackable) -> None:
        """Refuse a release that the attack cannot be run on; the message names the section of the plan."""
        try:
            self.attack.demand_suitable(release, self.knowledge)
        except UsageError as error:
            raise PlanError(f"{self.where}: {error}") from None

    def run(self, release: Attackable) -> AttackResult:
        """Run the attack on all persons of the release."""
        return self.attack.run(release, self.knowledge)


@dataclass(frozen=True)
class Plan:
    """Everything about one publication: columns and roles, masks, models, algorithm, metrics, attacks, files and seed.

    Paths of files are relative to `folder`, the folder of the plan file.

    >>> plan = Plan.of({
    ...     "data": {"path": "patients.csv"},
    ...     "columns": {"age": {"role": "quasi"}},
    ...     "models": [{"name": "k_anonymity", "k": 5}],
    ...     "output": {"path": "release.csv"},
    ... })
    >>> str(plan.model()), str(plan.algorithm())
    ('k_anonymity(k=5)', 'mondrian()')
    """

    sections: Sections
    folder: Path = Path()
    file: Path | None = None

    @property
    def described(self) -> str:
        """The name of the plan in messages."""
        return f"plan {self.file.name!r}" if self.file else "plan"

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """Read a plan file; an invalid one is refused with the place of the error and the nearest valid key."""
        file = Path(path)
        return cls(validate_plan(read_toml(file), f"plan {file.name!r}"), file.parent, file)._complete()

    @classmethod
    def of(cls, given: Mapping[str, Any], folder: str | Path = ".") -> Plan:
        """A plan from the sections of a plan file as dictionaries; paths are relative to `folder`."""
        return cls(validate_plan(given, "plan"), Path(folder))._complete()

    def _complete(self) -> Plan:
        """The plan itself; refused unless it names exactly one source of data and one place for the release."""
        data = self.sections.data
        asked, stored = (data.gateway, data.person, data.question), (data.table, data.query)
        sources = [source for source in (data.path, data.database, data.gateway) if source is not None]
        if len(sources) != 1 or any(asked) != all(asked) or (data.database is None and any(stored)):
            raise PlanError(
                f"{self.described}: [data] needs 'path', the file to publish from; or 'database' with 'table' or "
                "'query'; or 'gateway', 'person' and 'question', optionally with 'purpose', to publish the answer of a "
                "gateway."
            )
        if data.database is not None:
            self._with_location("[data] database", self.database)
        output = self.sections.output
        into_database = output.database is not None
        if (output.path is not None) == into_database or into_database != (output.table is not None):
            raise PlanError(
                f"{self.described}: [output] needs 'path', the file of the release; or 'database' with 'table'."
            )
        if into_database:
            self._with_location("[output] database", self.output_database)
        return self

    def database(self) -> DatabaseQuery | None:
        """The table or query of a database that is published; None if it is none."""
        from sfumato.engines.databases.database_location import DatabaseLocation
        from sfumato.engines.databases.database_query import DatabaseQuery

        data = self.sections.data
        if data.database is None:
            return None
        return DatabaseQuery(DatabaseLocation(data.database, self.folder), data.table, data.query)

    def output_database(self) -> DatabaseLocation | None:
        """The database in which the release is a table; None if it is a file."""
        from sfumato.engines.databases.database_location import DatabaseLocation

        name = self.sections.output.database
        return None if name is None else DatabaseLocation(name, self.folder)

    def on(self, data: str | Path) -> Plan:
        """The same plan for another file, such as that of the next month; the plan file stays as it is."""
        section = self.sections.data
        sources = dict.fromkeys(("database", "table", "query", "gateway", "person", "purpose", "question"))
        changed = section.model_copy(update={**sources, "path": relative_to(Path(data), self.folder)})
        return replace(self, sections=self.sections.model_copy(update={"data": changed}))

    def write(self, path: str | Path) -> Path:
        """Write the plan file; an existing one keeps its comments and the order of its keys."""
        from sfumato.plan.writing import write_plan

        return write_plan(self.to_dict(), Path(path))

    def to_dict(self) -> dict[str, Any]:
        """The sections of the plan file as dictionaries."""
        return self.sections.to_dict()

    def schema(self) -> Schema:
        """The columns with their roles and taxonomies."""
        columns = tuple(self._column(name, section) for name, section in self.sections.columns.items())
        sets = {name: tuple(members) for name, members in self.sections.quasi_identifiers.items()}
        return self._with_location(
            "[quasi_identifiers]", lambda: Schema(columns, sets, tuple(self.sections.data.missing))
        )

    def model(self) -> PrivacyModel:
        """The privacy model of the plan: the conjunction of all models that it names."""
        models: list[Any] = [
            self._from_catalogue("models", section, place(("models", number)))
            for number, section in enumerate(self.sections.models)
        ]
        joined: PrivacyModel = models[0]
        for model in models[1:]:
            joined = joined & model
        return joined

    def algorithm(self) -> TableAlgorithm:
        """The algorithm; refuses a time limit for one that cannot be stopped."""
        algorithm: Any = self._from_catalogue("algorithms", self.sections.algorithm, "[algorithm]")
        if self.sections.run.seconds is not None and not algorithm.anytime:
            raise PlanError(
                f"{self.described}: [run] seconds limits algorithms that can be stopped at any time, and "
                f"{algorithm} cannot; leave it out, or use {listed(_anytime())}."
            )
        return algorithm  # type: ignore[no-any-return]

    def masks(self) -> list[tuple[Mask, list[str]]]:
        """The masks in the order in which they are applied, each with the columns that it changes."""
        for number, section in enumerate(self.sections.masks):
            for name in section.columns:
                role = self.sections.columns[name].role if name in self.sections.columns else "plain"
                if role in ("waiver", "identifier", "person"):
                    raise PlanError(
                        f"{self.described}: {place(('masks', number))} would change {name!r}, a column of role {role}: "
                        "masks do not change the decisions or the identity of persons; leave it out."
                    )
        return [
            (self._from_catalogue("masks", section, place(("masks", number))), section.columns)
            for number, section in enumerate(self.sections.masks)
        ]

    def metrics(self) -> list[TableMetric]:
        """The metrics that the plan names; an empty list means every suitable metric."""
        return [self._metric(section, place(("metrics", n))) for n, section in enumerate(self.sections.metrics)]

    def _metric(self, section: ThingSection, where: str) -> TableMetric:
        metric: Any = self._from_catalogue("metrics", section, where)
        if metric.needs_target:
            self._with_location(where, lambda: self.schema().one_target(metric.target))
        return metric  # type: ignore[no-any-return]

    def attacks(self) -> list[PlannedAttack]:
        """The attacks that the plan names, each with the knowledge of its attacker."""
        return [self._attack(section, place(("attacks", n))) for n, section in enumerate(self.sections.attacks)]

    def _attack(self, section: AttackSection, where: str) -> PlannedAttack:
        from sfumato.knowledge.knowledge import Knowledge

        attack, path = self._from_catalogue("attacks", section, where), section.knowledge
        if path is None and attack.needs_knowledge:
            raise PlanError(
                f"{self.described}: {where} needs rules about people; name a file of rules by 'knowledge', as "
                "written by 'sfumato knowledge mine'."
            )
        known = None if path is None else self._with_location(where, lambda: Knowledge.read(self.folder / path))
        return PlannedAttack(attack, known, f"{self.described}: {where}")

    def pseudonyms(self) -> Pseudonyms | None:
        """The keyed pseudonyms of the plan; None if no column has `pseudonym = true`."""
        columns = [name for name, section in self.sections.columns.items() if section.pseudonym]
        if not columns:
            return None
        key = self.sections.output.pseudonym_key
        if key is None:
            raise PlanError(
                f"{self.described}: [columns.{columns[0]}] has pseudonym = true but [output] names no 'pseudonym_key'; "
                "create a key file with 'sfumato key new FILE' and name it there."
            )
        from sfumato.data.pseudonyms import Pseudonyms

        return self._with_location("[output] pseudonym_key", lambda: Pseudonyms.from_file(self.folder / key))

    def input_digest(self) -> FileDigest | None:
        """The digest of the input for the certificate; None if the plan does not ask for one.

        Refused if randomness must hide the original values: with a digest, an attacker could test guesses about them.
        """
        output = self.sections.output
        settings = [name for name in ("digest_key", "input_digest") if getattr(output, name) is not None]
        if not settings:
            return None
        if self.sections.data.database is not None:
            raise PlanError(f"{self.described}: [output] {settings[0]} is for files; a database has no digest.")
        if len(settings) > 1:
            raise PlanError(
                f"{self.described}: [output] has 'digest_key' for a keyed digest of the input and 'input_digest' for a "
                "plain one, with which anybody can test guesses; leave one of them out."
            )
        if self.algorithm().needs_secret_randomness or self.sections.masks:
            raise PlanError(
                f"{self.described}: [output] {settings[0]}: no digest of the input is published where randomness hides "
                "the original values, as in buckets and masks; leave it out."
            )
        from sfumato.audit.file_digest import FileDigest

        key = output.digest_key
        if key is None:
            return FileDigest()
        other = output.pseudonym_key
        if other is not None and (self.folder / key).resolve() == (self.folder / other).resolve():
            raise PlanError(
                f"{self.described}: [output] digest_key and pseudonym_key name the same file, so whoever may check the "
                "input could recompute every pseudonym; create a separate key with 'sfumato key new FILE'."
            )
        from sfumato.runtime.key_files import read_key

        return FileDigest(self._with_location("[output] digest_key", lambda: read_key(self.folder / key)))

    def input_files(self) -> dict[str, Path]:
        """Every file that the plan reads, by the setting that names it; no output may overwrite one of them.

        Files that taxonomies, models and other things of the catalogue read are found by the types of their settings.
        """
        from sfumato.engines.databases.database_location import database_file

        data, output = self.sections.data, self.sections.output
        named = {
            "[data] path": data.path,
            "[data] database": database_file(data.database or ""),
            "[data] gateway": data.gateway,
            "[output] pseudonym_key": output.pseudonym_key,
            "[output] digest_key": output.digest_key,
        }
        named |= {f"{place(('attacks', n))} knowledge": one.knowledge for n, one in enumerate(self.sections.attacks)}
        found = {where: self.folder / path for where, path in named.items() if path}
        for column in self.schema().columns:
            if column.taxonomy is not None:
                found |= _path_settings(f"[columns.{column.name}] taxonomy", column.taxonomy)
        for kind in ("models", "masks", "metrics", "attacks"):
            for number, section in enumerate(getattr(self.sections, kind)):
                where = place((kind, number))
                found |= _path_settings(where, self._from_catalogue(kind, section, where))
        found |= _path_settings("[algorithm]", self.algorithm())
        return found if self.file is None else found | {"the plan itself": self.file}

    def run(self) -> Outcome:
        """Publish. Invalid plans are refused before any work, and files appear only when all are complete."""
        from sfumato.plan.publication import publish

        return publish(self)

    def _column(self, name: str, section: ColumnSection) -> Column:
        where = f"[columns.{name}]"
        if section.pseudonym and section.role not in ("identifier", "person"):
            raise PlanError(f'{self.described}: {where} pseudonym = true needs role = "identifier" or "person".')
        if section.taxonomy is not None and section.role in ("identifier", "person", "waiver", "plain"):
            raise PlanError(
                f"{self.described}: {where} has a taxonomy, but columns with the role {section.role!r} are never "
                'generalized; give it the role "quasi", or leave the taxonomy out.'
            )
        taxonomy = None
        if section.taxonomy is not None:
            taxonomy = self._with_location(f"{where} taxonomy", lambda: self._builder(section))
        kind = Kind(section.type) if section.type else None
        notation = None
        if section.format is not None:
            notation = self._with_location(f"{where} format", lambda: notation_named(section.format or ""))
            if kind not in (None, notation.kind):
                raise PlanError(
                    f"{self.described}: {where} has type {section.type!r}, but format {section.format!r} is one of "
                    f"type {notation.kind!s}; leave one of them out."
                )
        return Column(
            name=name,
            role=Role(section.role),
            taxonomy=taxonomy,
            kind=kind if notation is None else notation.kind,
            pseudonym=section.pseudonym,
            notation=notation,
        )

    def _builder(self, section: ColumnSection) -> TaxonomyBuilder:
        from sfumato.taxonomies.reading import builder_from_plan

        return builder_from_plan(section.taxonomy or {}, self.folder)

    def _from_catalogue(self, kind: str, section: ThingSection, where: str) -> Any:
        """Build the model, algorithm, mask, metric or attack that a section names."""
        return self._with_location(where, lambda: self._build(catalogue.find(kind, section.name), section.settings))

    def _build(self, thing: type[Declared], given: Mapping[str, Any]) -> Declared:
        """Build a class with the given settings; paths in them are relative to the folder of the plan."""
        paths = {setting.name for setting in thing.settings() if setting.is_path}
        return thing.build(
            {
                key: self.folder / value if key in paths and isinstance(value, str) else value
                for key, value in given.items()
            }
        )

    def _with_location(self, where: str, make: Callable[[], Result]) -> Result:
        """The result of `make`; an error gets the place of the wrong setting in the plan in front of its message."""
        try:
            return make()
        except PlanError:
            raise
        except UsageError as error:
            raise PlanError(f"{self.described}: {where}: {error}") from None


def _path_settings(where: str, thing: Declared) -> dict[str, Path]:
    """The files that a thing of the catalogue reads."""
    values = {setting.name: getattr(thing, setting.name) for setting in thing.settings() if setting.is_path}
    return {f"{where} {name}": Path(value) for name, value in values.items() if isinstance(value, Path)}


def _anytime() -> list[str]:
    """The algorithms that can be stopped at any time with their default settings."""
    made: list[Any] = [thing() for thing in catalogue.without_required_settings("algorithms", Declared)]
    return [one.name() for one in made if one.anytime]


def relative_to(path: Path, folder: Path) -> str:
    """A path as a plan file in a folder has it; absolute if no relative path exists (other drive)."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()
