"""Would the tests notice a mistake? Small changes are made to the code at random, and the tests are run on each.

`python -m benchmarks.mutants --under gateway --number 100 --seed 1` changes one comparison, condition, number or
statement at a time in a copy of the sources; `--under .` changes the whole package. The tests of the changed module are
run first, then those that run the changed line, quickest first, as many as `--budget` seconds allow. A change that none
of them notices is printed with its line; whether it changes what the code means is for a reader to say. So is whether
tests that ran too long hung because of the change, or had to compile too many loops again.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from queue import Queue
from typing import Annotated, Literal

import typer

Result = Literal["noticed", "ran too long", "NOT NOTICED"]

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sfumato"
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change in one file: what stood in `line`, and what stands there instead."""

    path: Path
    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        place = self.path.relative_to(SOURCE)
        return f"{place}:{self.line}\n  - {self.before}\n  + {self.after}"


def main(
    *,
    under: Annotated[str, typer.Option(help="The part of the package that is changed, such as gateway or models.")],
    number: Annotated[int, typer.Option(min=1, help="How many changes are tried.")] = 100,
    seed: Annotated[int, typer.Option(help="Where the random numbers begin.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="How many are tried at once.")] = 2,
    seconds: Annotated[
        int, typer.Option(min=1, help="A change on which the tests run longer counts as noticed.")
    ] = 1200,
    budget: Annotated[int, typer.Option(min=1, help="How long the tests of one change may take, as they are.")] = 300,
    reached: Annotated[
        Path | None, typer.Option(help="Which tests run which lines; written if it is not there, read if it is.")
    ] = None,
) -> None:
    """Change, test and count."""
    chosen = mutants(under, number, seed)
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        reach = Reach.read(reached or Path(folder) / "reached.json", under, jobs)
        for place in range(jobs):
            copies.put(Path(shutil.copytree(ROOT / "src", Path(folder) / f"src{place}")))

        def tried(mutant: Mutant) -> Result:
            copy = copies.get()
            try:
                return result_of(mutant, copy, list(reach.tests(mutant, copy, budget)), seconds)
            finally:
                copies.put(copy)

        found: Counter[Result] = Counter()
        with ThreadPoolExecutor(jobs) as threads:
            for place, (mutant, result) in enumerate(zip(chosen, threads.map(tried, chosen), strict=True), start=1):
                found[result] += 1
                print(f"{place}/{len(chosen)} {result} {mutant}", flush=True)
    dead, late = len(chosen) - found["NOT NOTICED"], found["ran too long"]
    print(
        f"{dead} of {len(chosen)} changes were noticed ({dead / len(chosen):.1%}), {late} because tests ran too long."
    )


def mutants(under: str, number: int, seed: int) -> list[Mutant]:
    """Some changes of all that could be made, each line once."""
    chance = random.Random(seed)
    every: dict[tuple[Path, int], list[int]] = {}
    folder = SOURCE / under
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]:
        for place, (node, _) in enumerate(_places(ast.parse(path.read_text(encoding="utf-8")))):
            every.setdefault((path, node.lineno), []).append(place)
    lines = chance.sample(sorted(every), min(number, len(every)))
    return [changed(line[0], chance.choice(every[line])) for line in lines]


def changed(path: Path, place: int) -> Mutant:
    """The change of one place in a file."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    node, change = next(one for at, one in enumerate(_places(tree)) if at == place)
    line, before = node.lineno, ast.unparse(node)
    change()
    after = ast.unparse(node) if ast.unparse(node) != before else "(nothing)"
    shown = " ".join(one.strip() for one in text.splitlines()[line - 1 : node.end_lineno or line])
    return Mutant(path, line, shown[:160], after[:160], ast.unparse(tree))


def _places(tree: ast.Module) -> Iterator[tuple[ast.stmt | ast.expr, Callable[[], None]]]:
    """Nodes that can be changed, each with what changes it; not guards against mistakes of the code itself."""
    guards = {
        id(keyword.value)
        for keyword in ast.walk(tree)
        if isinstance(keyword, ast.keyword) and keyword.arg in ("strict", "frozen")
    }
    for node in ast.walk(tree):
        if id(node) in guards:
            continue
        if isinstance(node, ast.Compare):
            yield node, partial(_swap_comparison, node)
        elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in SWAPPED:
            yield node, partial(setattr, node, "op", SWAPPED[type(node.op)]())
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            other = not node.value if isinstance(node.value, bool) else int(node.value) + 1  # type: ignore[call-overload]
            yield node, partial(setattr, node, "value", other)
        elif isinstance(node, ast.IfExp | ast.While) or (
            isinstance(node, ast.If) and ast.unparse(node.test) != "TYPE_CHECKING"
        ):
            yield node, partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))
        if isinstance(node, ast.FunctionDef | ast.If | ast.For | ast.With | ast.Try):
            yield from _removals(node)


def _swap_comparison(node: ast.Compare) -> None:
    node.ops[0] = SWAPPED[type(node.ops[0])]()  # type: ignore[call-overload]


def _removals(node: ast.AST) -> Iterator[tuple[ast.stmt, Callable[[], None]]]:
    """Statements whose absence should be noticed: calls for what they do, and refusals."""
    body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
    for place, one in enumerate(body):
        call = isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
        if call or isinstance(one, ast.Raise):
            yield one, partial(body.__setitem__, place, ast.Pass())


@dataclass(frozen=True)
class Reach:
    """For every file of the package the tests that run its lines, and the seconds that every test takes."""

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]

    @classmethod
    def read(cls, file: Path, under: str, jobs: int) -> Reach:
        """Read the file, after one run of all tests of the part if it is not there."""
        if not file.is_file():
            environment = {
                **os.environ,
                "REACHED": str(file.absolute()),
                "CI": "true",
                "PYTHONPATH": _path(ROOT / "src"),
            }
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "benchmarks.reached"]
            command += ["-n", str(jobs), "--dist", "loadfile", str(ROOT / "tests" / under.split("/", maxsplit=1)[0])]
            done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                print(done.stdout[-5000:])
                raise typer.BadParameter("the tests fail as the code is, so they would notice every change.")
        found = json.loads(file.read_text(encoding="utf-8"))
        return cls(found["lines"], found["seconds"])

    def tests(self, mutant: Mutant, copy: Path, budget: int) -> Iterator[list[str]]:
        """The tests and examples of the module, then those that run the line, in runs of growing length."""
        relative = mutant.path.relative_to(SOURCE)
        own = ROOT / "tests" / relative.parent / f"test_{relative.name}"
        if own.is_file():
            yield [str(own)]
        if ">>>" in mutant.source:
            yield [str(copy / "sfumato" / relative)]
        place = f"{own.relative_to(ROOT).as_posix()}::"
        spent, allowed = 0.0, []
        for test in dict.fromkeys(self._running(relative.as_posix(), mutant.line)):
            spent += 0 if test.startswith(place) else self.seconds[test]
            if spent > budget:
                break
            if not test.startswith(place):
                allowed.append(test)
        yield from (some for some in (allowed[:50], allowed[50:]) if some)

    def _running(self, file: str, line: int) -> Iterator[str]:
        """The tests that run a line, then those that run its file, then, if none runs the line, what imports the file.

        Nobody sees a compiled loop run, so the tests of a loop are those of its importers, and of theirs.
        """
        here = self.lines.get(file, {})
        exact = here.get(str(line), [])
        yield from self._quickest([exact])
        yield from self._quickest(here.values())
        waiting, seen = [] if exact else [file], {file}
        while waiting:
            waiting = [one for one in _importing(waiting) if one not in seen]
            seen.update(waiting)
            yield from self._quickest(tests for one in waiting for tests in self.lines.get(one, {}).values())

    def _quickest(self, found: Iterable[list[str]]) -> list[str]:
        return sorted({test for tests in found for test in tests}, key=lambda test: (self.seconds[test], test))


def _importing(files: list[str]) -> list[str]:
    """Files of the package that import one of these."""
    modules = {"sfumato." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for file in files}
    return sorted(file for file, imported in _imports().items() if imported & modules)


@cache
def _imports() -> dict[str, set[str]]:
    """For every file of the package the modules that it imports, wherever in the file."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        names = found.setdefault(path.relative_to(SOURCE).as_posix(), set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
            elif isinstance(node, ast.Import):
                names |= {one.name for one in node.names}
    return found


def result_of(mutant: Mutant, copy: Path, runs: list[list[str]], seconds: int) -> Result:
    """Whether a test fails on a changed copy of the sources; the copy is as it was before afterwards."""
    changed = copy / "sfumato" / mutant.path.relative_to(SOURCE)
    changed.write_text(mutant.source, encoding="utf-8")
    try:
        return "noticed" if any(not _passes(tests, copy, seconds) for tests in runs) else "NOT NOTICED"
    except subprocess.TimeoutExpired:
        return "ran too long"
    finally:
        shutil.copy2(mutant.path, changed)
        loops = mutant.path.parent / "__pycache__"  # with loops compiled from what was changed
        if loops.is_dir():
            shutil.copytree(loops, changed.parent / "__pycache__", dirs_exist_ok=True)


def _path(sources: Path) -> str:
    return f"{sources}{os.pathsep}{ROOT}"


def _passes(tests: list[str], copy: Path, seconds: int) -> bool:
    environment = {**os.environ, "PYTHONPATH": _path(copy), "CI": "true"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    # no pipes: processes that a test left behind would keep them open after the time limit
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds,
        check=False,
    )  # fmt: skip
    return done.returncode == 0


if __name__ == "__main__":
    typer.run(main)
