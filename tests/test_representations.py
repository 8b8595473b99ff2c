"""No representation of an object shows a value of a record: notebooks, logs and tracebacks print representations.

There are three nets. What a user holds is walked through from a release, a plan and an audit. Every dataclass and
named tuple that is made on the way is looked at, whoever holds it. And a field of one that could hold values of records
by its type is hidden, or listed here with a reason.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import UnionType
from typing import Any, ForwardRef, Union, get_args, get_origin
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import sfumato
from sfumato import Audit, Plan, Schema, Table
from sfumato.algorithms import Anatomy, Exhaustive, Mdav, Mondrian, Slicing, TopDownRefinement
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Column
from sfumato.engines.opening import open_frame
from sfumato.errors import SfumatoError
from sfumato.evaluation.learners import C45, GradientBoosting, NaiveBayes
from sfumato.evaluation.learners.features import Features
from sfumato.evaluation.queries import Estimator
from sfumato.evaluation.workloads import Classification, ClusterAnalysis, Drbt, QueryError, Split
from sfumato.gateway.gateway import Gateway
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.policy import Policy
from sfumato.knowledge import Item, Miner
from sfumato.masks.files import mask_file
from sfumato.metrics.base import Metric
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.plan.proposals.proposal import Proposal
from sfumato.report.html import draw_html
from sfumato.report.report import Report
from sfumato.republishing.insertion import insert
from sfumato.settings.params import Declared
from sfumato.taxonomies import Flat, Intervals
from tests.gateway import kabir
from tests.gateway.memory import customers
from tests.instances import instances

PEOPLE = pa.table(
    {
        "id": [f"canary{place}" for place in range(40)],
        "age": [7_770_000 + place for place in range(40)],
        "city": [f"canary{place % 5}" for place in range(40)],
        "ill": [f"canary{place % 4}" for place in range(40)],
    }
)
ADDRESS = re.compile(r" at 0x\w+")
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
SCHEMA = Schema.of(quasi=["age", "city"], sensitive=["ill"], identifiers=["id"])


def reachable(thing: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """The objects of this library that can be reached from one of them by its attributes."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    if isinstance(thing, dict):
        inner = list(thing.values())
    elif isinstance(thing, (list, tuple)) and not hasattr(thing, "_fields"):
        inner = list(thing)
    elif type(thing).__module__.startswith("sfumato."):
        yield thing
        inner = list(vars(thing).values()) if hasattr(thing, "__dict__") else []
        inner += [getattr(thing, name, None) for name in ("view", "groups", "numbers")]
    else:
        return
    for one in inner:
        yield from reachable(one, seen)


def shown(thing: Any) -> dict[str, str]:
    """By class, the start of a representation with a value of a record; three sevens may be part of any digest."""
    found = {type(one).__name__: ADDRESS.sub("", repr(one)) for one in reachable(thing, {})}
    return {name: text[:200] for name, text in found.items() if "canary" in text or "77700" in text}


def test_a_value_would_be_found() -> None:
    assert shown(Table.from_frame(PEOPLE, SCHEMA).taxonomies | {"x": Leaky()}) == {"Leaky": "canary"}


class Leaky:
    """Shows a value."""

    def __repr__(self) -> str:
        return "canary"


Leaky.__module__ = "sfumato.test"


@pytest.mark.parametrize(
    ("algorithm", "model"),
    [
        (Mondrian(), KAnonymity(k=4)),
        (Mdav(), KAnonymity(k=4)),
        (TopDownRefinement(), KAnonymity(k=4)),
        (Anatomy(), DistinctLDiversity(l=3)),
        (Slicing(), DistinctLDiversity(l=2)),
    ],
    ids=str,
)
def test_a_release_and_what_it_holds_show_no_value(algorithm: Any, model: Any) -> None:
    release = algorithm.anonymize(Table.from_frame(PEOPLE, SCHEMA), model)
    assert "40 records" in repr(release)
    assert str(model) in repr(release)
    assert shown(release) == {}
    assert shown(Report.of_release(release)) == {}


