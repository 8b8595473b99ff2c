"""The reference pages of the catalogue, generated from its classes when the documentation is built.

`python -m tests.reference_pages` writes them to `docs/reference/catalogue`, a folder that is not under version control:
a new model, metric or algorithm needs no page of its own. `tests/test_docs.py` reads the pages without writing them. It
also writes the pictures of reports in `docs/guides/pictures`, which are under version control and must be up to date,
and those of a terminal in `docs/pictures`, which are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from sfumato import Schema, Table
from sfumato.algorithms import Mondrian
from sfumato.datasets import write_patients
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.settings import catalogue
from sfumato.settings.params import Setting
from tests import terminal_pictures

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "catalogue"
PICTURES = FOLDER.parents[1] / "guides" / "pictures"
DRAWN = ("risk", "risk_bands", "confidence", "loss", "column age")
"""The pictures of a report that guides show, with the names that `Report.pictures` gives them."""
FACTS = {
    "models": {"guards against": "guards_against"},
    "metrics": {"better": "better"},
    "taxonomies": {"in a plan": "plan_keys"},
    "attacks": {"learns": "learns"},
}
"""For some kinds, the declared facts that the table at the top of the page shows beside the summary."""


def page(kind: str) -> str:
    """The page of one kind: a table of all names, then the docstring and settings of each."""
    return "\n\n".join(_parts(kind)) + "\n"


def write(folder: Path = FOLDER) -> None:
    """Write every page."""
    folder.mkdir(exist_ok=True)
    for kind in catalogue.kinds():
        (folder / f"{kind}.md").write_text(page(kind), encoding="utf-8")


def pictures() -> dict[str, str]:
    """The pictures of a report on synthetic patients, by file name."""
    with TemporaryDirectory() as folder:
        path = write_patients(Path(folder) / "patients.csv", 2000, seed=1)
        schema = Schema.of(quasi=["age", "sex", "postcode", "admitted"], sensitive=["diagnosis"])
        model = KAnonymity(k=5) & DistinctLDiversity(l=2)
        drawn = Mondrian().anonymize(Table.read(path, schema), model).report().pictures()
    return {f"{name.replace(' ', '_')}.svg": drawn[name] + "\n" for name in DRAWN}


def write_pictures(folder: Path = PICTURES) -> None:
    """Write every picture."""
    folder.mkdir(exist_ok=True)
    for name, drawn in pictures().items():
        (folder / name).write_text(drawn, encoding="utf-8")


def _parts(kind: str) -> Iterator[str]:
    entries = catalogue.entries(kind)
    yield f"# {kind.capitalize()}"
    yield (import_module(catalogue.package(kind)).__doc__ or "").split(". ")[0].strip().rstrip(".") + "."
    yield _overview(entries, FACTS.get(kind, {}))
    for entry in entries:
        yield f"## `{entry.name}`"
        thing = f"{entry.thing.__module__}.{entry.thing.__name__}"
        yield f"::: {thing}\n    options:\n      heading_level: 3\n      members: false"
        yield _settings(entry.thing.settings())
    base = import_module(f"{catalogue.package(kind)}.base")
    yield "## The contract"
    yield f"::: {base.__name__}\n    options:\n      heading_level: 3\n      show_root_heading: false"


def _overview(entries: Sequence[catalogue.Entry], facts: dict[str, str]) -> str:
    """A row for each: its name, the summary, and what it declares."""
    rows = [["name", "in one sentence", *facts], ["---"] * (2 + len(facts))]
    for entry in entries:
        declared = [_fact(getattr(entry.thing, attribute)) for attribute in facts.values()]
        rows.append([f"[`{entry.name}`](#{entry.name})", entry.thing.summary(), *declared])
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in rows)


def _fact(declared: object) -> str:
    if isinstance(declared, Mapping):
        return ", ".join(f"`{key}`" for key in declared)
    return ", ".join(sorted(declared)) if isinstance(declared, frozenset) else str(declared)


def _settings(settings: tuple[Setting, ...]) -> str:
    if not settings:
        return "It has no settings."
    head = ["| setting | takes | default | meaning |", "|---|---|---|---|"]
    rows = [f"| `{item.name}` | {_cell(item.allowed)} | {_default(item)} | {_cell(item.doc)} |" for item in settings]
    return "\n".join([*head, *rows])


def _default(item: Setting) -> str:
    if item.required:
        return "required"
    return "none" if item.default in (None, "") else f"`{item.default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    write()
    write_pictures()
    terminal_pictures.write()
