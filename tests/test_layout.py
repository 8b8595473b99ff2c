"""The shape of the house: who may import whom, one thing a file, true exports, a test for every module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import sfumato
from sfumato import catalogue

SOURCE = Path(sfumato.__file__).parent
TESTS = Path(__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

LAYERS = (
    ("errors",),
    (
        "params",
        "ratios",
        "information",
        "progress",
        "patience",
        "naming",
        "staging",
        "pseudonyms",
        "budget",
        "sections",
    ),
    ("kernels",),
    ("domain", "packing", "partition"),
    ("taxonomies",),
    ("schema", "labels", "buckets"),
    ("strangers",),
    ("engines.base",),
    ("table",),
    ("groups", "lattice", "recoding", "bucket_recoding"),
    ("knowledge",),
    ("groupings",),
    ("release", "masked"),
    ("models", "operations", "metrics", "risk"),
    ("algorithms", "engines"),
    ("learners", "clusterers", "masks", "transforms"),
    ("catalogue", "insertion", "masking", "published", "release_files", "separation"),
    ("queries",),
    ("workloads", "attacks"),
    ("audit", "proposal", "report"),
    ("certificate",),
    ("plan", "checks", "datasets"),
    ("gateway",),
    ("cli",),
    ("sfumato", "__main__"),
)
"""From the foundation up; a module imports from its own layer and from those before it, never from a later one."""

UPWARD = {
    ("table", "engines.duckdb"): "from_frame and read open the default engine, when they are called",
    ("release", "engines.publishing"): "a release publishes itself, when it is asked to",
    ("plan.publication", "gateway.setup"): "a plan may take what a gateway answers as its data, when it is run",
    ("release", "report.report"): "a release reports on itself, when it is asked to",
}
"""Imports that point up. Each stands inside a function or is for type checkers only, so nothing is loaded for it."""

FRAMES = {"pyarrow", "pandas", "polars", "narwhals", "duckdb"}
AT_THE_DOOR = {
    "gateway": "questions are asked of databases, and answers are rows",
    "table": "the door to frames",
    "engines": "where records are counted and written",
    "learners.features": "features are read from any frame, and what is learned from is no table of codes",
    "datasets.draws": "made-up records come out as Arrow, which every frame library reads",
    "datasets.employees": "made-up records come out as Arrow, which every frame library reads",
}

BESIDE_THE_CATALOGUE = {
    "algorithms.anonymity_index": "how safe the smallest groups are on the way up, for bottom-up generalization",
    "algorithms.cutting": "the machinery of Mondrian and its family",
    "algorithms.distinct_rows": "rows under one recoding of single columns after the other",
    "algorithms.evolution": "the search loop of the genetic algorithm",
    "algorithms.local_search": "makes groups that are there already better",
    "algorithms.losses": "what a group would lose, in the form kernels read",
    "algorithms.offered": "finds algorithms by name, for those that are made of others",
    "algorithms.splits": "recodings of single columns as strings of bits",
    "algorithms.targeted": "what Mondrian's relatives that cut for a prediction have in common",
    "attacks.targets": "the people that attacks are aimed at",
    "learners.features": "what every learner sees of a record",
    "learners.pruning": "cuts the tree of C4.5 back",
    "learners.ranking": "asks a learner again and again which column matters most",
    "learners.tree": "what C4.5 has learned",
    "models.informed": "what models that guard against knowledge have in common",
    "taxonomies.taxonomy": "the tree that all builders build",
    "taxonomies.proposal": "chooses a builder",
    "taxonomies.reading": "finds the builder a plan asks for",
    "transforms.column_types": "what columns hold, in the same words for every engine",
    "transforms.grids": "which values a column can have at all",
    "transforms.steps": "an axis cut into steps, for buckets and rounding",
}
"""Files in a catalogue folder that offer nothing themselves."""

TESTED_ELSEWHERE = {
    "algorithms.base": "tests/algorithms/ and tests/checks/test_algorithms.py, through its two families",
    "algorithms.cutting": "tests/algorithms/test_mondrian.py, whose every line it is",
    "algorithms.losses": "tests/kernels/test_cuts.py, against plain losses",
    "algorithms.microaggregation.base": "tests/algorithms/, through every way, and tests/test_waiving.py",
    "algorithms.refining.choices": "tests/algorithms/test_top_down_refinement.py, step by step against a plain search",
    "algorithms.refining.guards": "tests/algorithms/test_top_down_refinement.py, with rows listed and not",
    "algorithms.refining.leaf_guard": "tests/algorithms/test_top_down_refinement.py, with glimpses and without",
    "algorithms.refining.promises": "tests/algorithms/test_top_down_refinement.py, requirements that imply others",
    "algorithms.refining.refiner": "tests/algorithms/test_top_down_refinement.py, through the family",
    "algorithms.refining.search": "tests/algorithms/test_top_down_refinement.py, step by step against a plain search",
    "algorithms.refining.subset_guard": "tests/algorithms/test_hdtds.py, step by step against a plain search",
    "attacks.base": "tests/attacks/ and tests/checks/test_attacks.py, through the attacks",
    "bucket_recoding": "tests/operations/test_bucketize.py, which makes and applies them",
    "checks.base": "tests/checks/, which raise its one error",
    "engines.base": "tests/engines/test_duckdb.py; the contract has no code of its own",
    "engines.frames": "tests/engines/test_publishing.py, frame by frame",
    "engines.sinks": "tests/engines/test_publishing.py and tests/engines/test_files.py",
    "cli.gateway_audit": "tests/cli/test_gateway.py, command by command",
    "cli.gateway_deploy": "tests/cli/test_gateway.py, on a real server",
    "cli.gateway_options": "tests/cli/test_gateway.py, with every command",
    "cli.gateway_serve": "tests/cli/test_gateway.py, what it refuses; tests/gateway/test_door.py, what it serves",
    "cli.gateway_users": "tests/cli/test_gateway.py, command by command",
    "gateway.door_requests": "tests/gateway/test_door.py, request by request",
    "gateway.door_responses": "tests/gateway/test_door.py, status by status",
    "gateway.serving": "tests/gateway/test_door.py, through the door",
    "gateway.cells": "tests/gateway/test_views.py, cell by cell against the plain definition",
    "gateway.limits": "tests/gateway/engines/test_embedded.py, and its doctest",
    "gateway.sections": "tests/gateway/test_policy.py, which reads and refuses them",
    "gateway.source": "tests/gateway/engines/, through both sources; the contract has no code of its own",
    "gateway.sql.aggregates": "tests/gateway/sql/test_queries.py, against the engine itself",
    "gateway.sql.arithmetic": "tests/gateway/test_agreement.py, on both engines",
    "gateway.sql.casts": "tests/gateway/test_agreement.py, on both engines",
    "gateway.sql.kinds": "tests/gateway/test_agreement.py, what may meet and what is refused",
    "gateway.sql.sorting": "tests/gateway/test_agreement.py, on both engines",
    "gateway.sql.expressions": "tests/gateway/sql/test_queries.py, against the engine itself",
    "gateway.sql.functions": "tests/gateway/sql/test_queries.py, against the engine itself",
    "gateway.sql.masked": "tests/gateway/test_gateway.py, with every row policy",
    "gateway.sql.names": "tests/gateway/sql/test_queries.py, what names mean and which are refused",
    "gateway.sql.outputs": "tests/gateway/sql/test_queries.py and tests/gateway/test_answers.py",
    "gateway.sql.sources": "tests/gateway/sql/test_queries.py, join by join",
    "gateway.sql.subqueries": "tests/gateway/sql/test_queries.py and test_soundness.py",
    "gateway.sql.understood": "tests/gateway/sql/test_queries.py, what is refused",
    "gateway.sql.values": "tests/gateway/sql/test_predicates.py, which are made of them",
    "gateway.statistics.access": "tests/gateway/statistics/, through both kinds of answers",
    "gateway.statistics.hashing": "tests/gateway/statistics/test_exact_answers.py, on both engines",
    "gateway.statistics.kept_values": "its doctests, and tests/gateway/statistics/test_exact_answers.py",
    "gateway.statistics.noise": "tests/gateway/statistics/test_noisy_answers.py",
    "gateway.statistics.questions": "tests/gateway/statistics/test_exact_answers.py, what may be asked for",
    "gateway.statistics.total_conditions": "tests/gateway/statistics/test_noisy_answers.py, what can fail and what not",
    "gateway.voices": "tests/gateway/test_views.py, whose expectation it is, and test_gateway.py by hand",
    "knowledge.search": "tests/knowledge/test_miner.py, against a plain search",
    "models.informed": "tests/models/test_matching_l_diversity.py and test_bounded_belief.py, through both models",
    "operations.grouped": "tests/operations/test_generalize.py and test_microaggregate.py, which make them",
    "kernels.plain_cuts": "tests/kernels/, whose kernels are compared with it",
}
"""Modules without a test file of the same name, and where they are tested."""

FORBIDDEN = {"utils", "helpers", "common", "misc", "manager", "impl", "v2", "new"}


class Import(NamedTuple):
    """One import: what is named, and whether it is at the top, in a function or for type checkers."""

    name: str
    how: str


def module_of(path: Path) -> str:
    """`models.k_anonymity`; a package is named like its folder, the library itself `sfumato`."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "sfumato"


