"""Background knowledge: strike out what cannot be, and see whose secret is left."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.attacks.base import Attack, Success
from sfumato.attacks.targets import Targets
from sfumato.disclosure.groups import Groups
from sfumato.knowledge.knowledge import Knowledge
from sfumato.models.matching_l_diversity import MatchingLDiversity


@dataclass(frozen=True, kw_only=True)
class BackgroundKnowledge(Attack[Targets]):
    """Rules out the secrets that people of a kind never have, and hands out the others until some are certain.

    Whoever has only one secret left is found out; that takes it from the others of the group, and may leave one of them
    with a single secret too. The rate is the share of people whose secret is certain, the baseline the share of those
    whose whole group has one secret, for which nobody needs to know anything. Rules that contradict a group leave
    nobody in it certain.

    >>> from sfumato.data.schema import Schema
    >>> from sfumato.data.table import Table
    >>> people = {"Sex": ["F", "M"], "Disease": ["Ovarian Cancer", "Flu"]}
    >>> table = Table.of_rows(Schema.of(quasi=["Sex"], sensitive=["Disease"]), people)
    >>> known = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]})
    >>> BackgroundKnowledge().run(Targets(table, "Disease", table.group_numbers([])), known).rate
    1.0

    References: Li and Li (2008), section II.
    """

    learns = "the secret, for certain"
    needs_truth = False
    needs_knowledge = True

    def _attack(self, targets: Targets, knowledge: Knowledge | None) -> Success:
        known = Knowledge(targets.sensitive) if knowledge is None else knowledge
        model = MatchingLDiversity(l=2, knowledge=known, sensitive=targets.sensitive)
        table = model.with_derived_columns(targets.table)
        groups = Groups.of_labels(table, targets.group)
        classes = groups.histogram(model.sensitive_columns(table.schema)[1])
        certain = int(classes.counts[model.valid(groups) == 1].sum())
        alone = int(groups.sizes[groups.histogram(targets.sensitive).distinct == 1].sum())
        return Success(certain, alone)
