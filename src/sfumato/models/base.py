"""The contract of a privacy model: a property of releases that is checked on the published data.

`PrivacyModel` is the base of all models. Most models judge groups of indistinguishable records
(`models/group_model.py`); others are guaranteed by the algorithm and checked in its account
(`models/accounted_model.py`).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.view import View
from sfumato.errors import UsageError
from sfumato.releases.verdict import Verdict
from sfumato.settings.catalogue import find
from sfumato.settings.params import Declared

if TYPE_CHECKING:
    from sfumato.models.all_of import AllOf
    from sfumato.models.group_model import GroupModel
    from sfumato.models.population_model import PopulationModel


ATTACKS = {
    "record linkage": "finding the record of a known person",
    "attribute linkage": "learning the sensitive value of a known person without finding the record",
    "table linkage": "learning whether a person is in the data",
    "probabilistic attack": "learning much about a person that was not known before",
    "background knowledge": "excluding values for a person by background knowledge",
}
"""The attacks of the literature that a model may declare in `guards_against`, and what a success means."""


class PrivacyModel(Declared):
    """Base of all models. A model derives from `GroupModel`, `PopulationModel` or `AccountedModel`.

    Facts that other modules read: `evidence` ("measured" on the published data, or "accounted" for by the algorithm),
    `guards_against` (some of `ATTACKS`), `serves` (kinds of data it can judge), and `better` (whether a higher
    or a lower level is safer).
    """

    evidence: ClassVar[Literal["measured", "accounted"]] = "measured"
    guards_against: ClassVar[frozenset[str]] = frozenset()
    serves: ClassVar[frozenset[str]] = frozenset({"table"})
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    @property
    @abstractmethod
    def required(self) -> float:
        """The level that must be reached."""

    @abstractmethod
    def check(self, view: View) -> Verdict:
        """Check the model on a view; the verdict says how many groups and records fail."""

    def with_knowledge(self, table: Table | None) -> PrivacyModel:
        """The model with the knowledge that it reads from a file or learns from the original table, if there is one.

        Most models need none and return themselves.
        """
        return self

    def with_derived_columns(self, table: Table) -> Table:
        """The table of original values with the columns that the model derives from them; most models derive none."""
        return table

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose histograms the model reads; raises an error if the schema lacks one."""
        return ()

    def public_settings(self) -> dict[str, Any]:
        """The name and settings for a certificate or a report, without knowledge about persons."""
        return self.to_dict()

    def warnings(self, table: Table) -> tuple[str, ...]:
        """Messages about settings that have no effect on a table, without values of records."""
        return ()

    def infeasible_because(self, table: Table) -> str:
        """Why no release of a table can satisfy the model, without values of records; empty if none is known."""
        return ""

    def most_confidence(self, share: float) -> float:
        """A share of a group that a value can never exceed which `share` of all persons have; 1 if there is no limit.

        It is the share of persons, for an attacker who knows all quasi columns. Warnings say it.
        """
        return 1.0

    def members(self) -> tuple[PrivacyModel, ...]:
        """The models that this one consists of."""
        return (self,)

    def as_group_model(self) -> GroupModel:
        """The same promise for algorithms that judge groups while they choose; accounted members judge none."""
        from sfumato.models.all_of import AllOf

        return AllOf(models=self.members())

    def measured(self) -> tuple[GroupModel, ...]:
        """The members that are judged by groups of the published records."""
        return ()

    def compared(self) -> tuple[PopulationModel, ...]:
        """The members that compare what is published with a population."""
        return ()

    def __and__(self, other: PrivacyModel) -> AllOf:
        from sfumato.models.all_of import AllOf

        return AllOf(models=(*self.members(), *demand_model(other).members()))

    def __bool__(self) -> bool:
        """Refused: `a and b` and `a or b` of Python ask for it, and give one of the two models without the other."""
        raise UsageError(
            "a model is neither true nor false; join models with &, not with 'and': "
            "KAnonymity(k=5) & DistinctLDiversity(l=2). Ask with 'is None' whether there is one."
        )


def demand_model(given: object) -> PrivacyModel:
    """The given model; raises an error for a name, a class or a list in its place, with what to write instead."""
    if isinstance(given, PrivacyModel):
        return given
    if isinstance(given, (list, tuple)):
        raise UsageError("one model is given; join several models with &: KAnonymity(k=5) & DistinctLDiversity(l=2).")
    named = find("models", given) if isinstance(given, str) else given
    if isinstance(named, type) and issubclass(named, PrivacyModel):
        got = "a text" if isinstance(given, str) else "a class"
        raise UsageError(f"a model is given with its settings; got {got}: write {named.call()}.")
    raise UsageError(f"a model is given with its settings, such as KAnonymity(k=5); got {type(given).__name__}.")