MODULES = {module_of(path): path for path in FILES}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(path: Path) -> Iterator[Import]:
    yield from _imports(tree_of(path), "top")


def _imports(node: ast.AST, how: str) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, how) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (Import(f"{child.module}.{alias.name}", how) for alias in child.names)
        else:
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            lazy = isinstance(child, ast.FunctionDef)
            yield from _imports(child, "typing" if typing else "lazy" if lazy else how)


def inside(name: str) -> str | None:
    """The module of this library that an import means; None for somebody else's."""
    if name.split(".", maxsplit=1)[0] != "sfumato":
        return None
    parts = name.split(".")[1:]
    while parts and ".".join(parts) not in MODULES:
        parts = parts[:-1]
    return ".".join(parts) or "sfumato"


def layer_of(module: str) -> int:
    """The layer that names the module, or its folder where the module itself is not named."""
    places = {name: place for place, names in enumerate(LAYERS) for name in names}
    return places[module] if module in places else places[module.split(".", maxsplit=1)[0]]


def named_by(module: str, names: dict[str, str]) -> bool:
    return module in names or module.split(".", maxsplit=1)[0] in names


@pytest.mark.parametrize("module", MODULES)
def test_imports_never_point_up(module: str) -> None:
    for found in imports_of(MODULES[module]):
        other = inside(found.name)
        if other is not None and layer_of(other) > layer_of(module):
            assert (module, other) in UPWARD, f"{module} imports {other}, which lies above it"
            assert found.how != "top", f"{module} imports {other} when it is loaded"


