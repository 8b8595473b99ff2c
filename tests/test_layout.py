"""The shape of the package: which room may import which, what lies where, and which names are used."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import sfumato
from sfumato.settings import catalogue

SOURCE = Path(sfumato.__file__).parent
TESTS = Path(__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

LAYERS = (
    ("errors",),
    ("settings", "runtime"),
    ("kernels",),
    (
        "data", "taxonomies", "engines.base", "engines.opening", "engines.read_options", "engines.readable_files",
        "engines.formats", "engines.databases",
    ),
    ("disclosure", "recodings"),
    ("releases", "knowledge"),
    ("models", "metrics", "operations"),
    ("algorithms", "engines", "masks", "attacks", "evaluation"),
    ("republishing",),
    ("plan", "audit", "report", "checks", "datasets"),
    ("gateway.transforms",),
    ("gateway.conditions",),
    ("gateway.policy",),
    ("gateway.people", "gateway.views"),
    ("gateway.log", "gateway.sql"),
    (
        "gateway.answers", "gateway.engines.constraints", "gateway.engines.entry_store",
        "gateway.engines.failure_messages", "gateway.engines.limits", "gateway.engines.source",
    ),
    ("gateway.engines",),
    ("gateway.statistics",),
    ("gateway.gateway",),
    ("gateway.http",),
    ("gateway.setup",),
    ("gateway.local",),
    ("gateway", "cli", "sfumato", "__main__"),
)  # fmt: skip
"""From the foundation up: a module imports from its own layer and from those before it, never from a later one.

