"""The contract of an algorithm: a way of choosing what to publish.

The base refuses what it cannot serve, lets the author's one private step choose, suppresses what still fails within the
limit, judges what was published as a stranger sees it, and only then calls it a release.
"""

from __future__ import annotations

import platform
from abc import abstractmethod
from hashlib import sha256
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.algorithms.improvement.local_search import LocalSearch
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, UnsuitableError, listed
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import GroupModel
from sfumato.models.judge import judge
from sfumato.operations.bucketize import bucketize
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.operations.suppress import suppress_failing
from sfumato.releases.candidate import Candidate
from sfumato.releases.release import Release
from sfumato.runtime.secret_random import Randomness, SecretRandom, randomness
from sfumato.settings.params import Declared

_FACTS = {
    "kept_by_merging": "still holds when groups are merged (kept_by_merging)",
    "about_secrets": "asks only what can be learned of a sensitive column (about_secrets)",
}
"""Facts about models in the words of a message."""


class Algorithm(Declared):
    """Base of all algorithms. `needs` names the facts a model must declare; an author writes `_publish`.

    `needs_secret_randomness` says that somebody who repeats its draws could undo what it hides, so they stay secret;
    `improvable` that a local search can make its groups better; `accounts` that its candidates have an account of what
    it spent, so that accounted models can be asked of it; `counts_persons` that it chooses by persons where they have
    several records; `serves` the kinds of data that it can publish. `way_out` is what to try where it found nothing to
    publish and knows no better reason.
    """

    needs: ClassVar[frozenset[str]] = frozenset()
    way_out: ClassVar[str] = "Allow more suppression, ask for less, or give coarser taxonomies."
    needs_secret_randomness: ClassVar[bool] = False
    anytime: ClassVar[bool] = False
    improvable: ClassVar[bool] = False
    accounts: ClassVar[bool] = False
    counts_persons: ClassVar[bool] = False
    serves: ClassVar[frozenset[str]] = frozenset({"table"})
    family: ClassVar[str] = "one label for a value wherever it occurs"

    @property
    def lets_waive(self) -> bool:
        """Whether it can publish some people as they are and not others with the same values."""
        return False

    @property
    def truthful(self) -> bool:
        """Whether all it publishes is true of every record it stands for, which a mean is not."""
        return True

    @property
    def separate_table(self) -> bool:
        """Whether secrets are published in a table of their own."""
        return False

    def prepare(self) -> None:
        """Load what choosing will need; worth doing in another thread while the records are still being counted."""

    def anonymize(
        self, table: Table, model: PrivacyModel, *, suppression: float = 0.0, seed: int | None = None
    ) -> Release:
        """Choose, suppress within the limit (a share of the records), judge what is published, and release it.

        Searches draw the same random numbers every time, those of `seed` or of 0. Algorithms whose draws hide people
        draw secret ones; with a `seed` they can be repeated, for tests and examples, and hide nothing.
        """
        if not 0 <= suppression <= 1:
            raise ParameterError(f"'suppression' must be a share between 0 and 1; got {suppression!r}.")
        model = model.with_knowledge(table).as_group_model()
        self._refuse_unsuitable(table, model)
        table = model.with_derived_columns(table)
        candidate = self._publish(table, model, suppression, self._generator(seed))
        verdicts = judge(candidate.view, model)
        if not all(verdict.holds for verdict in verdicts):
            candidate = suppress_failing(candidate, model, suppression)
            verdicts = judge(candidate.view, model)
        broken = [verdict.described for verdict in verdicts if not verdict.holds]
        if broken:
            raise InfeasibleError(
                f"{self.name()} found no way to publish {_counted(table)} that satisfies "
                f"{' & '.join(broken)} with at most {suppression:.1%} of them suppressed. {self._why(table, model)}"
            )
        return Release(candidate, verdicts, self._provenance(table, model, suppression, seed))

    def _generator(self, seed: int | None) -> Any:
        """The random numbers for one release: secret ones where draws hide people, else those of a seed."""
        return randomness(seed if self.needs_secret_randomness else seed or 0)

    def _publish_improved(
        self, table: Table, model: GroupModel, random: np.random.Generator, search: LocalSearch | None
    ) -> Candidate:
        """What an improvable algorithm publishes after a search made its groups better."""
        raise UnsuitableError(f"{self.name()} makes no groups that a local search could improve.")

    @abstractmethod
    def _publish(self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator) -> Candidate:
        """Choose what to publish; what still fails is suppressed or refused afterwards."""

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        for name, serves in [(self.name(), self.serves), *((one.name(), one.serves) for one in model.members())]:
            if table.kind not in serves:
                raise UnsuitableError(f"{name} is for data of kind {listed(sorted(serves))}, not {table.kind!r}.")
        self._refuse_accounted(model)
        missing = sorted(fact for fact in self.needs if not getattr(model, fact, False))
        if missing:
            words = " and ".join(_FACTS.get(fact, f"is {fact}") for fact in missing)
            raise UnsuitableError(f"{self.name()} needs a model that {words}; {model} does not.")
        if not table.schema.quasi:
            raise SchemaError("no column is declared quasi; there is nothing to generalize.")
        self._refuse_waivers(table)
        self._refuse_persons(table)
        for member in model.measured():
            member.background(table.schema)
            member.sensitive_columns(table.schema)

    def _refuse_persons(self, table: Table) -> None:
        if table.repeats_persons and not self.counts_persons:
            raise UnsuitableError(
                f"{self.name()} counts records while it chooses, and {table.records:,} records are about "
                f"{table.persons:,} persons; take an algorithm that counts persons, such as mondrian, k_member or mdav."
            )

    def _refuse_accounted(self, model: PrivacyModel) -> None:
        accounted = [str(member) for member in model.members() if member.evidence == "accounted"]
        if accounted and not self.accounts:
            raise UnsuitableError(
                f"{self.name()} keeps no account of what it spends, so it cannot promise {' & '.join(accounted)}; take "
                "an algorithm that does, or ask for models that groups can show."
            )

    def _refuse_waivers(self, table: Table) -> None:
        if table.schema.waiver and not self.lets_waive:
            raise UnsuitableError(
                f"{self.name()} has no way to publish some people as they are and not others, so nobody can waive "
                "protection; take mondrian, or publish those people in a file of their own."
            )
        if table.waived.all():
            raise UnsuitableError(
                "everybody waives protection, so there is nothing to choose; publish the data as it is."
            )

    def _why(self, table: Table, model: GroupModel) -> str:
        """What the model knows of, or the commonest reason: not even the whole table as one group satisfies it."""
        if model.infeasible_because(table):
            return model.infeasible_because(table)
        table = table.rows_where(~table.waived)
        whole = Groups.of_labels(table, np.zeros(len(table), dtype=np.int32))
        failing = [member for member in model.measured() if member.kept_by_merging and not member.holds(whole).all()]
        if not failing:
            return self.way_out
        shown = "; ".join(f"{member} (the whole table reaches {member.measure(whole):.4g})" for member in failing)
        return f"Even all records as one group fail {shown}: ask for less, or for other models."

    def _provenance(self, table: Table, model: GroupModel, suppression: float, seed: int | None) -> dict[str, Any]:
        packages = ("sfumato", "numpy", "duckdb", "pyarrow", "numba")
        return {
            "algorithm": self.to_dict(),
            "models": [member.public_settings() for member in model.members()],
            "warnings": [
                *self._warnings(seed),
                *_linked_persons(table),
                *(warning for member in model.members() for warning in member.warnings(table)),
            ],
            "suppression": suppression,
            "seed": None if self.needs_secret_randomness else seed or 0,
            "columns": {column.name: str(column.role) for column in table.schema.columns},
            "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
        }

    def _warnings(self, seed: int | None) -> list[str]:
        """What of the way a release was made is against its promises."""
        if seed is None or not self.needs_secret_randomness:
            return []
        return [f"{self.name()} was given a seed: somebody who knows it can repeat the draws and undo what they hide."]


