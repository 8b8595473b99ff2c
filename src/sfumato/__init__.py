"""Sfumato publishes data about persons so that the population stays visible and the person does not.

    import sfumato

    model = sfumato.KAnonymity(k=5) & sfumato.DistinctLDiversity(l=2)
    release = sfumato.anonymize(frame, model, quasi=["age", "zip"], sensitive=["disease"])
    release.frame()

Every name below is imported when it is first used, so that `import sfumato` stays light.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast, overload

from sfumato.runtime.renamed_modules import keep_old_names
from sfumato.settings.named_arguments import named_arguments

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.anatomy import Anatomy
    from sfumato.algorithms.bucketization.injector import Injector
    from sfumato.algorithms.full_domain.solution_space import SolutionSpace
    from sfumato.algorithms.mondrian.mondrian import Mondrian
    from sfumato.algorithms.specialization.top_down_refinement import TopDownRefinement
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.audit.audit import Audit
    from sfumato.data.kinds import Kind
    from sfumato.data.pseudonyms import Pseudonyms
    from sfumato.data.schema import Column, Role, Schema
    from sfumato.data.table import Table
    from sfumato.disclosure.groups import Groups
    from sfumato.engines.read_options import ReadOptions
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
    from sfumato.taxonomies.base import TaxonomyBuilder

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
    "ReadOptions",
    "RecursiveCLDiversity",
    "Report",
    "Role",
    "Schema",
    "SfumatoError",
    "SolutionSpace",
    "TCloseness",
    "Table",
    "TableRelease",
    "TopDownRefinement",
    "Verdict",
    "anonymize",
    "check",
    "explore",
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
    "ReadOptions": "engines.read_options",
    "RecursiveCLDiversity": "models.recursive_c_l_diversity",
    "Report": "report.report",
    "Role": "data.schema",
    "Schema": "data.schema",
    "SfumatoError": "errors",
    "SolutionSpace": "algorithms.full_domain.solution_space",
    "TCloseness": "models.t_closeness",
    "Table": "data.table",
    "TableRelease": "releases.table_release",
    "TopDownRefinement": "algorithms.specialization.top_down_refinement",
    "Verdict": "releases.verdict",
}

keep_old_names()


@overload
def anonymize(
    data: Table,
    model: PrivacyModel,
    *,
    algorithm: TableAlgorithm | str | None = None,
    suppression: float = 0.0,
    seed: int | None = None,
) -> TableRelease: ...


@overload
def anonymize(
    data: Any,
    model: PrivacyModel,
    *,
    quasi: Sequence[str],
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
    options: ReadOptions | None = None,
    algorithm: TableAlgorithm | str | None = None,
    suppression: float = 0.0,
    seed: int | None = None,
) -> TableRelease: ...


@named_arguments
def anonymize(
    data: Any,
    model: PrivacyModel,
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
    options: ReadOptions | None = None,
    algorithm: TableAlgorithm | str | None = None,
    suppression: float = 0.0,
    seed: int | None = None,
) -> TableRelease:
    """Choose what to publish of a table so that the model holds, judge it as an attacker sees it, and release it.

    The data are a frame (pandas, polars, pyarrow, anything with `__arrow_c_stream__`) or the path of a file, with the
    roles of the columns as in `Schema.of`; or a `Table`, which has its roles in its schema. `options` say how the file
    is read, such as `ReadOptions(encoding="cp1252")` or `ReadOptions(sheet="Staff")`. Columns without a role are plain,
    and are published unchanged.

    The algorithm is Mondrian unless another is given, by its name or with its settings: `"mdav"` or `Mdav()`;
    `suppression` is the share of records that may be left out; of persons, if the table has a person column.

    For a frame or a file, what models do not cover is a `DisclosureWarning`, such as columns without a role. These
    warnings are also in the report of the release.

    >>> import pyarrow as pa
    >>> from sfumato import DistinctLDiversity, KAnonymity
    >>> from sfumato.datasets.hospital import ROWS
    >>> model = KAnonymity(k=3) & DistinctLDiversity(l=2)
    >>> release = anonymize(pa.table(ROWS), model, quasi=["Job", "Sex", "Age"], sensitive=["Disease"])
    >>> sorted(set(release.frame()["Age"].to_pylist()))
    ['30', '{35, 38}']
    """
    roles = {
        "quasi": quasi,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "target": target,
        "plain": plain,
        "waiver": waiver,
        "person": person,
        "taxonomies": taxonomies,
        "kinds": kinds,
        "pseudonyms": pseudonyms,
        "quasi_identifiers": quasi_identifiers,
        "missing": missing,
    }
    from sfumato.data.base import Data

    chosen = _algorithm(algorithm)
    if isinstance(data, Data):
        _refuse_roles([*(name for name, value in roles.items() if value), *(["options"] if options else [])])
        return chosen.anonymize(cast("Table", data), model, suppression=suppression, seed=seed)
    from sfumato.data.schema import Schema
    from sfumato.engines.read_options import DETECTED
    from sfumato.plan.direct_calls import release_of

    schema = Schema.of(**cast("Any", roles))
    read = options or DETECTED
    release = release_of(data, schema, model, chosen, options=read, suppression=suppression, seed=seed)
    _warn(release.provenance["warnings"])
    return release


@named_arguments
def check(
    data: Any,
    model: PrivacyModel | None = None,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    taxonomies: Mapping[str, TaxonomyBuilder | Mapping[str, Any]] | None = None,
    waiver: str = "",
    person: str = "",
    missing: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> Audit:
    """Measure how well a frame or a file protects the persons in it; with a model, `verdicts` and `holds` judge it.

    `quasi` are the columns by which persons could be recognized, `sensitive` those that nobody must learn. What the
    other columns give away, and keys that repeat, are a `DisclosureWarning`. `Audit.of_file` also takes the population,
    the original and the parts of a release with buckets.

    >>> import pyarrow as pa
    >>> from sfumato import KAnonymity
    >>> from sfumato.datasets.hospital import ROWS
    >>> table = pa.table(ROWS).select(["Sex", "Disease"])
    >>> audit = check(table, KAnonymity(k=5), quasi=["Sex"], sensitive=["Disease"])
    >>> audit.k, audit.diversity["Disease"].distinct, audit.holds
    (3, 2, False)
    """
    from sfumato.engines.read_options import DETECTED
    from sfumato.plan.direct_calls import audit_of

    audit, warnings = audit_of(
        data,
        model,
        quasi=quasi,
        options=options or DETECTED,
        sensitive=sensitive,
        taxonomies=taxonomies,
        waiver=waiver,
        person=person,
        missing=missing,
    )
    _warn(warnings)
    return audit


@named_arguments
def explore(
    data: Any,
    model: PrivacyModel,
    *,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    target: Sequence[str] = (),
    person: str = "",
    taxonomies: Mapping[str, TaxonomyBuilder | Mapping[str, Any]] | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = (),
    options: ReadOptions | None = None,
    metrics: Sequence[str] = ("ncp",),
    suppression: float = 0.0,
    most: int = 100_000,
) -> SolutionSpace:
    """Look at all combinations of taxonomy levels: where the model holds, what is suppressed, what it loses and risks.

    The data are a frame or the path of a file, with the roles of the columns, or a `Table`. Every quasi column needs a
    taxonomy. `metrics` are names of the catalogue; `best()` and `front()` compare by them, and `release()` publishes
    the combination that is chosen. Of a space of more than `most` combinations only a part is looked at.

    >>> from sfumato import KAnonymity
    >>> from sfumato.datasets import hospital
    >>> space = explore(hospital(), KAnonymity(k=3))
    >>> space, space.best().levels
    (<SolutionSpace: 8 of 18 combinations hold, 100% looked at>, {'Job': 1, 'Sex': 0, 'Age': 1})
    """
    from sfumato.algorithms.full_domain.solution_space import SolutionSpace
    from sfumato.data.base import Data

    roles = {"quasi": quasi, "sensitive": sensitive, "target": target, "person": person, "taxonomies": taxonomies}
    more = {"kinds": kinds, "missing": missing}
    if isinstance(data, Data):
        given = [name for name, value in (roles | more).items() if value]
        _refuse_roles([*given, *(["options"] if options else [])])
        table = cast("Table", data)
    else:
        from sfumato.data.schema import Schema
        from sfumato.engines.read_options import DETECTED
        from sfumato.plan.direct_calls import table_of

        table = table_of(data, Schema.of(**cast("Any", roles | more)), options=options or DETECTED)
    return SolutionSpace.of(table, model, metrics=metrics, suppression=suppression, most=most)


def _warn(messages: Iterable[str]) -> None:
    """Issue warnings that name the line that called `anonymize` or `check`."""
    import warnings

    from sfumato.errors import DisclosureWarning

    for message in messages:
        warnings.warn(message, DisclosureWarning, stacklevel=4)


def _refuse_roles(given: Sequence[str]) -> None:
    """Raise an error if roles are given beside a table, which has them in its schema."""
    if given:
        from sfumato.errors import UsageError, listed

        raise UsageError(
            f"a table has its roles in its schema; {listed(given)} can be given with a frame or a file only."
        )


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
