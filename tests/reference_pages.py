"""The reference pages of the catalogue, made from what is on offer: `python -m tests.reference_pages` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from sfumato.settings import catalogue
from sfumato.settings.params import Setting

FOLDER = Path(__file__).parents[1] / "docs" / "reference"


def page(kind: str) -> str:
    """The page of one kind: a table of names, then every thing with its docstring and settings."""
    return "\n\n".join(_parts(kind)) + "\n"


def write() -> None:
    """Write every page."""
    for kind in catalogue.kinds():
        (FOLDER / f"{kind}.md").write_text(page(kind), encoding="utf-8")


def _parts(kind: str) -> Iterator[str]:
    entries = catalogue.entries(kind)
    yield f"# {kind.capitalize()}"
    yield (import_module(catalogue.package(kind)).__doc__ or "").split(". ")[0].strip().rstrip(".") + "."
    rows = [f"| [`{entry.name}`](#{entry.name}) | {_cell(entry.thing.summary())} |" for entry in entries]
    yield "\n".join(["| name | in one sentence |", "|---|---|", *rows])
    for entry in entries:
        yield f"## `{entry.name}`"
        thing = f"{entry.thing.__module__}.{entry.thing.__name__}"
        yield f"::: {thing}\n    options:\n      heading_level: 3\n      members: false"
        yield _settings(entry.thing.settings())
    base = import_module(f"{catalogue.package(kind)}.base")
    yield "## The contract"
    yield f"::: {base.__name__}\n    options:\n      heading_level: 3\n      show_root_heading: false"


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