class Partitioning(Algorithm):
    """Algorithms that put every record into a group; an author writes `_choose_groups`."""

    improvable: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    family: ClassVar[str] = "groups that publish ranges, sets or taxonomy nodes"

    @property
    def lets_waive(self) -> bool:
        """Groups of those who waive stand beside the others."""
        return True

    def _publish(self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator) -> Candidate:
        return self._publish_improved(table, model, random, None)

    def _publish_improved(
        self, table: Table, model: GroupModel, random: np.random.Generator, search: LocalSearch | None
    ) -> Candidate:
        """Publish the chosen groups as a search leaves them."""
        sets = self._publishes_sets()
        return generalize_groups(table, self._every_group(table, model, random, search), sets=sets)

    def _every_group(
        self, table: Table, model: GroupModel, random: np.random.Generator, search: LocalSearch | None
    ) -> Partition:
        """The groups of people who are protected; others share one with those who are just like them."""
        kept = table.rows_where(~table.waived) if table.schema.waiver else table
        chosen = self._choose_groups(kept, model, random)
        if search is not None:
            chosen = search.of_covers(kept, chosen, model, sets=self._publishes_sets(), min_levels=self._least_levels())
        if kept.repeats_persons:
            chosen = self._with_enough_persons(kept, chosen, model)
        return self._with_waivers(table, chosen)

    def _with_enough_persons(self, table: Table, chosen: Partition, model: GroupModel) -> Partition:
        """The groups, repaired where they hold by records and not by persons: dissolved into others, or merged."""
        from sfumato.algorithms.clustering.covers import covers_at, covers_of
        from sfumato.algorithms.clustering.group_repair import repair_groups
        from sfumato.algorithms.clustering.quasi_rows import partition_of

        counts = table.counts[chosen.row] if chosen.counts is None else chosen.counts
        quasi, owner = table.distinct(table.schema.quasi)
        covers = covers_of(quasi, sets=self._publishes_sets(), min_levels=self._least_levels())
        labels = repair_groups(
            table.rows_at(chosen.row, counts), covers_at(covers, owner[chosen.row]), chosen.group, model
        )
        return partition_of(table, owner, Partition(chosen.row, labels, counts))

    def _with_waivers(self, table: Table, chosen: Partition) -> Partition:
        """The groups of those who are protected, and beside them those of people who are not."""
        if not table.schema.waiver:
            return chosen
        alike = table.rows_where(table.waived).group_numbers(table.schema.quasi)
        return chosen.beside(table.waived, alike, table.counts)

    def _provenance(self, table: Table, model: GroupModel, suppression: float, seed: int | None) -> dict[str, Any]:
        categories = "sets" if self._publishes_sets() else "taxonomy"
        return super()._provenance(table, model, suppression, seed) | {"categories": categories}

    @abstractmethod
    def _choose_groups(self, table: Table, model: GroupModel, random: np.random.Generator) -> Partition:
        """Which group every row of the table belongs to."""

    def _publishes_sets(self) -> bool:
        return False

    def _least_levels(self) -> int:
        """How many levels of its taxonomy a category is charged for at least, when groups are compared."""
        return 0


