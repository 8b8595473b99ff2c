"""Conformance checks for privacy models.

Each check is a plain function of a model and a table that has the columns the model needs. `yield_checks` selects the
checks that apply, according to what the model declares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.checks.base import ConformanceError, demand, demand_declared
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups, Histogram
from sfumato.errors import listed
from sfumato.kernels.arrays import Flags
from sfumato.models.base import ATTACKS, PrivacyModel
from sfumato.models.group_model import GroupModel

Check = Callable[[Any, Table], None]
Labels = NDArray[np.int32]

_ROUNDS = 12
_SLACK = 1e-9
_PERSONS = 500
"""Groups of persons that are drawn for a check."""
_FEW_RECORDS = 6
"""Records of which all sets are left out."""


def _with_prepared_table(check: Check) -> Check:
    """Pass a check the model with its knowledge loaded, and the table with the columns that the model derives."""

    @wraps(check)
    def prepare_and_check(model: GroupModel, table: Table) -> None:
        with_knowledge = model.with_knowledge(table).as_group_model()
        check(with_knowledge, with_knowledge.with_derived_columns(table))

    return prepare_and_check


def yield_checks(model: PrivacyModel) -> Iterator[Check]:
    """The checks that apply to a model, according to what it declares."""
    yield check_declarations
    yield check_says_what_it_guards_against
    if model.compared():
        yield check_groups_of_persons
    if model.measured():
        yield from _checks_of_groups(model.as_group_model())


def _checks_of_groups(model: GroupModel) -> Iterator[Check]:
    """The checks of a model that judges groups of records."""
    yield check_results_are_arrays
    yield check_answers_follow_levels
    yield check_row_order_does_not_matter
    yield check_missing_counts_as_a_value if model.missing_is_a_value else check_missing_counts_as_no_value
    yield check_one_record_and_no_group
    yield check_room_is_never_too_small
    yield check_left_out_is_never_too_many
    if not model.reads_order:
        yield check_code_order_does_not_matter
    yield check_other_groups_do_not_matter
    yield check_other_columns_do_not_matter
    yield check_values_read_are_enough
    if model.kept_by_merging:
        yield check_kept_by_merging
    if model.kept_by_suppressing:
        yield check_kept_by_suppressing


def check_model(model: PrivacyModel, table: Table) -> None:
    """Run every check that applies; the first violation is raised as a ConformanceError."""
    for check in yield_checks(model):
        check(model, table)


def check_groups_of_persons(model: PrivacyModel, table: Table) -> None:
    """`admits` gives a boolean for every group of persons, and merging and suppressing keep what the model declares."""
    random = np.random.default_rng(len(table))
    for one in model.compared():
        people = random.integers(1, 30, (2, _PERSONS))
        present = np.minimum(random.integers(0, 30, (2, _PERSONS)), people)
        held = [one.admits(*counts) for counts in zip(present, people, strict=True)]
        fits = all(isinstance(found, np.ndarray) and found.dtype == bool and len(found) == _PERSONS for found in held)
        demand(fits, model, "returns no array of booleans from admits, one a group")
        merged = one.admits(present.sum(axis=0), people.sum(axis=0))
        kept = not (held[0] & held[1] & ~merged).any()
        demand(kept or not one.kept_by_merging, model, "rejects a merger of groups that hold")
        none = one.admits(np.zeros(_PERSONS, dtype=np.int64), people[0])
        demand(bool(none.all()) or not one.kept_by_suppressing, model, "rejects groups of which all are suppressed")


def check_declarations(model: PrivacyModel, table: Table) -> None:
    """Settings and facts are declared as for all classes, and a model that judges groups is measured by them."""
    for member in model.members():
        demand_declared(member)
    demand(model.evidence == "measured", model, "judges groups, so its evidence is 'measured'")


def check_says_what_it_guards_against(model: PrivacyModel, table: Table) -> None:
    """A report explains what a model is for by the attacks that it declares."""
    unknown = sorted(model.guards_against - ATTACKS.keys())
    if unknown or not model.guards_against:
        raise ConformanceError(
            f"{model} must say in guards_against which of these it is for: {listed(sorted(ATTACKS))}; got "
            f"{listed(unknown) if unknown else 'none'}."
        )


@_with_prepared_table
def check_results_are_arrays(model: GroupModel, table: Table) -> None:
    """`holds` gives an array with a boolean for every group, and `level` one with a float for every group."""
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels)
        for name, kind in (("level", "f"), ("holds", "b")):
            found, what = getattr(model, name)(groups), "booleans" if kind == "b" else "floats"
            fits = isinstance(found, np.ndarray) and found.shape == (len(groups),) and found.dtype.kind == kind
            demand(fits, model, f"returns no array of {what} from {name}, one a group")


@_with_prepared_table
def check_answers_follow_levels(model: GroupModel, table: Table) -> None:
    """A group that holds reaches the required level; a group that clearly reaches it and is large enough holds."""
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels)
        holds, level, slack = model.holds(groups), model.level(groups), _SLACK * max(1.0, abs(model.required))
        beyond = level - model.required if model.better == "higher" else model.required - level
        large = groups.sizes >= model.bounds.least_size()
        demand(not (holds & (beyond < -slack)).any(), model, "accepts a group below the required level")
        demand(not (~holds & (beyond > slack) & large).any(), model, "rejects a group beyond the required level")
        demand(not (holds & ~large).any(), model, "accepts a group below its own least size")
        worst = level.min() if model.better == "higher" else level.max()
        demand(model.measure(groups) == worst, model, "measures something other than its worst group")


@_with_prepared_table
def check_row_order_does_not_matter(model: GroupModel, table: Table) -> None:
    """The result does not depend on the order of rows."""
    random = np.random.default_rng(0)
    for labels in _groupings(table):
        order = random.permutation(len(table))
        shuffled = Groups.of_labels(table.rows_at(order), labels[order])
        _demand_same(model, Groups.of_labels(table, labels), shuffled, "the order of rows")


@_with_prepared_table
def check_code_order_does_not_matter(model: GroupModel, table: Table) -> None:
    """The result does not depend on the codes of values."""
    random = np.random.default_rng(0)
    for labels in _groupings(table):
        other = table
        for column in model.sensitive_columns(table.schema):
            other = _permute_codes(other, column, random)
        _demand_same(model, Groups.of_labels(table, labels), Groups.of_labels(other, labels), "the codes of values")


@_with_prepared_table
def check_missing_counts_as_a_value(model: GroupModel, table: Table) -> None:
    """The model treats a missing value like any other value."""
    other = table
    for column in model.sensitive_columns(table.schema):
        domain = other.domain(column)
        free = [code for code, text in enumerate(domain.texts) if text not in model.named_values]
        if domain.has_missing or not free or (model.reads_order and free[-1] != len(domain) - 1):
            continue
        # a missing value has the last code, so a value that the model does not name gets it
        other = _recoded(other, column, np.array([code for code in range(len(domain)) if code != free[-1]] + free[-1:]))
        domain = other.domain(column)
        with_missing = replace(domain, texts=(*domain.texts[:-1], None), has_missing=True)
        other = replace(other, domains={**other.domains, column: with_missing})
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels)
        _demand_same(model, groups, Groups.of_labels(other, labels), "a value being missing")


@_with_prepared_table
def check_missing_counts_as_no_value(model: GroupModel, table: Table) -> None:
    """Missing values in a group do not matter as long as it has a known one; without, it does not hold."""
    known = np.ones(len(table), dtype=bool)
    for column in model.sensitive_columns(table.schema):
        known &= table.codes[column] < table.domain(column).present
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels)
        some = np.bincount(labels, weights=known, minlength=len(groups)) > 0
        fewer = Groups.of_labels(table.rows_where(known), _renumber(labels[known].astype(np.int64)))
        demand(not model.holds(groups)[~some].any(), model, "accepts a group of which no value is known")
        same = np.allclose(model.level(groups)[some], model.level(fewer), rtol=_SLACK, atol=_SLACK)
        demand(same, model, "changes its level with missing values")


@_with_prepared_table
def check_one_record_and_no_group(model: GroupModel, table: Table) -> None:
    """A single record, a single group and no group at all give as many results as there are groups."""
    one = table.rows_at(np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64))
    alone = Groups.of_labels(one, np.zeros(1, dtype=np.int32))
    whole = Groups.of_labels(table, np.zeros(len(table), dtype=np.int32))
    none = Groups.of_labels(table.rows_at(np.zeros(0, dtype=np.int64)), np.zeros(0, dtype=np.int32))
    for groups, expected in ((alone, 1), (whole, 1), (none, 0)):
        results = (
            len(model.holds(groups)),
            len(model.level(groups)),
            len(model.bounds.max_groups(groups, model.bounds.least_size())),
        )
        demand(results == (expected,) * 3, model, f"gives {results} results for {expected} groups")
    demand(bool(np.isnan(model.measure(none))), model, "measures a level without any group")


@_with_prepared_table
def check_room_is_never_too_small(model: GroupModel, table: Table) -> None:
    """`max_groups` is a valid bound: at least 1 for a group that holds, and for the table at least its valid groups."""
    least = model.bounds.least_size()
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels)
        holds, max_groups = model.holds(groups), model.bounds.max_groups(groups, least)
        demand(bool((max_groups > 0).all()), model, "returns max_groups of 0, by which algorithms divide")
        demand(bool((max_groups[holds] >= 1).all()), model, "returns max_groups below 1 for a group that holds")
        whole = Groups.of_labels(table, np.zeros(len(table), dtype=np.int32))
        fits = not holds.all() or model.bounds.max_groups(whole, least)[0] >= len(groups) - _SLACK
        demand(bool(fits), model, f"returns max_groups below {len(groups)} for a table with as many valid groups")


@_with_prepared_table
def check_left_out_is_never_too_many(model: GroupModel, table: Table) -> None:
    """Wherever at most so many records are left out and the rest of a group holds, `left_out` are among them."""
    rows = np.repeat(np.arange(len(table)), np.minimum(table.counts, 2))[:_FEW_RECORDS]
    few = table.without_persons().rows_at(rows, np.ones(len(rows), dtype=np.int64))
    for labels in _groupings(few):
        groups = Groups.of_labels(few, labels)
        for gone in _subsets(len(few)):
            holding = _held_by(model, few, labels, ~gone)
            # groups whose records that are left all hold, together or alone
            fits = np.bincount(labels[~gone & ~holding], minlength=len(groups)) == 0
            out = np.bincount(labels[gone], minlength=len(groups))
            bound = model.bounds.left_out(groups, int(gone.sum()))
            demand(bool((out >= bound)[fits].all()), model, "has more records left out than need be")


def _held_by(model: GroupModel, table: Table, labels: Labels, left: Flags) -> Flags:
    """Which of the rows that are left hold in their group or as a group of their own."""
    holding, rest = np.zeros(len(table), dtype=bool), table.rows_where(left)
    for parts in (labels[left], np.arange(len(rest), dtype=np.int32)) if len(rest) else ():
        numbered = _renumber(parts.astype(np.int64))
        holding[left] |= model.holds(Groups.of_labels(rest, numbered))[numbered]
    return holding


def _subsets(size: int) -> Iterator[Flags]:
    """All sets of so many rows, as masks."""
    for number in range(2**size):
        yield np.array([number >> row & 1 == 1 for row in range(size)], dtype=bool)


@_with_prepared_table
def check_other_groups_do_not_matter(model: GroupModel, table: Table) -> None:
    """The result for a group does not depend on the other groups."""
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels)
        sensitive = model.sensitive_columns(table.schema)
        matrices = {name: groups.histogram(name).dense(0, len(groups)) for name in sensitive}
        for index in range(len(groups)):
            some = {name: matrix[index : index + 1] for name, matrix in matrices.items()}
            alone = Groups.of_matrices(table, groups.sizes[index : index + 1], some)
            try:
                same = model.holds(alone)[0] == model.holds(groups)[index]
            except KeyError as error:
                raise ConformanceError(f"{model} fails without columns that it does not declare to read.") from error
            demand(bool(same), model, "changes its result for a group with the other groups")


@_with_prepared_table
def check_other_columns_do_not_matter(model: GroupModel, table: Table) -> None:
    """The result depends on no column but those that the model says it reads, for only these are judged."""
    random = np.random.default_rng(0)
    read = set(model.sensitive_columns(table.schema))
    for labels in _groupings(table):
        codes = {
            column: values if column in read else values[random.permutation(len(table))]
            for column, values in table.codes.items()
        }
        other = Groups.of_labels(replace(table, codes=codes), labels)
        _demand_same(model, Groups.of_labels(table, labels), other, "columns that it does not declare to read")


@_with_prepared_table
def check_values_read_are_enough(model: GroupModel, table: Table) -> None:
    """`holds` and `bounds` need no more of the most frequent values of a group than the model declares."""
    least = model.bounds.least_size()
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels).of_records()
        fewer = {}
        for name in model.sensitive_columns(table.schema):
            most = model.values_read(name, table.schema)
            histogram = groups.histogram(name)
            always = model.always_read(table.domain(name))
            fewer[name] = histogram if most is None else _most_frequent(histogram, max(most, 1), always)
        some = Groups.of_histograms(groups.table, groups.sizes, fewer)
        same = np.array_equal(model.holds(groups), model.holds(some)) and np.array_equal(
            model.bounds.max_groups(groups, least), model.bounds.max_groups(some, least)
        )
        demand(same, model, "reads more values of a group than its values_read says")


@_with_prepared_table
def check_kept_by_merging(model: GroupModel, table: Table) -> None:
    """The union of groups that hold also holds."""
    random = np.random.default_rng(0)
    for labels in _groupings(table):
        fine = Groups.of_labels(table, labels)
        merger = _renumber(random.integers(0, max(1, len(fine) // 2), len(fine)))
        safe = np.ones(int(merger.max()) + 1, dtype=bool)
        np.logical_and.at(safe, merger, model.holds(fine))
        coarse = model.holds(Groups.of_labels(table, merger[labels]))
        demand(bool(coarse[safe].all()), model, "rejects a merger of groups that hold")


@_with_prepared_table
def check_kept_by_suppressing(model: GroupModel, table: Table) -> None:
    """Groups that hold still hold when other groups are left out of the table."""
    for labels in _groupings(table):
        groups = Groups.of_labels(table, labels)
        holds = model.holds(groups)
        stays = (np.arange(len(groups)) % 2 == 0) | ~holds
        if stays.all() or not stays.any():
            continue
        kept = stays[labels]
        fewer = Groups.of_labels(table.rows_where(kept), _renumber(labels[kept].astype(np.int64)))
        still = model.holds(fewer)
        demand(bool(still[holds[stays]].all()), model, "rejects groups that hold once others are left out")


def _groupings(table: Table) -> Iterator[Labels]:
    """Seeded random groupings of a table's rows, from one group to nearly one group per row."""
    random = np.random.default_rng(len(table))
    for most in np.linspace(1, max(1, len(table)), _ROUNDS).astype(int):
        yield _renumber(random.integers(0, most, len(table)))


