"""Sfumato publishes data about persons so that the population stays visible and the person does not.

    import sfumato

    table = sfumato.Table.from_frame(frame, sfumato.Schema.of(quasi=["age", "zip"], sensitive=["disease"]))
    release = sfumato.anonymize(table, sfumato.KAnonymity(k=5) & sfumato.DistinctLDiversity(l=2))
    release.frame()

Every name below is imported when it is first used, so that `import sfumato` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.runtime.renamed_modules import keep_old_names

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.anatomy import Anatomy
    from sfumato.algorithms.bucketization.injector import Injector
    from sfumato.algorithms.mondrian.mondrian import Mondrian
    from sfumato.algorithms.specialization.top_down_refinement import TopDownRefinement
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.audit.audit import Audit
    from sfumato.data.pseudonyms import Pseudonyms
    from sfumato.data.schema import Column, Role, Schema
    from sfumato.data.table import Table
    from sfumato.disclosure.groups import Groups
    from sfumato.errors import InfeasibleError, SfumatoError
    from sfumato.knowledge.knowledge import Knowledge
    from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
    from sfumato.models.base import PrivacyModel
    from sfumato.models.confidence_bounding import ConfidenceBounding
    from sfumato.models.distinct_l_diversity import DistinctLDiversity
    from sfumato.models.entropy_l_diversity import EntropyLDiversity
    from sfumato.models.k_anonymity import KAnonymity
    from sfumato.models.lkc_privacy import LkcPrivacy
    from sfumato.models.matching_l_diversity import MatchingLDiversity
    from sfumato.models.recursive_c_l_diversity import RecursiveCLDiversity
    from sfumato.models.t_closeness import TCloseness
    from sfumato.plan import Plan
    from sfumato.releases.table_release import TableRelease
    from sfumato.releases.verdict import Verdict
    from sfumato.report.report import Report

__version__: str

__all__ = [
    "AlphaKAnonymity",
    "Anatomy",
    "Audit",
    "Column",
    "ConfidenceBounding",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Groups",
    "InfeasibleError",
    "Injector",
    "KAnonymity",
    "Knowledge",
    "LkcPrivacy",
    "MatchingLDiversity",
    "Mondrian",
    "Plan",
    "Pseudonyms",
    "RecursiveCLDiversity",
    "Report",
    "Role",
    "Schema",
    "SfumatoError",
    "TCloseness",
    "Table",
    "TableRelease",
    "TopDownRefinement",
    "Verdict",
    "anonymize",
]

_HOMES = {
    "AlphaKAnonymity": "models.alpha_k_anonymity",
    "Anatomy": "algorithms.bucketization.anatomy",
    "Audit": "audit.audit",
    "Column": "data.schema",
    "ConfidenceBounding": "models.confidence_bounding",
    "DistinctLDiversity": "models.distinct_l_diversity",
    "EntropyLDiversity": "models.entropy_l_diversity",
    "Groups": "disclosure.groups",
    "InfeasibleError": "errors",
    "Injector": "algorithms.bucketization.injector",
    "KAnonymity": "models.k_anonymity",
    "Knowledge": "knowledge.knowledge",
    "LkcPrivacy": "models.lkc_privacy",
    "MatchingLDiversity": "models.matching_l_diversity",
    "Mondrian": "algorithms.mondrian.mondrian",
    "Plan": "plan",
    "Pseudonyms": "data.pseudonyms",
    "RecursiveCLDiversity": "models.recursive_c_l_diversity",
    "Report": "report.report",
    "Role": "data.schema",
    "Schema": "data.schema",
    "SfumatoError": "errors",
    "TCloseness": "models.t_closeness",
    "Table": "data.table",
    "TableRelease": "releases.table_release",
    "TopDownRefinement": "algorithms.specialization.top_down_refinement",
    "Verdict": "releases.verdict",
}

keep_old_names()


def anonymize(
    table: Table,
    model: PrivacyModel,
    *,
    algorithm: TableAlgorithm | str | None = None,
    suppression: float = 0.0,
    seed: int | None = None,
) -> TableRelease:
    """Choose what to publish of a table so that the model holds, judge it as an attacker sees it, and release it.

    The algorithm is Mondrian unless another is given, by its name or with its settings: `"mdav"` or `Mdav()`;
    `suppression` is the share of records that may be left out; of persons, if the table has a person column.
    """
    return _algorithm(algorithm).anonymize(table, model, suppression=suppression, seed=seed)


def _algorithm(given: object) -> TableAlgorithm:
    """The given algorithm; a text is its name in the catalogue, and None is Mondrian."""
    if given is None:
        from sfumato.algorithms.mondrian.mondrian import Mondrian

        return Mondrian()
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.errors import UsageError

    if isinstance(given, str):
        from sfumato.settings.catalogue import find

        given = find("algorithms", given).build({})
    if isinstance(given, type) and issubclass(given, TableAlgorithm):
        raise UsageError(f"an algorithm is given with its settings; got a class: write {given.call()}.")
    if not isinstance(given, TableAlgorithm):
        raise UsageError(
            "an algorithm is given with its settings, such as Mondrian(), or by its name, such as 'mondrian'."
        )
    return given


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("sfumato")
    if name == "Release":  # its name while tables were the only kind of data
        name = "TableRelease"
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    value = getattr(import_module(f"sfumato.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
