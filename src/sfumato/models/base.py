"""The contract of a privacy model: a promise about a release that is checked on what was published.

`PrivacyModel` is the base of all models. Most models judge groups of records that look alike (`models/group_model.py`);
others are kept by the process that made the release and read from its account (`models/accounted_model.py`).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.view import View
from sfumato.releases.verdict import Verdict
from sfumato.settings.params import Declared

if TYPE_CHECKING:
    from sfumato.models.all_of import AllOf
    from sfumato.models.group_model import GroupModel


class PrivacyModel(Declared):
    """Base of all models. An author derives from `GroupModel` or `AccountedModel` and writes two members.

    Facts that others read: `evidence` ("measured" on what was published, or "accounted" for by the process),
    `guards_against` (attacks of the literature), `serves` (kinds of data it can judge), and `better` (whether a higher
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
        """Judge what is published, and say where it fails."""

    def with_knowledge(self, table: Table | None) -> PrivacyModel:
        """The model with everything that it reads from files or learns from the original table, which may be absent.

        Most models have nothing to learn.
        """
        return self

    def with_derived_columns(self, table: Table) -> Table:
        """A table of original values with the columns that the model computes for itself; most compute none."""
        return table

    def sensitive_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose histogram the model reads; refuses a schema that does not have them."""
        return ()

    def public_settings(self) -> dict[str, Any]:
        """Name and settings for a certificate or a report: nothing that was learned about people."""
        return self.to_dict()

    def warnings(self, table: Table) -> tuple[str, ...]:
        """Settings that have no effect on a table, in words that contain no value of a record."""
        return ()

    def infeasible_because(self, table: Table) -> str:
        """Why no release of a table can satisfy the model, without values of records; empty if no reason is known."""
        return ""

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

    def __and__(self, other: PrivacyModel) -> AllOf:
        from sfumato.models.all_of import AllOf

        return AllOf(models=(*self.members(), *other.members()))
