"""Plan: one publication, read from and written to TOML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sfumato.data.domain import Kind
from sfumato.data.schema import Column, Role, Schema
from sfumato.errors import PlanError, UsageError, listed
from sfumato.plan.reading import checked, place, read_toml
from sfumato.plan.sections import AttackSection, ColumnSection, Sections, ThingSection
from sfumato.settings import catalogue
from sfumato.settings.params import Declared
from sfumato.taxonomies.base import TaxonomyBuilder

if TYPE_CHECKING:
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.attacks.base import Attack, Attackable, AttackResult
    from sfumato.audit.input_digest import InputDigest
    from sfumato.data.pseudonyms import Pseudonyms
    from sfumato.knowledge.knowledge import Knowledge
    from sfumato.masks.base import Mask
    from sfumato.metrics.base import TableMetric
    from sfumato.models.base import PrivacyModel
    from sfumato.plan.outcome import Outcome

Made = TypeVar("Made")


class PlannedAttack(NamedTuple):
    """An attack that a plan names, what its attacker knows, and where in the plan it is named."""

    attack: Attack[Any]
    knowledge: Knowledge | None
    where: str

    def demand_suitable(self, release: Attackable) -> None:
        """Refuse a release that it cannot be run on, and say which section of the plan is meant."""
        try:
            self.attack.demand_suitable(release, self.knowledge)
        except UsageError as error:
            raise PlanError(f"{self.where}: {error}") from None

    def run(self, release: Attackable) -> AttackResult:
        """Attack everybody in the release."""
        return self.attack.run(release, self.knowledge)


@dataclass(frozen=True)
class Plan:
    """Everything about one publication: columns and roles, masks, models, algorithm, metrics, attacks, files and seed.

    Files are named relative to `folder`, the folder of the plan file.

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
        """How messages call it."""
        return f"plan {self.file.name!r}" if self.file else "plan"

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """Read a plan file; what it cannot mean is refused with its place and the nearest valid key."""
        file = Path(path)
        return cls(checked(read_toml(file), f"plan {file.name!r}"), file.parent, file)._with_data()

    @classmethod
    def of(cls, given: Mapping[str, Any], folder: str | Path = ".") -> Plan:
        """A plan from plain tables, as a plan file has them."""
        return cls(checked(given, "plan"), Path(folder))._with_data()

    def _with_data(self) -> Plan:
        """The plan itself, if it says in one way where the data come from."""
        data = self.sections.data
        asked = (data.gateway, data.person, data.question)
        if (data.path is None) == (data.gateway is None) or any(asked) != all(asked):
            raise PlanError(
                f"{self.described}: [data] needs 'path', the file to publish from; or 'gateway', 'person' and "
                "'question', and maybe 'purpose', to publish what a gateway answers."
            )
        return self

    def write(self, path: str | Path) -> Path:
        """Write the plan file; one that is there keeps its comments and the order of its keys."""
        from sfumato.plan.writing import write_plan

        return write_plan(self.to_dict(), Path(path))

    def to_dict(self) -> dict[str, Any]:
        """Plain tables, as a plan file has them."""
        return self.sections.to_dict()

    def schema(self) -> Schema:
        """The columns and their roles, each with its taxonomy."""
        columns = tuple(self._column(name, section) for name, section in self.sections.columns.items())
        named = {name: tuple(members) for name, members in self.sections.quasi_identifiers.items()}
        return self._placed("[quasi_identifiers]", lambda: Schema(columns, named, tuple(self.sections.data.missing)))

    def model(self) -> PrivacyModel:
        """The models, all of which must hold."""
        made: list[Any] = [
            self._thing("models", section, place(("models", number)))
            for number, section in enumerate(self.sections.models)
        ]
        joined: PrivacyModel = made[0]
        for model in made[1:]:
            joined = joined & model
        return joined

    def algorithm(self) -> TableAlgorithm:
        """The way of choosing what to publish."""
        made: Any = self._thing("algorithms", self.sections.algorithm, "[algorithm]")
        if self.sections.run.seconds is not None and not made.anytime:
            raise PlanError(
                f"{self.described}: [run] seconds limits searches that can be stopped at any time, and {made.name()} "
                f"cannot; leave it out, or use {listed(_anytime())}."
            )
        return made  # type: ignore[no-any-return]

    def masks(self) -> list[tuple[Mask, list[str]]]:
        """The masks and the columns each of them changes, in the order in which they are applied."""
        for number, section in enumerate(self.sections.masks):
            for name in section.columns:
                role = self.sections.columns[name].role if name in self.sections.columns else "plain"
                if role in ("waiver", "identifier", "person"):
                    raise PlanError(
                        f"{self.described}: {place(('masks', number))} would change {name!r}, a column of role {role}: "
                        "what people decided, and who they are, is nothing to draw lots about; leave it out."
                    )
        return [
            (self._thing("masks", section, place(("masks", number))), section.columns)
            for number, section in enumerate(self.sections.masks)
        ]

    def metrics(self) -> list[TableMetric]:
        """The metrics that the plan names; none where every metric that suits is to be measured."""
        return [self._metric(section, place(("metrics", n))) for n, section in enumerate(self.sections.metrics)]

    def _metric(self, section: ThingSection, where: str) -> TableMetric:
        metric: Any = self._thing("metrics", section, where)
        if metric.needs_target:
            self._placed(where, lambda: self.schema().one_target(metric.target))
        return metric  # type: ignore[no-any-return]

    def attacks(self) -> list[PlannedAttack]:
        """The attacks that the plan names, each with the rules that its attacker knows."""
        return [self._attack(section, place(("attacks", n))) for n, section in enumerate(self.sections.attacks)]

    def _attack(self, section: AttackSection, where: str) -> PlannedAttack:
        from sfumato.knowledge.knowledge import Knowledge

        attack, path = self._thing("attacks", section, where), section.knowledge
        if path is None and attack.needs_knowledge:
            raise PlanError(
                f"{self.described}: {where} starts from rules about people; name a file of them by 'knowledge', as "
                "'sfumato knowledge mine' writes it."
            )
        known = None if path is None else self._placed(where, lambda: Knowledge.read(self.folder / path))
        return PlannedAttack(attack, known, f"{self.described}: {where}")

    def pseudonyms(self) -> Pseudonyms | None:
        """The keyed pseudonyms that the plan asks for; None if it asks for none."""
        asking = [name for name, section in self.sections.columns.items() if section.pseudonym]
        if not asking:
            return None
        key = self.sections.output.pseudonym_key
        if key is None:
            raise PlanError(
                f"{self.described}: [columns.{asking[0]}] asks for pseudonyms but [output] names no 'pseudonym_key'; "
                "make a key file with 'sfumato key new FILE' and name it there."
            )
        from sfumato.data.pseudonyms import Pseudonyms

        return self._placed("[output] pseudonym_key", lambda: Pseudonyms.from_file(self.folder / key))

    def input_digest(self) -> InputDigest | None:
        """How the certificate tells the input from other files; None where it says nothing about it."""
        output = self.sections.output
        asked = [name for name in ("digest_key", "input_digest") if getattr(output, name) is not None]
        if not asked:
            return None
        if len(asked) > 1:
            raise PlanError(
                f"{self.described}: [output] has 'digest_key' for a keyed digest of the input and 'input_digest' for a "
                "plain one, which everybody can test guesses by; leave one of them out."
            )
        if self.algorithm().needs_secret_randomness or self.sections.masks:
            raise PlanError(
                f"{self.described}: [output] {asked[0]}: no digest of the input is published where chance hides what "
                "it was, as in buckets and by masks; leave it out."
            )
        from sfumato.audit.input_digest import InputDigest

        key = output.digest_key
        if key is None:
            return InputDigest()
        other = output.pseudonym_key
        if other is not None and (self.folder / key).resolve() == (self.folder / other).resolve():
            raise PlanError(
                f"{self.described}: [output] digest_key and pseudonym_key name the same file, and whoever may check "
                "the input could recompute every pseudonym; make a key of its own with 'sfumato key new FILE'."
            )
        from sfumato.runtime.key_files import read_key

        return InputDigest(self._placed("[output] digest_key", lambda: read_key(self.folder / key)))

    def run(self) -> Outcome:
        """Publish: everything that can be refused is refused first, and files appear only when all are complete."""
        from sfumato.plan.publication import publish

        return publish(self)

    def _column(self, name: str, section: ColumnSection) -> Column:
        where = f"[columns.{name}]"
        if section.pseudonym and section.role not in ("identifier", "person"):
            raise PlanError(f'{self.described}: {where} pseudonym = true needs role = "identifier" or "person".')
        taxonomy = None
        if section.taxonomy is not None:
            taxonomy = self._placed(f"{where} taxonomy", lambda: self._builder(section))
        kind = Kind(section.type) if section.type else None
        return Column(name=name, role=Role(section.role), taxonomy=taxonomy, kind=kind, pseudonym=section.pseudonym)

    def _builder(self, section: ColumnSection) -> TaxonomyBuilder:
        from sfumato.taxonomies.reading import builder_from_plan

        return builder_from_plan(section.taxonomy or {}, self.folder)

    def _thing(self, kind: str, section: ThingSection, where: str) -> Any:
        return self._placed(where, lambda: self._built(catalogue.find(kind, section.name), section.settings))

    def _built(self, thing: type[Declared], given: Mapping[str, Any]) -> Declared:
        """Files that a setting names are seen from the folder of the plan."""
        paths = {setting.name for setting in thing.settings() if setting.is_path}
        return thing.build(
            {
                key: self.folder / value if key in paths and isinstance(value, str) else value
                for key, value in given.items()
            }
        )

    def _placed(self, where: str, make: Callable[[], Made]) -> Made:
        """Say where in the plan a setting is wrong; what is wrong is said by whoever declares it."""
        try:
            return make()
        except PlanError:
            raise
        except UsageError as error:
            raise PlanError(f"{self.described}: {where}: {error}") from None


def _anytime() -> list[str]:
    """The algorithms that can be stopped at any time."""
    return [entry.name for entry in catalogue.entries("algorithms") if getattr(entry.thing, "anytime", False)]
