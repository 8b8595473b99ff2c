"""Background knowledge: rule out impossible sensitive values, and see for whom only one is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.attacks.base import GroupAttack, Success, worst_groups
from sfumato.disclosure.groups import Groups
from sfumato.knowledge.knowledge import Knowledge
from sfumato.models.matching_l_diversity import MatchingLDiversity


@dataclass(frozen=True, kw_only=True)
class BackgroundKnowledge(GroupAttack):
    """Rules out the sensitive values that some people never have, and assigns the others until some are certain.

    A person with one value left is found. Nobody else in the group can have that value then, which may leave another
    person with a single value too. The rate is the share of people whose value is certain. The baseline is the share of
    people whose whole group has one value, which takes no knowledge. The control is the share of people for whom the
    rules alone leave one value of the column, which takes no release. Rules that contradict a group make nobody in it
    certain.

    >>> from sfumato.algorithms.bucketization.anatomy import Anatomy
    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=2), seed=0)
    >>> known = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]})
    >>> result = BackgroundKnowledge().run(release, known)
    >>> result.people, result.baseline, result.control
    (9, 0.0, 0.0)

    References: Li and Li (2008), section II.
    """

    learns = "the sensitive value with certainty"
    needs_truth = False
    needs_knowledge = True

    def _infer(self, groups: Groups, sensitive: str, knowledge: Knowledge | None) -> Success:
        known = Knowledge(sensitive) if knowledge is None else knowledge
        model = MatchingLDiversity(l=2, knowledge=known, sensitive=sensitive)
        table = model.with_derived_columns(groups.table)
        if groups.labels is not None:
            groups = Groups.of_labels(table, groups.labels)
        classes = groups.histogram(model.sensitive_columns(table.schema)[1])
        # No valid value at all means that the rules contradict the group; then nothing is certain.
        certain = model.valid(groups) == 1
        found = np.bincount(classes.group[certain], classes.counts[certain], len(groups))
        alone = int(groups.sizes[groups.histogram(sensitive).distinct == 1].sum())
        left = (~known.ruled_out(table)).sum(axis=1)
        control = int(table.counts[left == 1].sum())
        return Success(int(found.sum()), alone, control, worst_groups(groups.sizes, found))
