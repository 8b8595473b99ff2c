"""Every model keeps its promises, and the checks notice when one does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given

from sfumato import models
from sfumato.checks import models as checks
from sfumato.checks.base import ConformanceError
from sfumato.data.schema import Schema
from sfumato.datasets import hospital
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.models.base import PrivacyModel
from sfumato.models.group_model import GroupModel, quasi_setting, sensitive_setting
from sfumato.models.search_bounds import SearchBounds
from sfumato.settings.catalogue import entries
from sfumato.settings.params import param
from tests.examples import examples
from tests.instances import instances
from tests.models.survey import LIKELY, NEVER, survey
from tests.strategies import small_tables

EVERY: list[PrivacyModel] = instances("models")  # in settings that fit `survey`
MODELS = [model for model in EVERY if isinstance(model, GroupModel)]
CASES = [
    pytest.param(model, check, id=f"{model}-{check.__name__}")
    for model in EVERY
    for check in checks.yield_checks(model)
]


def test_every_model_on_offer_is_put_through():
    assert [entry.name for entry in entries("models")] == list(dict.fromkeys(model.name() for model in EVERY))


@pytest.mark.parametrize(("model", "check"), CASES)
def test_every_model_conforms(model, check):
    assert check(model, survey()) is None


@examples(7)
@given(small_tables(max_sensitive=1, max_repeats=3))
def test_every_model_conforms_on_small_tables(table):
    ordered = table.domain("s0").ordered or "s0" in table.taxonomies
    checked = set()
    for model in MODELS:
        if any(getattr(member, "knowledge", None) in (NEVER, LIKELY) for member in model.members()):
            continue  # it is about other columns
        if model.about_distances and table.domain("s0").numbers is None:
            continue  # it refuses texts
        distance = getattr(model, "distance", "equal")
        if (distance == "hierarchical" and "s0" not in table.taxonomies) or (distance == "ordered" and not ordered):
            continue
        if set(model.named_values) <= set(table.domain("s0").texts):
            checks.check_model(model, table)
            checked.add(model.name())
    assert {"k_anonymity", "distinct_l_diversity", "alpha_k_anonymity"} <= checked


@dataclass(frozen=True, kw_only=True)
class SmallGroups(GroupModel):
    """Holds for groups of at most k records, and claims that merging keeps that."""

    better = "lower"
    k: int = param(3, doc="most records")

    @property
    def required(self):
        return self.k

    def level(self, groups):
        return groups.sizes.astype(float)


class Contrary(KAnonymity):
    """Says the opposite of what it measures."""

    def holds(self, groups):
        return ~super().holds(groups)


class Lenient(KAnonymity):
    """Says yes to everybody."""

    def holds(self, groups):
        return np.ones(len(groups), dtype=bool)


class Comparing(KAnonymity):
    """Looks at the other groups."""

    def holds(self, groups):
        return groups.sizes >= groups.sizes.max(initial=1)

    def level(self, groups):
        return np.where(self.holds(groups), float(self.k), 0.0)


class Cramped(KAnonymity):
    """Its bounds leave no group any room."""

    @property
    def bounds(self):
        return NoRoom()


class NoRoom(SearchBounds):
    """Bounds by which nothing can be divided."""

    def max_groups(self, groups, least):
        return np.zeros(len(groups))


class Hasty(DistinctLDiversity):
    """Says that one value is enough to count different ones."""

    def values_read(self, column, schema):
        return 1


class FirstCode(KAnonymity):
    """Cares which value has code 0."""

    def sensitive_columns(self, schema):
        return ("Disease",)

    def level(self, groups):
        return groups.histogram("Disease").of_value(0) + float(self.k)


class Nosy(KAnonymity):
    """Does not count missing values."""

    def sensitive_columns(self, schema):
        return ("Disease",)

    def level(self, groups):
        domain = groups.domain("Disease")
        return groups.histogram("Disease").dense(0, len(groups))[:, : domain.present].sum(axis=1) + 0.0


@dataclass(frozen=True, kw_only=True)
class Undeclared(KAnonymity):
    """Reads a sensitive column by a setting that does not say so."""

    column: str = param("Disease", doc="the sensitive column")

    def level(self, groups):
        return groups.histogram(self.column).distinct.astype(float)


class Peeping(KAnonymity):
    """Reads a column that is not there if only the declared ones are counted."""

    def holds(self, groups):
        groups.histogram("Disease")
        return super().holds(groups)


class Listing(KAnonymity):
    """Gives a list of levels."""

    def level(self, groups):
        return groups.sizes.tolist()


class OneAnswer(KAnonymity):
    """Gives one answer for all groups."""

    def holds(self, groups):
        return bool(super().holds(groups).all())


class Certified(KAnonymity):
    """Judges groups, and says that an account proves it."""

    evidence = "accounted"


class FirstRow(KAnonymity):
    """Cares which row comes first."""

    def level(self, groups):
        first = 0 if groups.labels is None or not len(groups.labels) else groups.labels[0]
        return np.where(np.arange(len(groups)) == first, 99.0, float(self.k))


class Forgetful(KAnonymity):
    """Does not write its k as it is."""

    def to_dict(self):
        return {"name": self.name(), "k": 1}


class Lossy(KAnonymity):
    """Measures a level where there is nothing to measure."""

    def measure(self, groups):
        return super().measure(groups) if len(groups) else 0.0


@pytest.mark.parametrize(
    ("model", "check", "complaint"),
    [
        (SmallGroups(), checks.check_kept_by_merging, "a merger of groups"),
        (Contrary(k=2), checks.check_answers_follow_levels, "beyond the required level"),
        (Lenient(k=5), checks.check_answers_follow_levels, "below the required level"),
        (Comparing(k=1), checks.check_other_groups_do_not_matter, "the other groups"),
        (Undeclared(k=1), checks.check_other_columns_do_not_matter, "does not declare to read"),
        (Peeping(k=1), checks.check_other_groups_do_not_matter, "fails without columns that it does not declare"),
        (Listing(k=1), checks.check_results_are_arrays, "no array of floats from level"),
        (OneAnswer(k=1), checks.check_results_are_arrays, "no array of booleans from holds"),
        (Certified(k=1), checks.check_declarations, "its evidence is 'measured'"),
        (Cramped(k=1), checks.check_room_is_never_too_small, "max_groups"),
        (Hasty(l=2), checks.check_values_read_are_enough, "more values of a group than its values_read"),
        (FirstCode(k=1), checks.check_code_order_does_not_matter, "the codes of values"),
        (Nosy(k=1), checks.check_missing_counts_as_a_value, "a value being missing"),
        (FirstRow(k=1), checks.check_row_order_does_not_matter, "the order of rows"),
        (Forgetful(k=2), checks.check_declarations, "not rebuilt"),
        (Lossy(k=2), checks.check_one_record_and_no_group, "without any group"),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, PrivacyModel) else None,
)
def test_a_broken_promise_is_noticed(model, check, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check(model, hospital())


def test_settings_that_select_columns_are_found_whatever_they_are_called():
    @dataclass(frozen=True, kw_only=True)
    class TwoValues(GroupModel):
        """Every group has two values."""

        guards_against = frozenset({"attribute linkage"})
        required = 2
        about: str = sensitive_setting()
        known: str = quasi_setting()

        def level(self, groups):
            return groups.histogram(groups.schema.one_sensitive(self.about)).distinct.astype(float)

    schema = Schema.of(quasi=["town", "age"], sensitive=["grade"], quasi_identifiers={"where": ["town"]})
    assert TwoValues(about="grade").sensitive_columns(schema) == ("grade",)
    assert TwoValues(known="where").known_columns(schema).columns == ("town",)
    assert TwoValues().known_columns(schema).columns == ("town", "age")


def test_a_model_answers_only_for_what_it_declares():
    class Honest(SmallGroups):
        kept_by_merging = False

    assert checks.check_kept_by_merging not in set(checks.yield_checks(Honest()))
    assert checks.check_kept_by_merging in set(checks.yield_checks(SmallGroups()))
    ordered = models.TCloseness(t=0.1, distance="ordered")
    assert checks.check_code_order_does_not_matter not in set(checks.yield_checks(ordered))


@pytest.mark.parametrize(("declared", "said"), [(frozenset(), "got none"), (frozenset({"theft"}), "got 'theft'")])
def test_a_model_that_does_not_say_what_it_guards_against_is_noticed(declared, said):
    class Silent(models.KAnonymity):
        guards_against = declared

    with pytest.raises(ConformanceError, match=said):
        checks.check_says_what_it_guards_against(Silent(k=2), survey())
