"""Conformance checks for algorithms.

Each check is a plain function of an algorithm and a small table whose quasi columns all have a taxonomy. No check looks
at how groups were chosen: the checks compare the published texts with what the model requires.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.checks.base import ConformanceError, demand, demand_declared
from sfumato.checks.satisfiable_models import satisfiable_models, simplest_model, size_models
from sfumato.data.domain import Domain
from sfumato.data.schema import Column, Role, Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, SfumatoError, UnsuitableError
from sfumato.models.base import PrivacyModel
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.releases.table_release import TableRelease
from sfumato.runtime.time_limit import stopping
from sfumato.taxonomies.taxonomy import interval_bounds

Check = Callable[[TableAlgorithm, Table], None]
Row = tuple[str | None, ...]

_LIMITS = (0.0, 0.3)
_SEARCHED = 5
"""Different combinations of quasi values, in several columns, from which there is something to search for."""


class CheckedRelease(NamedTuple):
    """A release that an algorithm made in a check, for a model and with a limit of suppression."""

    release: TableRelease
    model: PrivacyModel
    limit: float


def check_algorithm(algorithm: TableAlgorithm, table: Table, *, without: Sequence[Check] = ()) -> None:
    """Run every check except those in `without`; the first violation is raised as a ConformanceError.

    Checks of releases share their releases, and come last: a table that an algorithm has changed before it is checked
    for changes may look unchanged.
    """
    wanted = [check for check in CHECKS if check not in without]
    for check in wanted:
        if check not in _CHECKS_OF_RELEASES:
            check(algorithm, table)
    demands = [_CHECKS_OF_RELEASES[check] for check in wanted if check in _CHECKS_OF_RELEASES]
    if demands:
        _check_releases(algorithm, table, *demands)


def check_declarations(algorithm: TableAlgorithm, table: Table) -> None:
    """Settings and facts are declared as for all classes."""
    demand_declared(algorithm)


def check_stops_when_asked(algorithm: TableAlgorithm, table: Table) -> None:
    """An algorithm that declares `anytime` asks whether to stop, and publishes if it is to stop; no other one asks."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return True

    for model in satisfiable_models(algorithm, table):
        with stopping(stop):
            _demand_model_holds(algorithm, CheckedRelease(_release(algorithm, table, model), model, 0.0))
    demand(not asked or algorithm.anytime, algorithm, "can be stopped, but does not declare `anytime`")
    quasi = table.schema.quasi
    if len(quasi) > 1 and len(table.distinct(quasi)[0]) >= _SEARCHED:
        demand(bool(asked) or not algorithm.anytime, algorithm, "declares `anytime`, but never asks whether to stop")


def check_keeps_its_promise(algorithm: TableAlgorithm, table: Table) -> None:
    """The published records, grouped by their published texts, satisfy the model."""
    _check_releases(algorithm, table, _demand_model_holds)


def check_accounts_for_every_record(algorithm: TableAlgorithm, table: Table) -> None:
    """Every record is published once or counted as suppressed, and no more are suppressed than the limit allows.

    An algorithm has an account of what it spent exactly if it declares `accounts`.
    """
    _check_releases(algorithm, table, _demand_every_record)


def check_labels_are_true(algorithm: TableAlgorithm, table: Table) -> None:
    """Every published label covers the value it replaces: as codes, and, if truthful, read as an interval or set.

    A mean only has to come from the values it represents. Where links between columns are cut, every bucket must
    publish exactly the values of its records. The bucket column replaces no value, so its labels are not checked.
    """
    _check_releases(algorithm, table, _demand_true_labels)


def check_missing_counts_as_a_value(algorithm: TableAlgorithm, table: Table) -> None:
    """Records with missing values are protected like all others; they are not dropped, and no range covers them."""
    rows = _texts(table)
    for place, name in enumerate(table.schema.quasi):
        rows[name] = [None if record % 4 == place % 4 else text for record, text in enumerate(rows[name])]
    _check_releases(algorithm, Table.of_rows(table.schema, rows), *_CHECKS_OF_RELEASES.values())


