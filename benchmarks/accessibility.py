"""Can everybody read a report? Draws reports of many kinds of releases and lets axe-core look at them in a browser.

`python -m benchmarks.accessibility --axe FILE [--python FILE] [--chromium FILE] [--out FOLDER]`

It needs Chromium, Playwright for Python (in any environment, named by `--python`) and the file axe.min.js of axe-core:

    apt-get install chromium
    python -m venv /tmp/axe && /tmp/axe/bin/pip install playwright
    npm pack axe-core && tar -xzf axe-core-*.tgz package/axe.min.js

Every page is opened at 320 and 1280 pixels, at a zoom of 200 % and 400 %, in light and dark, with forced colours and
for print. Pictures of all of them are written to the folder, and a PDF of every page.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import typer

from sfumato import Plan, Schema, Table
from sfumato.algorithms import Anatomy, Mdav, Mondrian, Slicing
from sfumato.datasets import write_patients
from sfumato.models import DistinctLDiversity, KAnonymity, LkcPrivacy, TCloseness
from sfumato.models.base import PrivacyModel
from sfumato.operations.generalize import generalize_levels
from sfumato.releases.table_release import TableRelease
from sfumato.report.report import Report
from sfumato.taxonomies import Flat

QUASI = ("age", "sex", "postcode", "admitted")
SCRIPT = Path(__file__).parent / "peers" / "axe.py"
LARGEST, SLOWEST = 300_000, 0.1
"""The bars: bytes of a page, and seconds to draw a report whose costs are measured."""


def patients(records: int = 3000) -> pa.Table:
    """Made-up patients."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "patients.csv"
        write_patients(path, records, seed=1)
        return pc.read_csv(path)


def publish(model: PrivacyModel, algorithm: Any = None, suppression: float = 0.0, **roles: Any) -> TableRelease:
    """A release of made-up patients."""
    schema = Schema.of(**{"quasi": QUASI, "sensitive": ["diagnosis"], **roles})
    made: TableRelease = (algorithm or Mondrian()).anonymize(
        Table.from_frame(patients(), schema), model, suppression=suppression
    )
    return made


def persons() -> TableRelease:
    """Persons with several records each."""
    frame = patients()
    keys = pa.array([f"p{place % 900}" for place in range(len(frame))])
    schema = Schema.of(quasi=QUASI, sensitive=["diagnosis"], person="key")
    return Mondrian().anonymize(Table.from_frame(frame.append_column("key", keys), schema), KAnonymity(k=5))


def waived() -> TableRelease:
    """Some persons waive protection."""
    frame = patients()
    answers = pa.array(["yes" if place % 7 == 0 else "no" for place in range(len(frame))])
    schema = Schema.of(quasi=QUASI, sensitive=["diagnosis"], waiver="open")
    return Mondrian().anonymize(Table.from_frame(frame.append_column("open", answers), schema), KAnonymity(k=5))


def failing() -> TableRelease:
    """A release whose model does not hold: ages as they are."""
    table = Table.from_frame(patients(), Schema.of(quasi=["age"], sensitive=["diagnosis"], taxonomies={"age": Flat()}))
    candidate = generalize_levels(table, {"age": 0})
    verdict = KAnonymity(k=100).check(candidate.view)
    return TableRelease(candidate, (verdict,), {"algorithm": {"name": "by_hand"}, "seed": None, "versions": {}})


def nothing_left() -> TableRelease:
    """All records are suppressed."""
    release = failing()
    candidate = release.candidate.suppressing(np.ones(len(release.published), dtype=bool))
    return TableRelease(candidate, (KAnonymity(k=100).check(candidate.view),), release.provenance)


def wide() -> TableRelease:
    """Two hundred columns with very long names."""
    random = np.random.default_rng(1)
    name = "measurement_of_the_concentration_in_the_blood_of_the_patient_before_breakfast_in_the_room_number_{:03}"
    frame = pa.table({name.format(place): random.integers(0, 9, 400) for place in range(200)})
    return Mondrian().anonymize(Table.from_frame(frame, Schema.of(quasi=frame.column_names)), KAnonymity(k=4))


def one_column() -> TableRelease:
    """One column and nothing else."""
    return Mondrian().anonymize(Table.from_frame(patients().select(["age"]), Schema.of(quasi=["age"])), KAnonymity(k=5))