The packages of the gateway have layers too, at the end. The base class of sources is below the engines that derive
from it.
"""

UPWARD = {
    ("engines.opening", "engines.duckdb.engine"): "the engine loads when a source is opened",
    ("engines.opening", "engines.duckdb.linked_sources"): "the engine loads when a source is opened",
    ("engines.opening", "engines.duckdb.files"): "the engine loads when a source is opened",
    ("releases.table_release", "engines.writing.publishing"): "a release publishes itself, when it is asked to",
    ("releases.table_release", "report.report"): "a release reports on itself, when it is asked to",
    ("plan.publication", "gateway.setup.setup"): "a plan may take a gateway's answer as its data, when it is run",
}
"""Imports that point up. Each stands inside a function or is for type checkers only, so nothing is loaded for it."""

FOR_THE_GATEWAY = {"errors", "settings", "runtime", "taxonomies", "data.domain", "data.kinds", "kernels.compiled"}
"""What the gateway may import of the rest: taxonomies and domains for weaker forms of values, and compiled loops."""

FRAMES = {"pyarrow", "pandas", "polars", "narwhals", "duckdb"}
WITH_FRAMES = {
    "algorithms.full_domain.solution_space": "all combinations of levels come out as one table, to be sorted elsewhere",
    "gateway": "questions are asked of databases, and answers are rows",
    "data.table": "takes and gives frames",
    "engines": "where records are counted and written",
    "evaluation.learners.features": "features are read from any frame, and what is learned from is no table of codes",
    "runtime.atomic_files": "the metadata of Parquet files say whether a publication wrote a folder",
    "datasets.draws": "made-up records come out as Arrow, which every frame library reads",
    "datasets.employees": "made-up records come out as Arrow, which every frame library reads",
}

TESTED_ELSEWHERE = {
    "data.kinds": "tests/data/test_domain.py, where kinds are found",
    "engines.databases.base": "tests/engines/databases/, kind by kind",
    "engines.read_options": "tests/engines/duckdb/test_text_files.py, option by option",
    "algorithms.full_domain.distinct_rows": "tests/algorithms/full_domain/test_split_rows.py",
    "algorithms.full_domain.level_groups": "tests/algorithms/full_domain/test_local_recoding.py, which publishes them",
    "algorithms.full_domain.level_search": "tests/algorithms/full_domain/test_optimal_lattice.py, which runs it",
    "algorithms.full_domain.lattice_search": "tests/algorithms/full_domain/test_exhaustive.py, its first search",
    "algorithms.mondrian.losses": "tests/algorithms/mondrian/loops/test_cuts.py, against plain losses",
    "algorithms.specialization.base": (
        "tests/algorithms/specialization/test_top_down_refinement.py, through the family"
    ),
    "algorithms.specialization.choices": (
        "tests/algorithms/specialization/test_top_down_refinement.py, step by step against a plain search"
    ),
    "algorithms.specialization.constraint_checks": (
        "tests/algorithms/specialization/test_top_down_refinement.py, with rows listed and not"
    ),
    "algorithms.specialization.leaf_guard": (
        "tests/algorithms/specialization/test_top_down_refinement.py, with quick checks and without"
    ),
    "algorithms.specialization.requirements": (
        "tests/algorithms/specialization/test_top_down_refinement.py, requirements that imply others"
    ),
    "algorithms.specialization.search": (
        "tests/algorithms/specialization/test_top_down_refinement.py, step by step against a plain search"
    ),
    "algorithms.specialization.subset_guard": (
        "tests/algorithms/specialization/test_hdtds.py, step by step against a plain search"
    ),
    "algorithms.table_algorithm": "tests/checks/test_algorithms.py, through every algorithm; tests/test_waiving.py",
    "data.base": "tests/data/test_table.py, its first kind; the contract has no code of its own",
    "disclosure.account": "tests/models/test_accounted_model.py, and its doctest",
    "disclosure.background": (
        "tests/disclosure/test_known_columns.py, its first kind; the contract has no code of its own"
    ),
    "disclosure.table_view": (
        "tests/disclosure/test_published_view.py, and tests/releases/test_table_release.py through candidates"
    ),
    "disclosure.view": "tests/test_kinds_of_data.py, with a kind of data that is no table",
    "engines.base": "tests/engines/duckdb/test_engine.py; the contract has no code of its own",
    "engines.writing.sinks": "tests/engines/writing/test_publishing.py and tests/engines/duckdb/test_text_files.py",
    "gateway.engines.entry_store": (
        "tests/gateway/statistics/test_ledger.py, and tests/gateway/engines/ in both databases; it has no code"
    ),
    "gateway.engines.limits": "tests/gateway/engines/duckdb/test_embedded.py, and its doctest",
    "gateway.cli.audit": "tests/gateway/cli/test_gateway.py, command by command",
    "gateway.cli.deploy": "tests/gateway/cli/test_gateway.py, on a real server",
    "gateway.cli.options": "tests/gateway/cli/test_gateway.py, with every command",
    "gateway.cli.serve": (
        "tests/gateway/cli/test_gateway.py, what it refuses; tests/gateway/http/test_http_api.py, what it serves"
    ),
    "gateway.cli.users": "tests/gateway/cli/test_gateway.py, command by command",
    "gateway.engines.postgres.deployment.deployed_names": (
        "its doctests, and tests/gateway/engines/postgres/test_source.py, whose purposes would share a schema"
    ),
    "gateway.engines.source": "tests/gateway/engines/, through both sources; the contract has no code of its own",
    "gateway.http.requests": "tests/gateway/http/test_http_api.py, request by request",
    "gateway.http.responses": "tests/gateway/http/test_http_api.py, status by status",
    "gateway.http.gateway_provider": "tests/gateway/http/test_http_api.py, through HTTP requests",
    "gateway.sql.aggregates": "tests/gateway/sql/test_queries.py, against the engine itself",
    "gateway.sql.casts": "tests/gateway/test_agreement.py, on both engines",
    "gateway.sql.kinds": "tests/gateway/test_agreement.py, what may meet and what is refused",
    "gateway.sql.masked_relations": "tests/gateway/test_gateway.py, with every row policy",
    "gateway.sql.names": "tests/gateway/sql/test_queries.py, what names mean and which are refused",
    "gateway.sql.outputs": "tests/gateway/sql/test_queries.py and tests/gateway/answers/test_answer.py",
    "gateway.sql.sorting": "tests/gateway/test_agreement.py, on both engines",
    "gateway.sql.sources": "tests/gateway/sql/test_queries.py, join by join",
    "gateway.sql.subqueries": "tests/gateway/sql/test_queries.py and test_soundness.py",
    "gateway.sql.values": "tests/gateway/sql/test_predicates.py, which are made of them",
    "gateway.statistics.access": "tests/gateway/statistics/, through both kinds of answers",
    "gateway.statistics.compressed_text": "its doctest, and tests/gateway/statistics/test_records.py",
    "gateway.statistics.exact_checks": "tests/gateway/statistics/test_exact_answers.py, refusal by refusal",
    "gateway.statistics.hashing": "tests/gateway/statistics/test_exact_answers.py, on both engines",
    "gateway.statistics.measured_numbers": (
        "tests/gateway/statistics/test_exact_answers.py, with tables that change meanwhile and repeated answers"
    ),
    "gateway.statistics.query_context": "tests/gateway/statistics/, through both kinds of answers; it has no code",
    "gateway.statistics.selected_rows": "tests/gateway/statistics/test_exact_answers.py, on both engines",
    "gateway.statistics.stored_values": "its doctests, and tests/gateway/statistics/test_exact_answers.py",
    "gateway.statistics.noise": "tests/gateway/statistics/test_noisy_answers.py",
    "gateway.statistics.aggregate_queries": "tests/gateway/statistics/test_exact_answers.py, what may be asked for",
    "gateway.statistics.total_conditions": (
        "tests/gateway/statistics/test_noisy_answers.py, what can fail and what not"
    ),
    "gateway.transforms.step_transform": (
        "tests/gateway/transforms/test_bucket.py and tests/gateway/transforms/test_round_to.py, which derive from it"
    ),
    "gateway.views.cells": "tests/gateway/views/test_views.py, cell by cell against the plain definition",
    "kernels.arrays": "type checking; it has no code",
    "knowledge.search": "tests/knowledge/test_miner.py, against a plain search",
    "models.group_model": "tests/models/test_base.py, and tests/models/test_lkc_privacy.py for several groupings",
    "models.knowledge_model": "tests/models/test_matching_l_diversity.py and test_bounded_belief.py, through both",
    "models.judge": "tests/audit/test_audit.py, and tests/plan/test_publication.py on written files",
    "models.population_model": "tests/models/test_delta_presence.py, its first model",
    "models.search_bounds": "tests/models/test_all_of.py, and tests/checks/test_models.py for every model",
    "operations.grouped": "tests/operations/test_generalize.py and test_microaggregate.py, which make them",
    "recodings.buckets": "tests/operations/test_bucketize.py, which makes and applies them",
    "releases.candidate": "tests/test_kinds_of_data.py, with a kind of data that is no table",
    "releases.release": "tests/test_kinds_of_data.py, with a kind of data that is no table",
    "releases.table_candidate": "tests/releases/test_table_release.py, and tests/operations/, which make them",
    "releases.verdict": "tests/models/test_base.py, and tests/models/test_lkc_privacy.py for several groupings",
}
"""Modules without a test file of the same name, and where they are tested."""

FORBIDDEN = {"utils", "helpers", "common", "misc", "manager", "impl", "v2", "new"}

WHOLES = {
    "bad_input", "end_to_end", "public_face", "layout", "docs", "examples", "figures", "extras",
    "optimal_grouping", "buckets_end_to_end", "waiving", "cover_loss", "soundness", "law", "agreement", "fuzz",
    "permissions", "persons", "attacker", "strangers", "direct_logins", "encodings", "twins", "analyses",
    "stored_order", "kinds_of_data", "representations", "uncertainty", "dropped_rows", "other_formats",
    "random_order", "instances",
}  # fmt: skip
"""Tests that are named after a whole they look at, and not after one module."""


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


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree_of(path)))


@cache
def imports_of(module: str) -> tuple[Import, ...]:
    return tuple(_imports(tree_of(MODULES[module]), "top"))


def _imports(node: ast.AST, how: str) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, how) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (Import(f"{child.module}.{alias.name}", how) for alias in child.names)
        elif not isinstance(child, ast.expr):  # no expression contains an import
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


def named_by(module: str, names: set[str]) -> bool:
    """Whether a module or one of the rooms around it is named."""
    parts = module.split(".")
    return any(".".join(parts[:end]) in names for end in range(1, len(parts) + 1))


def layer_of(module: str) -> int:
    """The layer that names the module, or the room it is in."""
    places = {name: place for place, names in enumerate(LAYERS) for name in names}
    parts = module.split(".")
    return next(places[".".join(parts[:end])] for end in range(len(parts), 0, -1) if ".".join(parts[:end]) in places)


def test_imports_never_point_up() -> None:
    wrong = [
        f"{module} imports {other}, which lies above it ({found.how})"
        for module in MODULES
        for found in imports_of(module)
        if (other := inside(found.name)) is not None and layer_of(other) > layer_of(module)
        if (module, other) not in UPWARD or found.how == "top"
    ]
    assert wrong == []


def test_every_exception_is_still_needed() -> None:
    found = {(module, inside(item.name)) for module in MODULES for item in imports_of(module)}
    assert set(UPWARD) <= found
    assert all(named in MODULES for names in LAYERS for named in names)
    assert set(WITH_FRAMES) <= set(MODULES)


def test_the_gateway_stands_by_itself() -> None:
    wrong = [
        f"{module} imports {other}"
        for module in MODULES
        if module.split(".")[0] == "gateway" and not module.startswith(("gateway.cli", "gateway.transforms.checks"))
        for found in imports_of(module)
        if (other := inside(found.name)) is not None
        if not named_by(other, FOR_THE_GATEWAY | {"gateway"})
    ]
    assert wrong == []


def test_only_engines_name_duckdb() -> None:
    wrong = [
        module
        for module in MODULES
        if not named_by(module, {"engines.duckdb", "engines.databases", "gateway"})
        if any(found.name.split(".")[0] == "duckdb" for found in imports_of(module))
    ]
    assert wrong == []


def test_frames_are_known_to_few_rooms() -> None:
    wrong = [
        module
        for module in MODULES
        if {found.name.split(".")[0] for found in imports_of(module)} & FRAMES
        and not named_by(module, set(WITH_FRAMES))
    ]
    assert wrong == []


def test_the_root_holds_the_public_face_and_errors() -> None:
    assert {path.stem for path in SOURCE.glob("*.py")} == {"__init__", "__main__", "errors"}


def test_no_room_is_crowded() -> None:
    """A reader takes in about thirty names at a glance; a family with more needs rooms of its own."""
    crowded = {str(folder): number for folder, number in Counter(path.parent for path in FILES).items() if number > 32}
    assert crowded == {}


def test_compiled_loops_are_imported_by_their_own_family() -> None:
    wrong = [
        f"{module} imports {other}"
        for module in MODULES
        for found in imports_of(module)
        if (other := inside(found.name)) is not None and ".loops." in f".{other}."
        if not module.startswith(other.partition(".loops.")[0])
    ]
    assert wrong == []


def test_one_thing_on_offer_per_file() -> None:
    wrong = []
    for kind in catalogue.kinds():
        for entry in catalogue.entries(kind):
            body = tree_of(MODULES[entry.thing.__module__.removeprefix("sfumato.")]).body
            public = [node.name for node in body if isinstance(node, ast.ClassDef) and node.name[0] != "_"]
            wrong += [] if public == [entry.thing.__name__] else [f"{entry.thing.__module__}: {public}"]
    assert wrong == []


def test_every_public_class_of_the_catalogue_is_on_offer() -> None:
    """A class in a file of another name would silently be missing from commands, plans and checks."""
    wrong = []
    for kind in catalogue.kinds():
        offered = {entry.thing for entry in catalogue.entries(kind)}
        rooms = {one.__module__.removeprefix("sfumato.").rpartition(".")[0] for one in offered}
        for module in [one for one in MODULES if one.rpartition(".")[0] in rooms]:
            names = [node.name for node in tree_of(MODULES[module]).body if isinstance(node, ast.ClassDef)]
            things = [getattr(import_module(f"sfumato.{module}"), name) for name in names if name[0] != "_"]
            made = [one for one in things if issubclass(one, catalogue.base_class(kind)) and not isabstract(one)]
            wrong += [f"{module}: {one.__name__}" for one in made if one not in offered]
    assert wrong == []


def test_exports_are_true() -> None:
    for module, path in MODULES.items():
        if path.name != "__init__.py":
            continue
        package = import_module("sfumato" if module == "sfumato" else f"sfumato.{module}")
        exported = getattr(package, "__all__", [])
        assert len(set(exported)) == len(exported)
        assert not [name for name in exported if not hasattr(package, name)], module
    for kind in catalogue.kinds():
        package = import_module(catalogue.entries(kind)[0].thing.__module__.partition(f".{kind}.")[0] + f".{kind}")
        assert {entry.thing.__name__ for entry in catalogue.entries(kind)} <= imported_in(package), kind


def imported_in(package: ModuleType) -> set[str]:
    """The names that the file of a package imports, also those for type checkers only."""
    assert package.__file__
    found = (node for node in nodes_of(Path(package.__file__)) if isinstance(node, ast.ImportFrom))
    return {one.asname or one.name for node in found for one in node.names}


def test_nothing_is_asserted_or_printed() -> None:
    """An assert is gone under -O, and a print cannot be caught, formatted or turned off."""
    for module, path in MODULES.items():
        for node in nodes_of(path):
            assert not isinstance(node, ast.Assert), module
            assert not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print")


def test_names_say_what_is_inside() -> None:
    for module, path in MODULES.items():
        classes = [node.name for node in nodes_of(path) if isinstance(node, ast.ClassDef)]
        words = {word.lower() for name in classes for word in re.findall(r"[A-Z][a-z0-9]*", name)}
        assert not FORBIDDEN & (words | set(re.split(r"[._]", module))), module


def test_a_public_class_has_a_name_of_its_own() -> None:
    found: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == {}


def test_every_room_says_what_it_is_for() -> None:
    assert [module for module, path in MODULES.items() if not ast.get_docstring(tree_of(path))] == []


def test_every_module_has_a_test_of_its_name() -> None:
    named = [module for module, path in MODULES.items() if path.name != "__init__.py"]
    without = {
        module
        for module in named
        # compiled loops may be tested with the algorithm that has their name
        if not test_of(module).is_file() and not test_of(module.replace(".loops.", ".")).is_file()
    }
    missing = [test_of(module).relative_to(TESTS.parent).as_posix() for module in without - TESTED_ELSEWHERE.keys()]
    assert sorted(missing) == []
    assert sorted(TESTED_ELSEWHERE.keys() - without) == []
    places = {place for reason in TESTED_ELSEWHERE.values() for place in re.findall(r"tests/[\w/]+(?:\.py)?", reason)}
    assert [place for place in places if not (TESTS.parent / place).exists()] == []


def test_of(module: str) -> Path:
    *folders, name = module.split(".")
    return TESTS.joinpath(*folders, f"test_{name}.py")


test_of.__test__ = False  # type: ignore[attr-defined]


def test_tests_lie_where_their_module_lies() -> None:
    found = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    expected = {test_of(module).relative_to(TESTS) for module in MODULES}
    benches = (TESTS.parent / "benchmarks").rglob("*.py")
    expected |= {Path("benchmarks") / f"test_{path.stem}.py" for path in benches}
    others = {path: path.stem.removeprefix("test_") for path in found - expected}
    assert [path for path, whole in others.items() if whole not in WHOLES] == []
    assert WHOLES - set(others.values()) == set()


def test_changelog_fragments_name_an_area_and_a_kind() -> None:
    areas = {path.stem for path in SOURCE.iterdir()} | {"docs"}
    names = [path.name for path in (TESTS.parent / "changelog.d").iterdir() if path.name != "README.md"]
    wrong = [name for name in names if not re.fullmatch(r"\w+(-\w+)?\.(added|changed|fixed|removed)\.md", name)]
    assert wrong == [], "see changelog.d/README.md"
    assert [name for name in names if re.split(r"[-.]", name)[0] not in areas] == [], "see changelog.d/README.md"