def test_a_plan_and_its_outcome_show_no_value(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "in.csv")
    roles = {"id": "identifier", "age": "quasi", "city": "quasi", "ill": "sensitive"}
    plan = Plan.of(
        {
            "data": {"path": "in.csv"},
            "columns": {name: {"role": role} for name, role in roles.items()},
            "models": [{"name": "k_anonymity", "k": 4}],
            "output": {"path": "out.csv"},
        },
        tmp_path,
    )
    assert shown([plan, plan.run()]) == {}
    audit = Audit.of_file(tmp_path / "out.csv", quasi=["age", "city"], sensitive=["ill"])
    assert repr(audit).startswith("<Audit: 40 records in ")
    assert shown(audit) == {}


def notebook_things() -> list[Any]:
    """One of everything that a notebook draws as a small table."""
    table = Table.from_frame(PEOPLE, SCHEMA)
    release = Mondrian().anonymize(table, KAnonymity(k=4) & DistinctLDiversity(l=2))
    audit = Audit.of_frame(release.frame(), quasi=["age", "city"], sensitive=["ill"])
    return [table, release, release.groups, release.verdicts[0], audit, Report.of_release(release)]


@pytest.mark.parametrize("thing", notebook_things(), ids=lambda one: type(one).__name__)
def test_a_notebook_shows_sizes_roles_and_verdicts_and_no_value(thing: Any) -> None:
    drawn = thing._repr_html_()
    assert drawn.startswith("<table><caption>")
    root = ElementTree.fromstring(drawn)
    assert {mark.tag for mark in root.iter()} <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert len(list(root.iter("tr"))) > 2
    assert not VALUE.search(drawn)
    assert "style" not in drawn
    text = repr(thing)
    assert re.fullmatch(r"<.{10,200}>", text)
    assert not VALUE.search(text)


def test_names_in_a_notebook_are_text_and_nothing_else() -> None:
    name = "<script>alert(1)</script>"
    table = Table.of_rows(Schema.of(quasi=[name]), {name: ["1", "2"]})
    assert "<script" not in table._repr_html_()
    assert "&lt;script" in table._repr_html_()


def test_a_table_of_many_columns_does_not_fill_the_notebook() -> None:
    names = [f"column {place}" for place in range(100)]
    drawn = Table.of_rows(Schema.of(quasi=names), {name: ["1"] for name in names})._repr_html_()
    assert drawn.count("<tr>") == 62  # heads, 60 columns, and how many more
    assert "and 40 more" in drawn


VALUE = re.compile(r"canary|77700\d\d|7\.770\d*e\+06")
LOOKED_AT = 30
"""Most objects of a class that are looked at in one test."""

STATED = {
    "knowledge.item.Item": "a statement about values, which is written by hand or mined to be read",
    "knowledge.rule.Rule": "a statement about values, which is written by hand or mined to be read",
    "knowledge.knowledge.Knowledge": "statements about values, which are written by hand or mined to be read",
    "knowledge.knowledge._Branch": "the statements again, while they are applied",
    "evaluation.queries.estimate.Estimate": "an answer that is estimated from a release, to be read",
    "evaluation.workloads.query_error.Query": "a question, which names the values that it asks for",
}
"""Classes that show values, and why."""

MANY = pa.table(
    {
        "id": [f"canary{place}" for place in range(60)],
        "age": [7_770_000 + place * 7 % 60 for place in range(60)],
        "pay": [7_770_000.5 + place * 11 % 60 for place in range(60)],
        "city": [f"canary{place % 5}" for place in range(60)],
        "ill": [f"canary{place % 4}" for place in range(60)],
        "class": [f"canary{place % 2}" for place in range(60)],
    }
)
ROLES: dict[str, Any] = {"sensitive": ["ill"], "identifiers": ["id"], "target": ["class"]}
BY_LEVEL = Schema.of(quasi=["age", "city"], taxonomies={"age": Intervals(width=10), "city": Flat()}, **ROLES)
OF_NUMBERS = Schema.of(quasi=["age", "pay"], **ROLES)


@cache
def kept_together() -> dict[type, str]:
    """Every dataclass and named tuple of the package, with its name."""
    modules = [import_module(found.name) for found in walk_packages(sfumato.__path__, "sfumato.")]
    classes = [one for module in modules for one in vars(module).values() if inspect.isclass(one)]
    return {
        one: f"{one.__module__}.{one.__qualname__}".removeprefix("sfumato.")
        for one in classes
        if one.__module__.startswith("sfumato.") and (is_dataclass(one) or hasattr(one, "_fields"))
    }