def test_every_exception_is_still_needed() -> None:
    found = {(module, inside(item.name)) for module, path in MODULES.items() for item in imports_of(path)}
    assert set(UPWARD) <= found
    assert set(TESTED_ELSEWHERE) <= set(MODULES)
    assert not [module for module in TESTED_ELSEWHERE if test_of(module).is_file()]
    assert set(BESIDE_THE_CATALOGUE) <= set(MODULES)


def test_every_module_has_a_layer() -> None:
    assert all(layer_of(module) >= 0 for module in MODULES)
    named = [name for names in LAYERS for name in names]
    assert sorted(named) == sorted(set(named) & set(MODULES))


@pytest.mark.parametrize("module", MODULES)
def test_frames_stay_at_the_door(module: str) -> None:
    libraries = {found.name.split(".")[0] for found in imports_of(MODULES[module])}
    assert not libraries & FRAMES or named_by(module, AT_THE_DOOR)


@pytest.mark.parametrize("kind", catalogue.kinds())
def test_one_thing_a_file(kind: str) -> None:
    for path in sorted((SOURCE / kind).glob("*.py")):
        if path.stem in ("__init__", "base") or f"{kind}.{path.stem}" in BESIDE_THE_CATALOGUE:
            continue
        public = [node.name for node in tree_of(path).body if isinstance(node, ast.ClassDef) and node.name[0] != "_"]
        assert public == [catalogue.find(kind, path.stem).__name__]


def test_every_module_has_a_test_of_its_name() -> None:
    bare = [module for module, path in MODULES.items() if not _is_bare(path) and not test_of(module).is_file()]
    assert sorted(bare) == sorted(TESTED_ELSEWHERE)


def test_of(module: str) -> Path:
    *folders, name = module.split(".")
    return TESTS.joinpath(*folders, f"test_{name}.py")


test_of.__test__ = False  # type: ignore[attr-defined]


def _is_bare(path: Path) -> bool:
    """Packages that only say what is in them are tested by what is in them."""
    return path.name == "__init__.py"


@pytest.mark.parametrize("module", [module for module, path in MODULES.items() if path.name == "__init__.py"])
def test_exports_are_true(module: str) -> None:
    package = import_module("sfumato" if module == "sfumato" else f"sfumato.{module}")
    exported = getattr(package, "__all__", [])
    assert len(set(exported)) == len(exported)
    assert not [name for name in exported if not hasattr(package, name)]
    if module in catalogue.kinds():
        assert {entry.thing.__name__ for entry in catalogue.entries(module)} <= set(exported)


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_asserted_or_printed(module: str) -> None:
    """An assert is gone under -O, and a print cannot be caught, formatted or turned off."""
    for node in ast.walk(tree_of(MODULES[module])):
        assert not isinstance(node, ast.Assert)
        assert not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print")


@pytest.mark.parametrize("module", MODULES)
def test_names_say_what_is_inside(module: str) -> None:
    classes = [node.name for node in ast.walk(tree_of(MODULES[module])) if isinstance(node, ast.ClassDef)]
    words = {word.lower() for name in classes for word in re.findall(r"[A-Z][a-z0-9]*", name)}
    assert not FORBIDDEN & (words | set(re.split(r"[._]", module)))


def test_tests_lie_where_their_module_lies() -> None:
    """A test named after no module is named after a whole that it looks at."""
    wholes = {"bad_input", "end_to_end", "public_face", "catalogue", "layout", "docs", "examples", "figures", "extras"}
    wholes |= {"optimal_grouping", "buckets_end_to_end", "waiving", "cover_loss"}
    wholes |= {"soundness", "law", "agreement", "fuzz", "permissions", "attacker", "strangers", "direct_logins"}
    wholes |= {"encodings", "twins", "analyses", "stored_order"}
    found = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    expected = {test_of(module).relative_to(TESTS) for module in MODULES}
    benches = (TESTS.parent / "benchmarks").rglob("*.py")
    expected |= {Path("benchmarks") / f"test_{path.stem}.py" for path in benches}
    strange = [path for path in found - expected if path.stem.removeprefix("test_") not in wholes]
    assert strange == []