def planned() -> Report:
    """A plan with masks, attacks, suppression and columns that are published as they are."""
    with TemporaryDirectory() as folder:
        write_patients(Path(folder) / "patients.csv", 3000, seed=1)
        plain = {
            "data": {"path": "patients.csv"},
            "columns": {
                **{name: {"role": "quasi"} for name in ("age", "sex", "postcode")},
                "diagnosis": {"role": "sensitive"},
            },
            "models": [{"name": "k_anonymity", "k": 5}, {"name": "t_closeness", "t": 0.35}],
            "masks": [{"name": "noise", "columns": ["age"]}],
            "attacks": [{"name": "naive_bayes_inference"}],
            "suppression": {"limit": 0.05},
            "output": {"path": "release.csv", "report": "report.html"},
            "run": {"seed": 1},
        }
        outcome = Plan.of(plain, Path(folder)).run()
        found = outcome.certificate
        return Report.of_release(
            outcome.release, title="Patients 2025", costs=found.costs, attacks=found.attacks, plain=found.audit.plain
        )


PAGES: dict[str, Callable[[], TableRelease | Report]] = {
    "k": lambda: publish(KAnonymity(k=5)),
    "k, l and t": lambda: publish(KAnonymity(k=5) & DistinctLDiversity(l=2) & TCloseness(t=0.4), suppression=0.05),
    "lkc": lambda: publish(LkcPrivacy(l=2, k=5, c=0.9)),
    "anatomy": lambda: publish(DistinctLDiversity(l=3), Anatomy()),
    "slicing": lambda: publish(DistinctLDiversity(l=2), Slicing()),
    "microaggregation": lambda: publish(KAnonymity(k=5), Mdav(), quasi=["age", "admitted"]),
    "persons": persons,
    "waived": waived,
    "failing": failing,
    "nothing left": nothing_left,
    "wide": wide,
    "one column": one_column,
    "planned": planned,
}


def draw(name: str) -> tuple[str, float]:
    """The page of one kind of release, and the seconds that it took to collect and draw it, costs apart."""
    made = PAGES[name]()
    if isinstance(made, Report):
        start = perf_counter()
        return made.html(), perf_counter() - start
    costs = Report.of_release(made).costs
    start = perf_counter()
    page = Report.of_release(made, title=f"Release report: {name}", costs=costs).html()
    return page, perf_counter() - start


def main(
    *,
    axe: Annotated[Path, typer.Option(help="The file axe.min.js of axe-core.")],
    python: Annotated[Path, typer.Option(help="The Python of an environment with Playwright.")] = Path(sys.executable),
    chromium: Annotated[Path, typer.Option(help="The browser.")] = Path("/usr/bin/chromium"),
    out: Annotated[Path, typer.Option(help="The folder for pages and pictures.")] = Path("out/accessibility"),
    only: Annotated[list[str] | None, typer.Option(help=f"Only these pages: {', '.join(PAGES)}.")] = None,
) -> None:
    """Print what axe-core finds in each page and setting; the exit code is 1 if it finds anything."""
    pages = out / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    for old in pages.glob("*.html"):
        old.unlink()
    wrong = 0
    for name in only or PAGES:
        page, seconds = draw(name)
        (pages / f"{name}.html").write_text(page, encoding="utf-8")
        size = len(page.encode())
        wrong += size > LARGEST
        print(f"{name}: {size / 1000:.0f} kB, {seconds:.3f} s{'' if size <= LARGEST else ' TOO LARGE'}")
    command = [str(python), str(SCRIPT), str(pages), str(axe), str(chromium), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            found = json.loads(line)
            faults = [f"axe: {rule} at {nodes}" for rule, nodes in found["rules"].items()]
            faults += [f"console: {text}" for text in found["said"]]
            faults += [f"wider than the window by {found['wider']} pixels"] if found["wider"] > 0 else []
            faults += (
                [f"the summary is {found['beyond']:.0f} pixels longer than a sheet"] if found["beyond"] > 0 else []
            )
            wrong += len(faults)
            print(f"{found['page']}, {found['setting']}: {'no violations' if not faults else ''}")
            print("".join(f"  {fault}\n" for fault in faults), end="", flush=True)
    print(f"{wrong} violations")
    raise typer.Exit(1 if wrong or running.returncode else 0)


if __name__ == "__main__":
    typer.run(main)