@pytest.fixture
def leaks(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """By class, the start of a representation with a value, of all dataclasses and named tuples that a test makes."""
    found: dict[str, str] = {}
    seen: Counter[type] = Counter()

    def look(one: Any) -> None:
        seen[type(one)] += 1
        name = kept_together().get(type(one))
        if seen[type(one)] <= LOOKED_AT and name is not None and name not in STATED:
            text = DIGEST.sub("", ADDRESS.sub("", repr(one)))
            if value := VALUE.search(text):
                found[name] = text[max(value.start() - 100, 0) : value.end() + 100]

    for one, called in kept_together().items():
        name = "__init__" if is_dataclass(one) else "__new__"
        if name in vars(one) and "loops" not in called.split(".") and not called.startswith("kernels."):  # compiled
            monkeypatch.setattr(one, name, _looking(getattr(one, name), one, look))
    return found


def _looking(make: Callable[..., Any], of: type, look: Callable[[Any], None]) -> Callable[..., Any]:
    """`__init__` or `__new__` of a class, which also shows what was made."""

    def made(first: Any, *given: Any, **named: Any) -> Any:
        result = make(first, *given, **named)
        one = first if result is None else result
        if type(one) is of:
            look(one)
        return result

    return made


def test_a_value_that_anything_holds_would_be_found(leaks: dict[str, str]) -> None:
    Item("ill", "canary")
    list(open_frame(MANY).rows({}, plain=["ill"]))
    assert leaks == {}
    Column(name="canary")
    assert leaks.keys() == {"data.schema.Column"}


@pytest.mark.parametrize("algorithm", instances("algorithms"), ids=str)
def test_what_an_algorithm_makes_shows_no_value(algorithm: TableAlgorithm, leaks: dict[str, str]) -> None:
    published = 0
    for model in (KAnonymity(k=4), DistinctLDiversity(l=2)):
        for schema in (BY_LEVEL, OF_NUMBERS):
            try:
                release = algorithm.anonymize(Table.from_frame(MANY, schema), model)
            except SfumatoError:
                continue
            release.frame()
            published += 1
            break
    assert published or algorithm.name() in (
        "hansen_mukherjee",
        "lsd_mondrian",
        "fixed_levels",
    )  # they take one column, a numeric target, or the columns that their settings name
    assert leaks == {}


def test_what_metrics_attacks_and_reports_make_shows_no_value(leaks: dict[str, str]) -> None:
    table = Table.from_frame(MANY, BY_LEVEL)
    generalized = Mondrian().anonymize(table, KAnonymity(k=4))
    averaged = Mdav().anonymize(Table.from_frame(MANY, OF_NUMBERS), KAnonymity(k=4))
    for release in (generalized, averaged, Anatomy().anonymize(table, DistinctLDiversity(l=2))):
        measured = 0
        for tool in (*instances("metrics"), *instances("attacks")):
            try:
                tool.measure(release) if isinstance(tool, Metric) else tool.run(release)
            except SfumatoError:
                continue
            measured += 1
        assert measured > 5
        draw_html(Report.of_release(release))
    insert(generalized, Table.from_frame(pa.concat_tables([MANY, MANY.slice(0, 9)]), BY_LEVEL), KAnonymity(k=4))
    assert leaks == {}


def test_what_learners_and_workloads_make_shows_no_value(leaks: dict[str, str]) -> None:
    features, classes = Features.of_frame(MANY, ["age", "city", "pay"]), np.arange(60, dtype=np.int32) % 2
    for learner in (C45(), NaiveBayes(), NaiveBayes(numeric="bins"), GradientBoosting()):
        fitted = learner.fit(features, classes)
        fitted.predict(features)
        assert not VALUE.search(repr(fitted))
    Classification().measure(MANY, BY_LEVEL, Exhaustive(), KAnonymity(k=4), Split.at_random(60, seed=0))
    ClusterAnalysis().measure(Table.from_frame(MANY, OF_NUMBERS), Mondrian(), KAnonymity(k=4))
    Drbt(dimensions=1).transform(MANY, ["age", "pay"])
    table = Table.from_frame(MANY, OF_NUMBERS)
    answers = Estimator.of_release(Anatomy().anonymize(table, DistinctLDiversity(l=2)))
    answers.average("age", Item("ill", "canary1"))
    QueryError(number=5, selectivity=0.5).measure(table, answers)
    Miner(min_expectation=0.1).mine(Table.from_frame(MANY, BY_LEVEL)).ruled_out(table)
    assert leaks == {}


def test_what_is_made_for_files_shows_no_value(tmp_path: Path, leaks: dict[str, str]) -> None:
    path = tmp_path / "in.csv"
    pyarrow.csv.write_csv(MANY, path)
    for mask in instances("masks"):
        columns = ["city"] if mask.for_kind == "categories" else ["age", "pay"]
        mask_file(path, [(mask, columns)], tmp_path / "masked.csv", seed=1)
    roles = {"id": "identifier", "age": "quasi", "city": "quasi", "ill": "sensitive", "pay": "plain", "class": "target"}
    Plan.of(
        {
            "data": {"path": "in.csv"},
            "columns": {name: {"role": role} for name, role in roles.items()},
            "models": [{"name": "k_anonymity", "k": 4}],
            "masks": [{"name": "noise", "columns": ["pay"]}],
            "attacks": [{"name": "naive_bayes_inference"}],
            "output": {"path": "out.csv", "certificate": "certificate.json", "report": "report.html"},
        },
        tmp_path,
    ).run()
    Audit.of_file(tmp_path / "out.csv", quasi=["age", "city"], sensitive=["ill"]).judge(KAnonymity(k=2))
    Proposal.of_file(path)
    assert leaks == {}


def test_what_a_gateway_makes_shows_no_value(monkeypatch: pytest.MonkeyPatch, leaks: dict[str, str]) -> None:
    people = [
        (place, f"canary{place}", 30 + place, f"{place}, canary St.", 7_770_000 + place) for place in (1, 2, 3, 4)
    ]
    monkeypatch.setattr(kabir, "CUSTOMERS", people)
    made = Gateway(
        Policy.of(kabir.policy()),
        customers(kabir.TABLE_3_2),
        clock=lambda: datetime(2026, 11, 16, 10, tzinfo=UTC),
    )
    russell = Person("russell", frozenset({"e-marketing"}), {"experience": 12})
    answer = made.query("SELECT name, address, income FROM customer", person=russell, purpose="Marketing")
    assert "canary1" in str(answer.rows())
    assert not VALUE.search(repr(answer))
    asked = "SELECT name FROM customer WHERE name = ?"
    made.query(asked, person=russell, purpose="Marketing", parameters=["canary1"])
    assert leaks == {}


SHOWN_FIELDS = {
    "losses, gains and distances, from which no value follows": (
        "algorithms.microaggregation.loops.maximum_distance.Reach.away",
        "algorithms.microaggregation.loops.maximum_distance.Reach.bound",
        "algorithms.microaggregation.loops.mst.SpanningTree.length",
        "algorithms.mondrian.loops.cuts.Cuts.left_loss",
        "algorithms.mondrian.loops.cuts.Cuts.right_loss",
        "algorithms.mondrian.loops.every_cut.Values.loss",
        "algorithms.specialization.scores.Effect.after",
        "algorithms.specialization.scores.Effect.before",
        "algorithms.specialization.scores.Effect.fallen",
        "algorithms.specialization.scores.Effect.gain",
        "algorithms.specialization.scores.Effect.loss",
        "kernels.neighbours.take_nearest.Near.distances",
    ),
    "weights, counts and shares of records": (
        "evaluation.learners.base.TrainingRecords.weights",
        "evaluation.learners.loops.tree_growth.Nodes.cases",
        "evaluation.learners.loops.tree_growth.Nodes.wrong",
        "evaluation.learners.loops.tree_splits.Cases.weights",
        "evaluation.learners.loops.tree_splits.Tally.sums",
        "evaluation.learners.naive_bayes._FittedNaiveBayes.prior",
        "evaluation.learners.naive_bayes._NameLikelihood.shares",
        "evaluation.queries.possible_worlds.PossibleWorlds.matching",
        "evaluation.queries.possible_worlds.PossibleWorlds.sizes",
        "knowledge.conditions.Conditions.base",
        "knowledge.conditions.Conditions.ratios",
        "knowledge.counting.Counting.weights",
        "knowledge.counting.Itemsets.counts",
        "knowledge.counting.Itemsets.supports",
        "knowledge.generality.RuleArrays.counts",
        "knowledge.generality.RuleArrays.supports",
        "knowledge.search.Search.needed",
    ),
    "degrees to which codes belong to a node": (
        "knowledge.axis.ItemAxis.grades",
        "knowledge.counting.Side.grades",
        "knowledge.membership.Membership.grades",
    ),
    "settings, and what is stated about a release": (
        "attacks.base.AttackResult.attack",
        "audit.certificate.Certificate.plan",
        "plan.proposals.proposed_column.ProposedColumn.taxonomy",
        "report.promise.Promise.model",
        "settings.params.Setting.default",
        "settings.params.Setting.type",
    ),
    "names of columns, measures, purposes and roles, and forms of files": (
        "gateway.people.authority.Authority.parents",
        "gateway.policy.purposes.PurposeTree.parents",
        "gateway.statistics.measured_numbers._AnswerCell.answer",
        "gateway.statistics.selected_rows.SelectedRows.columns",
        "gateway.statistics.selected_rows.SelectedRows.forms",
        "gateway.statistics.extreme_auditor._ColumnHistory.histories",
        "gateway.statistics.extreme_auditor._ColumnHistory.people",
    ),
    "facts about a database, and lines of a log": (
        "gateway.engines.duckdb.snapshots._LoadedState.epoch",
        "gateway.engines.postgres.deployment.ownership_comments.OwnershipComment.facts",
        "gateway.log.audit_lines.AuditLine.fields",
        "runtime.durable_lines._Batch.items",
    ),
}
"""By reason, fields that could hold values by their type, and are shown."""


def can_hold_values(kind: Any) -> bool:
    """Whether something of a type can hold values of records: Arrow, arrays of numbers, lists of texts, anything.

    Whole numbers in arrays are codes, counts and indices. A list of texts with gaps (`str | None`) is one of values;
    one without is one of names, and a test above finds values in it.
    """
    inner = get_args(kind)
    if kind in (Any, object, np.ndarray) or getattr(kind, "__module__", "").startswith("pyarrow"):
        return True
    if get_origin(kind) is np.ndarray:
        (number,) = get_args(inner[1])
        return not (inspect.isclass(number) and issubclass(number, (np.integer, np.bool_)))
    if get_origin(kind) in (None, type, Callable):
        return False
    texts = any(get_origin(one) in (Union, UnionType) and set(get_args(one)) & {str, bytes} for one in inner)
    listed = get_origin(kind) not in (Union, UnionType)
    return (listed and texts) or any(can_hold_values(one) for one in inner if one is not Ellipsis)


def shown_fields(one: type) -> Iterator[str]:
    """The fields that the generated representation of a class shows; none if it has another one."""
    own = inspect.unwrap(one.__repr__)
    file = own.__code__.co_filename if inspect.isfunction(own) else ""
    if is_dataclass(one) and file == "<string>":
        yield from (field.name for field in fields(one) if field.repr)
    elif hasattr(one, "_fields") and file.endswith("__init__.py"):
        yield from one._fields


def type_of(one: type, field: str) -> Any:
    """The type of a field."""
    owner = next(base for base in one.__mro__ if field in vars(base).get("__annotations__", {}))
    written = vars(owner)["__annotations__"][field]
    text = written.__forward_arg__ if isinstance(written, ForwardRef) else written
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    known = {**vars(builtins), "pa": pa, **vars(import_module(owner.__module__))}
    return eval(text, {name: known.get(name, Imported) for name in names})


class Imported:
    """Stands for a class that a module imports for type checkers only."""

    def __class_getitem__(cls, inner: object) -> type:
        return cls


def test_a_field_that_can_hold_values_is_hidden_or_has_a_reason_to_be_shown() -> None:
    found = {
        f"{name}.{field}"
        for one, name in kept_together().items()
        if not issubclass(one, Declared)  # settings
        for field in shown_fields(one)
        if can_hold_values(type_of(one, field))
    }
    assert sorted(found) == sorted(name for names in SHOWN_FIELDS.values() for name in names)
