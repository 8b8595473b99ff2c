"""Prose is tested like code: every block runs, every link leads somewhere, every thing on offer has its page."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, get_args
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

import sfumato
from sfumato.cli.app import app
from sfumato.data.schema import Role, Schema
from sfumato.datasets import write_patients
from sfumato.errors import DisclosureWarning, SfumatoError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import PolicySections
from sfumato.gateway.setup.setup import SetupSections
from sfumato.models.base import PrivacyModel
from sfumato.plan import Plan
from sfumato.plan.sections import Section, Sections
from sfumato.settings import catalogue
from sfumato.taxonomies.reading import builder_from_plan, builders
from tests import reference_pages, terminal_pictures

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GENERATED = {reference_pages.FOLDER / f"{kind}.md": kind for kind in catalogue.kinds()}
"""Pages that `make docs` writes, and the kind that each is about."""

DRAWN = {terminal_pictures.FOLDER / name for name in terminal_pictures.SHOWN}
"""Pictures that `make docs` draws."""

PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted({*DOCS.rglob("*.md")} - GENERATED.keys()), *GENERATED,
]  # fmt: skip
COMMAND = [sys.executable, "-c", "from sfumato.cli.app import main; main()"]
PLAIN = {"NO_COLOR": "1", "COLUMNS": "200"}
BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """One fenced block: its language, the file it is to be saved as, and its text."""

    language: str
    title: str
    text: str


@cache
def text_of(page: Path) -> str:
    return reference_pages.page(GENERATED[page]) if page in GENERATED else page.read_text(encoding="utf-8")


def blocks_of(page: Path) -> list[Block]:
    return [Block(*found.groups(default="")) for found in BLOCK.finditer(text_of(page))]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


FIRST = ROOT / "README.md"
RUNNING = [
    page
    for page in PAGES
    if page != FIRST and {"python", "console", "sh"} & {block.language for block in blocks_of(page)}
]


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table that the pages speak of."""
    return write_patients(tmp_path_factory.mktemp("docs") / "patients.csv", 2000, seed=1)


