"""Would the tests notice a mistake? Small changes are made to the code at random, and the tests are run on each.

`python -m benchmarks.mutants --under gateway --number 100 --seed 1` changes one comparison, condition, number or
statement at a time in a copy of the sources. The tests of the changed module are run first, then all that call the
changed function. A change that no test notices is printed with its line; whether it changes what the code means is for
a reader to say.
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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Queue
from typing import Annotated

import typer

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sfumato"
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed line of one file; `function` is the first line of the function that it is in."""

    path: Path
    line: int
    function: int | None
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
) -> None:
    """Change, test and count."""
    chosen = mutants(under, number, seed)
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        reached = _reached(under, Path(folder) / "reached.json", jobs)
        for place in range(jobs):
            copies.put(Path(shutil.copytree(ROOT / "src", Path(folder) / f"src{place}")))

        def tried(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                return noticed(mutant, copy, reached, under, seconds)
            finally:
                copies.put(copy)

        survivors = 0
        with ThreadPoolExecutor(jobs) as threads:
            for place, (mutant, dead) in enumerate(zip(chosen, threads.map(tried, chosen), strict=True), start=1):
                survivors += not dead
                print(f"{place}/{len(chosen)} {'noticed' if dead else 'NOT NOTICED'} {mutant}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} changes were noticed ({1 - survivors / len(chosen):.0%}).")


def mutants(under: str, number: int, seed: int) -> list[Mutant]:
    """Some changes of all that could be made, each line once."""
    chance = random.Random(seed)
    every: dict[tuple[Path, int], list[Mutant]] = {}
    place = SOURCE / under
    for path in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
        for mutant in changes(path):
            every.setdefault((path, mutant.line), []).append(mutant)
    lines = chance.sample(sorted(every), min(number, len(every)))
    return [chance.choice(every[line]) for line in lines]


def changes(path: Path) -> Iterator[Mutant]:
    """Every change that is made to a file, one at a time."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    count = sum(1 for _ in _places(ast.parse(text)))
    for place in range(count):
        tree = ast.parse(text)
        node, change = next(one for at, one in enumerate(_places(tree)) if at == place)
        line = node.lineno
        end = getattr(node, "end_lineno", line) or line
        before = ast.unparse(node)
        change()
        made = ast.unparse(tree)
        after = ast.unparse(node) if ast.unparse(node) != before else "(nothing)"
        said = " ".join(one.strip() for one in lines[line - 1 : end])
        yield Mutant(path, line, _function(functions, line), said[:160], after[:160], made)


def _function(functions: list[ast.FunctionDef], line: int) -> int | None:
    """The first line of the innermost function around a line, its decorators included."""
    around = [one for one in functions if one.lineno <= line <= (one.end_lineno or one.lineno)]
    if not around:
        return None
    inner = max(around, key=lambda one: one.lineno)
    return min([inner.lineno, *(decorator.lineno for decorator in inner.decorator_list)])


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


def _reached(under: str, file: Path, jobs: int) -> dict[str, list[str]]:
    """For every function the tests that call it, quickest first, from one run of all tests of the part."""
    environment = {**os.environ, "REACHED": str(file), "CI": "true", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "benchmarks.reached",
        "-n",
        str(jobs),
    ]
    done = subprocess.run([*command, str(_folder(under))], cwd=ROOT, env=environment, capture_output=True, check=False)
    if done.returncode:
        raise typer.BadParameter("the tests fail as the code is, so they would notice every change.")
    found: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _folder(under: str) -> Path:
    return ROOT / "tests" / under.split("/", maxsplit=1)[0]


def noticed(mutant: Mutant, copy: Path, reached: dict[str, list[str]], under: str, seconds: int) -> bool:
    """Whether a test fails on a changed copy of the sources; the copy is as it was before afterwards."""
    changed = copy / "sfumato" / mutant.path.relative_to(SOURCE)
    changed.write_text(mutant.source, encoding="utf-8")
    try:
        return any(not _passes(tests, copy, seconds) for tests in _tests(mutant, copy, reached, under))
    finally:
        shutil.copyfile(mutant.path, changed)


def _tests(mutant: Mutant, copy: Path, reached: dict[str, list[str]], under: str) -> Iterator[list[str]]:
    """The examples and tests of the module, then all tests that call the function, quickest first.

    Where none does in the process of the tests, as with code that is a process of its own, all tests of the part.
    """
    relative = mutant.path.relative_to(SOURCE)
    own = ROOT / "tests" / relative.parent / f"test_{relative.name}"
    if own.is_file():
        yield [str(own)]
    if ">>>" in mutant.source:
        yield [str(copy / "sfumato" / relative)]
    calling = [one for one in reached.get(f"{relative}:{mutant.function}", []) if not one.startswith(str(own))]
    yield from ([*some] for some in (calling[:50], calling[50:]) if some)
    if not calling:
        yield [str(_folder(under))]


def _passes(tests: list[str], copy: Path, seconds: int) -> bool:
    environment = {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}", "CI": "true"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        return (
            subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, timeout=seconds, check=False
            ).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        return False


if __name__ == "__main__":
    typer.run(main)