def check_record_order_does_not_matter(algorithm: TableAlgorithm, table: Table) -> None:
    """The model holds regardless of the order of the records."""
    random = np.random.default_rng(0)
    for model in satisfiable_models(algorithm, table):
        shuffled = table.rows_at(random.permutation(len(table)))
        _demand_model_holds(algorithm, CheckedRelease(_release(algorithm, shuffled, model), model, 0.0))


def check_leaves_its_input_alone(algorithm: TableAlgorithm, table: Table) -> None:
    """The table is unchanged after a release and after a refusal."""
    before = _contents(table)
    for model in (*satisfiable_models(algorithm, table), simplest_model(algorithm, table, table.records + 1)):
        with _ignore(InfeasibleError):
            algorithm.anonymize(table, model, suppression=0.3)
    demand(before == _contents(table), algorithm, "changed the table it was given")


def check_same_seed_same_result(algorithm: TableAlgorithm, table: Table) -> None:
    """The same table, model and seed give the same published rows."""
    for model in satisfiable_models(algorithm, table):
        one, other = (algorithm.anonymize(table, model, seed=7) for _ in range(2))
        demand(
            _published_rows(one) == _published_rows(other),
            algorithm,
            "publishes two different results with the same seed",
        )


def check_refuses_by_type(algorithm: TableAlgorithm, table: Table) -> None:
    """Every kind of invalid request is refused with its type of error."""
    bare = Table.of_rows(Schema.of(sensitive=["answer"]), {"answer": ["affirmed", "denied"]})
    unknown_column = DistinctLDiversity(l=1, sensitive="a column that is not there")
    easy = simplest_model(algorithm, table, 1)
    _demand_refusal(algorithm, table, simplest_model(algorithm, table, table.records + 1), InfeasibleError)
    _demand_refusal(algorithm, table, unknown_column, SchemaError)
    _demand_refusal(algorithm, bare, simplest_model(algorithm, bare, 1), SchemaError)
    for limit in (-0.1, 1.1):
        _demand_refusal(algorithm, table, easy, ParameterError, suppression=limit)
    for fact in algorithm.needs:
        without_fact: type[PrivacyModel] = type("Lacking", (type(easy),), {fact: False})
        settings = {key: value for key, value in easy.to_dict().items() if key != "name"}
        _demand_refusal(algorithm, table, without_fact.build(settings), UnsuitableError)


def check_one_record(algorithm: TableAlgorithm, table: Table) -> None:
    """A table of one record is published if the model requires one record, and refused if it requires two."""
    one = table.rows_at(np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64))
    rows = _release(algorithm, one, simplest_model(algorithm, one, 1)).candidate.published_rows
    demand(rows.records == 1, algorithm, "does not publish a single record that may be published")
    _demand_refusal(algorithm, one, simplest_model(algorithm, one, 2), InfeasibleError)


def check_counts_persons(algorithm: TableAlgorithm, table: Table) -> None:
    """Groups and the limit on suppression count persons who have several records; otherwise the table is refused."""
    visits = _two_records_a_person(table)
    if not algorithm.counts_persons:
        _demand_refusal(algorithm, visits, simplest_model(algorithm, visits, 1), UnsuitableError)
        return
    for model in size_models(algorithm, visits):
        for limit in _LIMITS:
            release = _release(algorithm, visits, model, limit)
            _demand_model_holds(algorithm, CheckedRelease(release, model, limit))
            within = release.candidate.suppressed_persons <= limit * visits.persons + 1e-9
            demand(within, algorithm, f"suppresses more than {limit:.0%} of the persons")


CHECKS: tuple[Check, ...] = (
    check_declarations,
    check_leaves_its_input_alone,
    check_stops_when_asked,
    check_keeps_its_promise,
    check_accounts_for_every_record,
    check_labels_are_true,
    check_missing_counts_as_a_value,
    check_record_order_does_not_matter,
    check_same_seed_same_result,
    check_refuses_by_type,
    check_one_record,
    check_counts_persons,
)