def _most_frequent(histogram: Histogram, most: int, always: Flags) -> Histogram:
    """The histogram with the values that are always listed, and as many of the most frequent others of each group."""
    kept = []
    for start, stop in pairwise(histogram.starts.tolist()):
        cells = np.arange(start, stop)
        others = cells[~always[histogram.values[start:stop]]]
        frequent = others[np.argsort(-histogram.counts[others], kind="stable")[:most]]
        kept.append(np.sort(np.concatenate([cells[always[histogram.values[start:stop]]], frequent])))
    starts = np.cumsum([0, *map(len, kept)])
    cells = np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64)
    return replace(histogram, starts=starts, values=histogram.values[cells], counts=histogram.counts[cells])


def _renumber(labels: NDArray[np.int64]) -> Labels:
    """The same groups, numbered from 0 without gaps."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def _permute_codes(table: Table, column: str, random: np.random.Generator) -> Table:
    """The same records with the codes of a column permuted, and without taxonomies, which depend on codes."""
    domain = table.domain(column)
    order = np.concatenate([random.permutation(domain.present), np.arange(domain.present, len(domain))])
    return replace(_recoded(table, column, order), taxonomies={})


def _recoded(table: Table, column: str, order: NDArray[np.int64]) -> Table:
    """The same records with other codes in a column; `order[i]` is the old code of the new code i."""
    codes = {**table.codes, column: np.argsort(order).astype(np.int32)[table.codes[column]]}
    return replace(table, codes=codes, domains={**table.domains, column: table.domain(column).reordered(order)})


def _demand_same(model: GroupModel, one: Groups, other: Groups, what: str) -> None:
    same = np.array_equal(model.holds(one), model.holds(other))
    near = np.allclose(model.level(one), model.level(other), rtol=_SLACK, atol=_SLACK)
    demand(same and near, model, f"changes its result with {what}")