class Bucketizing(Algorithm):
    """Algorithms that publish values as they are and hide whose they are; an author writes `_choose_buckets`.

    Secrets that are not in a `separate_table` stay in the one table, shuffled inside their bucket.
    """

    family: ClassVar[str] = "buckets of values as they are, with secrets that could be anybody's there"
    needs: ClassVar[frozenset[str]] = frozenset({"about_secrets"})
    way_out: ClassVar[str] = "Allow more suppression, or ask for less."
    needs_secret_randomness: ClassVar[bool] = True

    def _publish(self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator) -> Candidate:
        chance = _unforeseeable(table, random)
        # In the table's order, records of one secret would go to buckets by their quasi values, and that would show.
        row = chance.permutation(np.repeat(np.arange(len(table)), table.counts))
        bucket = self._choose_buckets(table, row, model, chance)
        left_over = bucket < 0
        if left_over.any():
            bucket = np.where(left_over, bucket.max() + 1, bucket).astype(np.int32)
        partition = Partition(row, bucket, np.ones(len(row), dtype=np.int64))
        return bucketize(table, partition, self._torn(table), separate_table=self.separate_table, random=chance)

    def _values(self, table: Table, row: NDArray[np.int64], model: GroupModel) -> NDArray[np.int32]:
        """The secret of every record."""
        return table.codes[model.sensitive_columns(table.schema)[0]][row]

    def _torn(self, table: Table) -> Linkage:
        """The sensitive columns apart from all others."""
        schema = table.schema
        names = table.source.columns if table.source is not None else [column.name for column in schema.columns]
        others = [name for name in names if name not in (*schema.sensitive, *schema.identifiers)]
        return Linkage.hiding(schema.sensitive, others, names)

    @abstractmethod
    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: GroupModel, random: Randomness
    ) -> NDArray[np.int32]:
        """The bucket of every record, which is one of the given row of the table; -1 where none will do.

        Buckets are numbered from 0 without gaps. Records without one are suppressed if the limit allows it.
        """

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(table, model)
        asked = [name for name in model.sensitive_columns(table.schema) if name in table.schema.sensitive]
        if len(asked) != 1:
            raise UnsuitableError(
                f"{self.name()} makes buckets for one sensitive column; {model} asks for {len(asked)} of them."
            )


class LatticeSearch(Algorithm):
    """Algorithms that generalize whole columns to a level; an author writes `_choose_levels`."""

    def _publish(self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator) -> Candidate:
        lattice = Lattice.over(table)
        levels = self._choose_levels(lattice, table, model, suppression)
        return generalize_levels(table, dict(zip(lattice.columns, levels, strict=True)))

    @abstractmethod
    def _choose_levels(self, lattice: Lattice, table: Table, model: GroupModel, suppression: float) -> tuple[int, ...]:
        """A level for every column of the lattice."""


def _linked_persons(table: Table) -> list[str]:
    """What pseudonyms of persons with several records give away, beyond what models judge."""
    if not (table.repeats_persons and table.schema.column(table.schema.person).pseudonym):
        return []
    return [
        f"pseudonyms of {table.schema.person!r} link the records of a person. Models judge knowledge of one record: "
        "an attacker who knows several of them can intersect their groups. Leave the key out if that matters."
    ]


def _counted(table: Table) -> str:
    return f"{table.records} records" if table.person is None else f"records of {table.persons} persons"


def _unforeseeable(table: Table, random: Randomness) -> Randomness:
    """Secret numbers as they are, seeded ones mixed with a digest of the data.

    So somebody who knows the seed but not the data cannot repeat them; the same data and seed give the same numbers.
    """
    if isinstance(random, SecretRandom):
        return random
    digest = sha256(table.counts.tobytes())
    for codes in table.codes.values():
        digest.update(np.ascontiguousarray(codes).data)
    return np.random.default_rng([int(random.integers(2**63)), int.from_bytes(digest.digest())])
