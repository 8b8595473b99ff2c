"""Releases to report on, made by hand so that every number is known: mostly Table 2.4 of the book (golden B4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.algorithms import Anatomy
from sfumato.attacks.base import AttackResult
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital, nine_patients
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.models.base import PrivacyModel
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.releases.table_candidate import TableCandidate
from sfumato.releases.table_release import TableRelease

SECRETS = ("Hepatitis", "HIV", "Flu")
NASTY = '</svg><script>alert("x")</script>'


def release_of(candidate: TableCandidate, *models: PrivacyModel) -> TableRelease:
    verdicts = tuple(model.check(candidate.view) for model in models)
    provenance = {"algorithm": {"name": "by_hand", "levels": [1, 0, 1]}, "seed": 7, "versions": {"sfumato": "0"}}
    return TableRelease(candidate, verdicts, provenance)


def book(*models: PrivacyModel) -> TableRelease:
    """The seven patients as the book publishes them: groups of 3 and 4."""
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    return release_of(candidate, *(models or (KAnonymity(k=3),)))


ATTACKS = (
    AttackResult({"name": "one"}, "one()", "the secret", 7, 0.5, 0.2, (0.25, 0.75), 0.1, ((3, 2.0),)),
    AttackResult({"name": "two"}, "two()", "whose record it is", 7, 0.0, 0.1, (0.0, 0.4)),
)


def visits() -> TableRelease:
    """Two persons in each of two wards; one person has three records."""
    rows = {"patient": list("aaabcd"), "ward": list("AAAABB"), "disease": ["flu", "flu", "gout", "flu", "cold", "gout"]}
    table = Table.of_rows(Schema.of(quasi=["ward"], sensitive=["disease"], person="patient"), rows)
    return release_of(
        generalize_groups(table, Partition.of_labels(np.array([0, 1], dtype=np.int32)[table.codes["ward"]]), sets=True)
    )


def bucketized() -> TableRelease:
    """Nine patients in three buckets of three, all of them different."""
    return Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3))


def without_group_of(size: int) -> TableRelease:
    """The same with one of its groups left out; of size 7, with both."""
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    groups = candidate.groups()
    sizes = groups.sizes[groups.labels]
    return release_of(candidate.suppressing((sizes == size) | (size == 7)), KAnonymity(k=3))


def homogeneous() -> TableRelease:
    """Grouped by job alone: engineers and dancers are alike in their disease, the lawyer too, writers are not."""
    return release_of(generalize_levels(hospital(), {"Job": 0, "Sex": 1, "Age": 2}), KAnonymity(k=1))


def nasty() -> TableRelease:
    """Names and values that would break a page, a terminal or a file if they were taken for more than text."""
    schema = Schema.of(quasi=[NASTY, "[bold]b"], identifiers=["id"], sensitive=["s"])
    rows: dict[str, Sequence[str | None]] = {
        NASTY: ["<b>", "&amp;", "[red]x[/red]", None],
        "[bold]b": ["1", "2", "3", "3"],
        "s": list("wxyz"),
    }
    table = Table.of_rows(schema, rows)
    candidate = generalize_groups(table, Partition.of_labels(np.array([0, 0, 1, 1], dtype=np.int32)), sets=True)
    return release_of(candidate, KAnonymity(k=2))