@pytest.mark.parametrize("page", RUNNING, ids=named)
def test_every_block_runs(page: Path, patients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one folder; a text block after a running one is what it must have said."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(patients, "patients.csv")
    run_blocks(blocks_of(page), monkeypatch)


@pytest.mark.parametrize("way", ["pip", "make"])
def test_the_first_page_runs_from_an_empty_folder(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a newcomer types it: one way to install, and then everything that follows, in the folder where that ends."""
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(FIRST)
    ways = {block.text.split()[0]: block for block in blocks[:2]}
    assert list(ways) == ["pip", "make"]
    for line in ways[way].text.splitlines():
        run_first_line(line, monkeypatch)
    run_blocks(blocks[2:], monkeypatch, as_process=True)


def run_first_line(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that installs sfumato, runs it, or changes the folder; what is installed is this copy already."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    if line.startswith("cd "):
        monkeypatch.chdir(line.removeprefix("cd "))
    elif line.startswith("make "):
        recipe = makefile.partition(f"\n{line.removeprefix('make ')}: ")[2].partition("\n\n")[0]
        command = recipe.partition("\n\t$(RUN)/")[2]
        assert command
        run_first_line(command, monkeypatch)
    elif line == ". .venv/bin/activate":
        assert "\nVENV := .venv\nRUN := $(VENV)/bin\n" in makefile
    elif line != "pip install sfumato":
        run_commands(Block("sh", "", line), as_process=True)


def run_blocks(blocks: Iterable[Block], monkeypatch: pytest.MonkeyPatch, *, as_process: bool = False) -> None:
    """Run blocks in the present folder."""
    module = ModuleType("page")  # dataclasses look up the module they are defined in
    monkeypatch.setitem(sys.modules, "page", module)
    said = ""
    for block in blocks:
        if block.title:
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            said = run_python(block.text, vars(module))
        elif block.language in ("console", "sh"):
            run_commands(block, as_process=as_process)
            said = ""
        elif block.language == "text" and said:
            expect(block.text, said)
            said = ""


def run_python(text: str, space: dict[str, Any]) -> str:
    """What the block prints; warnings for publishers end no block."""
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard), warnings.catch_warnings():
        warnings.simplefilter("ignore", DisclosureWarning)
        exec(compile(text, "page", "exec", dont_inherit=True), space)
    return heard.getvalue()


def run_commands(block: Block, *, as_process: bool) -> None:
    """Every command answers with exit code 0, or the one that its comment names, and says what is shown below it.

    Commands of the first page are processes, as users run them. Those of other pages run in this process, because
    loading the libraries takes longer than most commands.
    """
    for command, shown in commands_of(block):
        code = int(found[1]) if (found := re.search(r"# exit code (\d+)", command)) else 0
        words = shlex.split(command, comments=True)
        assert words[0] == "sfumato"
        found_code, output, errors = (run_process if as_process else run_here)(words[1:])
        assert found_code == code, f"{command}\n{errors}"
        expect(shown, output)


def run_process(words: list[str]) -> tuple[int, str, str]:
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, env={**os.environ, **PLAIN})
    return done.returncode, done.stdout, done.stderr


def run_here(words: list[str]) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, words, env=PLAIN)
    return done.exit_code, done.stdout, done.stderr


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """Each command with the lines shown below it; in a `sh` block every line is a command."""
    if block.language == "sh":
        yield from ((line, "") for line in block.text.splitlines() if line.startswith("sfumato "))
        return
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def expect(shown: str, said: str) -> None:
    """Every line that is shown was said, in this order; `...` stands for anything."""
    heard = iter([" ".join(line.split()) for line in said.splitlines()])
    for line in filter(None, (" ".join(line.split()) for line in shown.splitlines())):
        assert line == "..." or any(line == other for other in heard), f"{line!r} was not said in\n{said}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    prose = BLOCK.sub("", text_of(page))
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", prose):
        if "://" in target:
            continue
        found = (page.parent / target).resolve() if target else page
        assert found.is_file() or found in GENERATED or found in DRAWN, f"{named(page)} links to {target}"
        assert not anchor or anchor in anchors_of(found), f"{named(page)} links to {target}#{anchor}"


def test_pictures_of_reports_are_up_to_date_and_shown() -> None:
    """`python -m tests.reference_pages` draws them again; what they show is tested in `tests/report`."""
    kept = {path.name: path.read_text(encoding="utf-8") for path in reference_pages.PICTURES.iterdir()}
    assert kept == reference_pages.pictures()
    shown = "".join(text_of(page) for page in PAGES if page.is_relative_to(DOCS / "guides"))
    assert [name for name in kept if f"(pictures/{name})" not in shown] == []


def test_pictures_of_a_terminal_show_what_commands_print_and_load_nothing() -> None:
    drawn = {name: ElementTree.fromstring(text) for name, text in terminal_pictures.pictures().items()}
    said = {name: " ".join("".join(picture.itertext()).split()) for name, picture in drawn.items()}
    assert "$ sfumato publish plan.toml Published 2,000 of 2,000 records" in said["publish.svg"]
    assert "Seconds" not in said["publish.svg"]
    assert "--sensitive diagnosis 2,000 records in" in said["check.svg"]
    for name, picture in drawn.items():
        assert not re.search(r"@font-face|@import|url\((?!#)", "".join(picture.itertext()))
        assert not [key for part in picture.iter() for key in part.attrib if key.endswith(("href", "src"))]
        assert any(f"(pictures/{name})" in text_of(page) for page in PAGES), f"no page shows {name}"


def test_what_comes_from_other_tools_has_its_name_here() -> None:
    """In the middle column of the tables: names of the catalogue, keys of a plan, roles, commands and the like."""
    known = {name for kind in catalogue.kinds() for name in catalogue.names(kind)} | keys_of(Sections)
    entries = [entry for kind in catalogue.kinds() for entry in catalogue.entries(kind)]
    known |= {item.name for entry in entries for item in entry.thing.settings()}
    known |= {key for builder in builders().values() for key in builder.plan_keys}
    known |= {
        *signature(Schema.of).parameters,
        *signature(sfumato.anonymize).parameters,
        *(role.value for role in Role),
    }
    known |= {command.name for _, command in leaf_commands(typer.main.get_command(app))}
    for page in sorted((DOCS / "coming_from").glob("*.md")):
        here, _, missing = text_of(page).partition("and sfumato does not\n")
        rows = re.findall(r"^\| [^|]+ \| ([^|]+) \|", BLOCK.sub("", here), re.MULTILINE)
        names = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}
        assert names - known == set(), named(page)
        rows = re.findall(r"^\| ([^|]+) \|", missing, re.MULTILINE)
        absent = {name for row in rows for name in re.findall(r"`([a-z0-9_]+)`", row)}
        assert absent & known == set(), f"{named(page)} says that something is missing that is here"


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.relative_to(DOCS).as_posix() for page in PAGES if page.is_relative_to(DOCS)]
    assert [page for page in pages if f": {page}\n" not in menu] == []


def test_the_overview_of_the_cookbook_lists_every_recipe() -> None:
    text = text_of(DOCS / "cookbook" / "index.md")
    recipes = [page.name for page in (DOCS / "cookbook").glob("*.md") if page.name != "index.md"]
    assert len(recipes) == 10
    assert [name for name in recipes if f"]({name}) |" not in text] == []


@pytest.mark.parametrize("page", GENERATED, ids=named)
def test_the_reference_has_every_class_with_its_settings(page: Path) -> None:
    for entry in catalogue.entries(GENERATED[page]):
        section = text_of(page).partition(f"\n## `{entry.name}`\n")[2].partition("\n## ")[0]
        assert f"::: {entry.thing.__module__}.{entry.thing.__name__}\n" in section
        assert [item.name for item in entry.thing.settings() if f"| `{item.name}` |" not in section] == []


def test_the_reference_says_what_models_guard_against() -> None:
    rows = [line for line in text_of(reference_pages.FOLDER / "models.md").splitlines() if line.startswith("| [")]
    (row,) = (row for row in rows if row.startswith("| [`t_closeness`]"))
    assert row.endswith(" | attribute linkage, probabilistic attack |")


def test_the_public_face_has_its_reference() -> None:
    shown = {name for page in PAGES for name in re.findall(r"^::: (\S+)", text_of(page), re.MULTILINE)}
    for name in sfumato.__all__:
        thing = getattr(sfumato, name)
        assert {f"{thing.__module__}.{name}", thing.__module__} & shown, f"{name} is on no reference page"


def test_the_error_page_draws_the_whole_tree() -> None:
    text = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    codes = dict(re.findall(r"(\w+Error)\b.* (\d)$", text, re.MULTILINE))
    family = {
        kind.__name__: str(kind.exit_code) for kind in descendants(SfumatoError) if "checks" not in kind.__module__
    }
    assert codes == family


def descendants(kind: type[SfumatoError]) -> Iterator[type[SfumatoError]]:
    for child in kind.__subclasses__():
        yield child
        yield from descendants(child)


def test_every_command_is_explained() -> None:
    text = (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    for name in [*names, *(group.name for group in app.registered_groups)]:
        assert f"## `sfumato {name}" in text


def test_every_option_is_in_the_section_of_its_command() -> None:
    text = (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## `sfumato ([a-z ]+)\b[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    everywhere, missing = {"--help", *re.findall(r"`(--[\w-]+)", text.partition("## `sfumato")[0])}, []
    for name, command in leaf_commands(typer.main.get_command(app)):
        section = next(body for start, body in sections.items() if name.startswith(start.strip()))
        options = {one for item in command.params for one in item.opts if one.startswith("--")}
        missing += [f"{name} {one}" for one in options - everywhere if f"`{one}`" not in section]
    assert sorted(missing) == []


def leaf_commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """All commands that are no groups, with their full names."""
    for word, inner in getattr(command, "commands", {}).items():
        yield from leaf_commands(inner, f"{name} {word}".strip())
    if name and not hasattr(command, "commands"):
        yield name, command


def test_the_plan_page_says_that_the_limit_of_suppression_counts_persons() -> None:
    """As `test_persons.test_suppression_is_limited_by_persons` shows."""
    text = (DOCS / "guides" / "plan_file.md").read_text(encoding="utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith("| `limit` |"))
    assert "with a `person` column, the share of persons" in row


def test_the_plan_page_names_every_key() -> None:
    text = (DOCS / "guides" / "plan_file.md").read_text(encoding="utf-8")
    assert [name for name in Sections.model_fields if f"[{name}" not in text] == []
    missing = [key for key in keys_of(Sections) - set(Sections.model_fields) if f"`{key}`" not in text]
    assert not missing, f"docs/guides/plan_file.md does not explain {missing}"
    for key, builder in builders().items():
        row = next((line for line in text.splitlines() if line.startswith(f"| `{key}` |")), "")
        assert row, f"docs/guides/plan_file.md has no row for the taxonomy key {key!r}"
        beside = {item.name for item in builder.settings()} - set(builder.plan_keys.values())
        assert set(re.findall(r"`(\w+)`", row.rsplit("|", 2)[1])) == beside


@pytest.mark.parametrize(("whole", "page"), [(PolicySections, "policy_file.md"), (SetupSections, "policy_file.md")])
def test_the_policy_page_names_every_key(whole, page: str) -> None:
    text = (DOCS / "guides" / page).read_text(encoding="utf-8")
    assert [key for key in keys_of(whole) if f"`{key}`" not in text] == []


def keys_of(section: type[Section]) -> set[str]:
    """The keys of a section and of all sections in it."""
    found = set(section.model_fields)
    for field in section.model_fields.values():
        inner = [field.annotation, *get_args(field.annotation)]
        inner += [one for part in inner for one in get_args(part)]
        for one in inner:
            if isinstance(one, type) and issubclass(one, Section):
                found |= keys_of(one)
    return found


def test_the_functions_of_a_records_way_exist() -> None:
    text = (DOCS / "a_records_way.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+)\.py` \| (.+?) \|", text, re.MULTILINE)
    assert len(rows) > 50
    missing = []
    for file, functions in rows:
        module = import_module("sfumato." + file.replace("/", "."))
        for name in re.findall(r"`([\w.]+)`", functions):
            found: Any = module
            for part in name.split("."):
                found = getattr(found, part, None)
            missing += [] if found is not None else [f"{file}.py: {name}"]
    assert missing == []


def test_the_files_that_a_new_thing_touches_exist() -> None:
    text = (DOCS / "adding_a_thing.md").read_text(encoding="utf-8")
    files = set(re.findall(r"`((?:src|tests|docs)/[\w./]+)`", text))
    assert len(files) > 25
    assert [name for name in files if not (DOCS.parent / name).exists()] == []


def toml_of(page: Path) -> list[str]:
    return [block.text for block in blocks_of(page) if block.language == "toml"]


@pytest.mark.parametrize("page", [page for page in PAGES if toml_of(page)], ids=named)
def test_plans_on_the_pages_are_plans(page: Path) -> None:
    for text in toml_of(page):
        tables = tomllib.loads(text)
        if "purposes" in tables:
            assert Policy.of(tables).digest
            continue
        if "source" in tables:
            assert SetupSections.model_validate(tables)
            continue
        plan = Plan.of(tables)
        assert isinstance(plan.model(), PrivacyModel)
        assert plan.schema().quasi
        assert plan.algorithm().name() in catalogue.names("algorithms")


def test_taxonomy_tables_on_the_pages_are_taxonomies() -> None:
    pages = [DOCS / "guides" / "taxonomies.md", DOCS / "guides" / "plan_file.md"]
    found = [text for page in pages for text in re.findall(r"`(\{ [^`]+ \})`", page.read_text(encoding="utf-8"))]
    asked = [tomllib.loads(f"taxonomy = {text}")["taxonomy"] for text in found if "..." not in text]
    assert len(asked) > 5
    assert all(builder_from_plan(table, Path()) for table in asked)


def test_changelog_fragments_are_named_as_agreed() -> None:
    names = [path.name for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    assert names
    assert [
        name for name in names if not re.fullmatch(r"[a-z_]+(-[a-z_]+)?\.(added|changed|fixed|removed)\.md", name)
    ] == []


class Loaded(HTMLParser):
    """What a page loads when it is opened: scripts, styles, images and the like; not what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "a":
            self.addresses += [value for name, value in attrs if name in ("src", "srcset", "href", "data") and value]


@pytest.mark.skipif(find_spec("zensical") is None, reason="zensical is not installed; make docs installs it")
def test_the_site_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """Diagrams, lightboxes and notebooks would be fetched by the theme's script, so no page may use them."""
    shutil.copytree(DOCS, tmp_path / "docs")
    reference_pages.write(tmp_path / "docs" / "reference" / "catalogue")
    terminal_pictures.write(tmp_path / "docs" / "pictures")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > len([page for page in PAGES if page.is_relative_to(DOCS)])
    for page in pages:
        html = page.read_text(encoding="utf-8")
        loaded = Loaded()
        loaded.feed(html)
        assert [address for address in loaded.addresses if re.match(r"(https?:)?//", address)] == []
        assert not re.search(r'class="(mermaid|glightbox|pyodide)', html)
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text(encoding="utf-8"))