def _check_releases(
    algorithm: TableAlgorithm, table: Table, *demands: Callable[[TableAlgorithm, CheckedRelease], None]
) -> None:
    """Publish the table for every model that it can satisfy, with and without suppression, and look at each release."""
    for model in satisfiable_models(algorithm, table):
        for limit in _LIMITS:
            published = CheckedRelease(_release(algorithm, table, model, limit), model, limit)
            for demanded in demands:
                demanded(algorithm, published)


def _release(algorithm: TableAlgorithm, table: Table, model: PrivacyModel, limit: float = 0.0) -> TableRelease:
    """A release for a model that can be satisfied."""
    try:
        return algorithm.anonymize(table, model, suppression=limit)
    except InfeasibleError:
        raise ConformanceError(f"{algorithm} refuses {model}, which can be satisfied.") from None


def _demand_model_holds(algorithm: TableAlgorithm, published: CheckedRelease) -> None:
    """Every member of the model holds for the groups of equal published texts."""
    release = published.release
    for member in published.model.measured():
        for columns in member.known_columns(release.original.schema):
            known = _columns_by_linkage(release, columns, member.sensitive_columns(release.original.schema))
            holds = release.holds and bool(member.holds(_groups_of_texts(release, known)).all())
            demand(holds, algorithm, f"does not satisfy {member}")


def _demand_every_record(algorithm: TableAlgorithm, published: CheckedRelease) -> None:
    """Records that are published and those that are suppressed are all records."""
    candidate, table = published.release.candidate, published.release.original
    counts = np.bincount(candidate.origin, weights=candidate.published.counts, minlength=len(table))
    demand(np.array_equal(counts, table.counts), algorithm, "loses records or publishes one twice")
    demand(
        algorithm.accounts == (candidate.account is not None),
        algorithm,
        "declares `accounts` and keeps no account, or the other way round",
    )
    within = candidate.suppressed_records <= published.limit * table.records + 1e-9
    demand(within, algorithm, f"suppresses more than {published.limit:.0%} of the records")


def _demand_true_labels(algorithm: TableAlgorithm, published: CheckedRelease) -> None:
    """Labels cover the values that they replace."""
    candidate, table = published.release.candidate, published.release.original
    _demand_own_values(algorithm, published.release)
    for name, labels in candidate.recoding.labels.items():
        if name not in table.codes:
            continue
        cells = set(zip(candidate.published.codes[name].tolist(), table.codes[name][candidate.origin], strict=True))
        for label, code in cells:
            covered = code in labels.covers(label)
            if algorithm.truthful:
                covered = covered and _reads_true(labels.texts[label], table.domain(name), code)
            demand(covered, algorithm, f"publishes a label in {name!r} that does not cover a value it replaces")


_CHECKS_OF_RELEASES = {
    check_keeps_its_promise: _demand_model_holds,
    check_accounts_for_every_record: _demand_every_record,
    check_labels_are_true: _demand_true_labels,
}
"""Checks that look at the same releases, each with what it demands of one."""


def _columns_by_linkage(release: TableRelease, columns: Sequence[str], sensitive: Sequence[str]) -> Sequence[str]:
    """The columns by which an attacker who knows `columns` can narrow down the values of the columns `sensitive`.

    In a release with cut links, these are the bucket and the known columns in the same block as the sensitive value.
    """
    linkage = release.candidate.linkage
    if not linkage.cut:
        return columns
    same_block = [name for block in linkage.blocks if set(block) & set(sensitive) for name in block]
    return (linkage.bucket_column, *(name for name in columns if name in same_block))


def _demand_own_values(algorithm: TableAlgorithm, release: TableRelease) -> None:
    """Every bucket publishes, for each separated block, exactly the values of its records."""
    candidate, table, linkage = release.candidate, release.original, release.candidate.linkage
    if not linkage.cut:
        return
    rows = np.repeat(np.arange(len(table)), table.counts)
    codes = {name: column[rows] for name, column in table.codes.items()}
    applied = candidate.recoding.apply(codes)
    kept, bucket = ~applied.suppressed, applied.labels[linkage.bucket_column]
    separate = release.parts.get("sensitive")
    for block in linkage.blocks[1:]:
        own = Counter(zip(bucket[kept], *(codes[name][kept] for name in block), strict=True))
        if separate is None:
            shown = Counter(zip(bucket[kept], *(applied.labels[name][kept] for name in block), strict=True))
        else:
            cells = zip(separate.codes[linkage.bucket_column], *(separate.codes[name] for name in block), strict=True)
            shown = Counter(dict(zip(cells, separate.counts.tolist(), strict=True)))
        demand(own == shown, algorithm, "publishes in a bucket values that its records do not have")


