"""How much code does one publication enter, and how much does one query to the gateway?

`python -m benchmarks.entered` publishes a small CSV file with Mondrian and k-anonymity, asks a gateway on DuckDB two
queries, and prints for each how many files of the package and how many functions were entered.
`python -m benchmarks.entered --list` prints the functions as well, in the order in which they were first entered.

A function counts once, however often it is called. Code objects are more: comprehensions, generator expressions and
lambdas are code objects of their own, and how many there are depends on the version of Python. What runs only because a
module is imported does not count. A compiled loop counts if Python calls it, and not if another compiled loop does.
Processes that the gateway starts are not measured.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Annotated

import typer

import sfumato
from benchmarks import customers

PACKAGE = f"{Path(sfumato.__file__).parent}{os.sep}"
RECORDS = 200
FIRST, NEXT = "SELECT name, income FROM customer WHERE age > 30", "SELECT address FROM customer WHERE income > 30000"
PLAN = """
[data]
path = "patients.csv"

[columns]
patient_number.role = "identifier"
name.role = "identifier"
sex.role = "quasi"
age.role = "quasi"
postcode = { role = "quasi", type = "text", taxonomy = { mask = "right" } }
admitted.role = "quasi"
diagnosis.role = "sensitive"

[[models]]
name = "k_anonymity"
k = 5

[algorithm]
name = "mondrian"

[output]
path = "release.csv"
certificate = "certificate.json"
report = "report.html"
"""


class Entered:
    """A profiler that keeps the code objects of the package that are called, in the order of their first calls."""

    def __init__(self) -> None:
        self.code: dict[CodeType, None] = {}
        self._here = threading.local()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            self._here.importing = self._importing + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and code.co_filename.startswith(PACKAGE) and not self._importing:
            self.code.setdefault(code)

    @property
    def _importing(self) -> int:
        """How many module bodies this thread is running, one inside the other."""
        return int(getattr(self._here, "importing", 0))

    def functions(self) -> list[str]:
        """File and name of every function, in the order of the first calls."""
        named = [code for code in self.code if not code.co_name.startswith("<")]
        return [f"{code.co_filename.removeprefix(PACKAGE)}  {code.co_qualname}" for code in named]

    def __str__(self) -> str:
        files = {code.co_filename for code in self.code}
        return f"{len(files)} files, {len(self.functions())} functions, {len(self.code)} code objects"


def entered_by(action: Callable[[], object]) -> Entered:
    """What an action enters, in this thread and those that it starts."""
    found = Entered()
    threading.setprofile(found)
    sys.setprofile(found)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def of_publish(folder: Path) -> Iterator[tuple[str, Entered]]:
    """One `sfumato publish plan.toml`, from the command on."""
    from sfumato.cli.app import app
    from sfumato.datasets import write_patients

    write_patients(folder / "patients.csv", RECORDS, seed=1)
    plan = folder / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        found = entered_by(lambda: app(["publish", str(plan)], standalone_mode=False))
    yield "publish", found


def of_queries(folder: Path) -> Iterator[tuple[str, Entered]]:
    """The first query to an open gateway, which builds the snapshot of its purpose, and another one after it."""
    from sfumato.gateway.setup.setup import Setup

    customers.write_setup(folder=str(folder), records=RECORDS, users=1, allowed=30)
    gateway = Setup.read(folder / "gateway.toml").gateway()
    person, purpose = customers.marketer(), customers.PURPOSE
    try:
        yield "first query", entered_by(lambda: gateway.query(FIRST, person=person, purpose=purpose))
        yield "next query", entered_by(lambda: gateway.query(NEXT, person=person, purpose=purpose))
    finally:
        gateway.close()


def main(listed: Annotated[bool, typer.Option("--list", help="Print the functions too.")] = False) -> None:
    """Count the files and functions that a publication and a query enter."""
    for measure in (of_publish, of_queries):
        with tempfile.TemporaryDirectory() as folder:
            for name, found in measure(Path(folder)):
                typer.echo(f"{name}: {found}")
                if listed:
                    typer.echo("".join(f"  {line}\n" for line in found.functions()))


if __name__ == "__main__":
    typer.run(main)