def _groups_of_texts(release: TableRelease, columns: Sequence[str]) -> Groups:
    """Groups of records with equal published texts."""
    number: dict[Row, int] = {}
    labels = [number.setdefault(row, len(number)) for row in _texts_of(release.candidate.published_rows, columns)]
    return Groups.of_labels(release.candidate.published_rows, np.array(labels, dtype=np.int32))


def _texts_of(table: Table, columns: Sequence[str]) -> Iterator[Row]:
    texts = [[table.domains[name].texts[code] for code in table.codes[name]] for name in columns]
    return zip(*texts, strict=True)


def _published_rows(release: TableRelease) -> dict[Row, int]:
    """Published rows with their numbers of records, independent of the order."""
    found: dict[Row, int] = {}
    linkage = release.candidate.linkage
    wanted = (*release.original.schema.judged, *((linkage.bucket_column,) if linkage.cut else ()))
    for name, part in release.parts.items():
        rows = _texts_of(part, [column for column in wanted if column in part.codes])
        for row, count in zip(rows, part.counts.tolist(), strict=True):
            found[name, *row] = found.get((name, *row), 0) + count
    return found


def _reads_true(text: str | None, domain: Domain, code: int) -> bool:
    """Whether a label that is an interval or a set contains the value; any other label is a name and counts as true."""
    if text is None or text == domain.texts[code]:
        return text == domain.texts[code]
    if text.startswith("{"):
        return domain.named(code).replace('"', '""') in text
    bounds = interval_bounds(text, domain.kind) if text[0] in "[(" else None
    if bounds is None or domain.numbers is None:
        return True
    low, low_in, high, high_in = bounds
    number = domain.numbers[code]
    return bool((low < number or (low_in and low == number)) and (number < high or (high_in and high == number)))


def _texts(table: Table) -> dict[str, list[str | None]]:
    """The records as plain columns of texts."""
    rows = np.repeat(np.arange(len(table)), table.counts)
    return {name: [table.domains[name].texts[code] for code in codes[rows]] for name, codes in table.codes.items()}


def _two_records_a_person(table: Table) -> Table:
    """Every record of a table twice, of two persons: each person has a record of their own and the one after it."""
    rows = _texts(table)
    key = next(name for name in ("person", "person key") if name not in rows)
    own = np.arange(table.records)
    persons = [str(person) for person in (*own, *np.roll(own, 1))]
    schema = replace(table.schema, columns=(*table.schema.columns, Column(name=key, role=Role.PERSON)))
    return Table.of_rows(schema, {name: texts * 2 for name, texts in rows.items()} | {key: persons})


def _contents(table: Table) -> tuple[bytes, ...]:
    """The contents of a table in a form that can be compared."""
    return (*(column.tobytes() for column in table.codes.values()), table.counts.tobytes())


@contextmanager
def _ignore(kind: type[SfumatoError]) -> Iterator[None]:
    """Suppress one type of error."""
    try:
        yield
    except kind:
        return


def _demand_refusal(
    algorithm: TableAlgorithm, table: Table, model: PrivacyModel, kind: type[SfumatoError], *, suppression: float = 0.0
) -> None:
    """The algorithm refuses with this type of error, and the message names no sensitive value."""
    secrets = [text for name in table.schema.sensitive for text in table.domain(name).texts if text]
    try:
        algorithm.anonymize(table, model, suppression=suppression)
    except kind as error:
        leaked = [text for text in secrets if not text.isdigit() and text in str(error)]
        demand(not leaked, algorithm, "names a sensitive value in a message")
        return
    except SfumatoError as error:
        demand(False, algorithm, f"raises {type(error).__name__} where {kind.__name__} is expected")
    demand(False, algorithm, f"does not raise {kind.__name__} where it is expected")
