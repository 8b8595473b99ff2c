"""Pictures of a terminal, drawn when the documentation is built from what the commands really print.

`python -m tests.reference_pages` writes them to `docs/pictures`, a folder that is not under version control. The
pictures load no fonts: readers see them in the monospaced font that they have.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import chdir
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.datasets import write_patients

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH = 110
SHOWN = {
    "publish.svg": "sfumato publish plan.toml",
    "check.svg": "sfumato check patients_release.csv --quasi sex,age,postcode,admitted --sensitive diagnosis",
}
"""The pictures, and the command of each. They run in this order in one folder, after `sfumato init patients.csv`."""

THEME = TerminalTheme((255, 253, 250), (43, 38, 33), [(43, 38, 33)] * 8, [(43, 38, 33)] * 8)
"""The colours of the pictures of reports: dark ink on paper. Commands print no colours."""

SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<title>{title}</title>
<style>.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, Menlo, Consolas, monospace; }} \
.{unique_id}-title {{ font: bold 18px Helvetica, Arial, sans-serif; }} {styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal">\
<rect width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}\
<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""
"""Like rich's own format, without the fonts that it loads from a server."""


def pictures() -> dict[str, str]:
    """The pictures as SVG, by file name."""
    with TemporaryDirectory() as folder, chdir(folder):
        write_patients("patients.csv", 2000, seed=1)
        printed("sfumato init patients.csv")
        return {name: picture(command, printed(command)) for name, command in SHOWN.items()}


def write(folder: Path = FOLDER) -> None:
    """Write every picture."""
    folder.mkdir(exist_ok=True)
    for name, drawn in pictures().items():
        (folder / name).write_text(drawn, encoding="utf-8")


def printed(command: str) -> str:
    """What a command prints, without the seconds that it took, which differ each time."""
    done = CliRunner().invoke(app, shlex.split(command)[1:], env={**os.environ, "NO_COLOR": "1"})
    if done.exit_code:
        raise RuntimeError(f"{command} ended with {done.exit_code}: {done.stderr}")
    return done.stdout.partition("\nSeconds: ")[0].rstrip() + "\n"


def picture(command: str, output: str) -> str:
    """A terminal with a command and its output. Rows of tables that are too long end with an ellipsis."""
    console = Console(record=True, width=WIDTH, file=StringIO(), color_system="truecolor", force_terminal=True)
    for line in _lines(command, output):
        in_table = line.plain.startswith("  ")
        console.print(line, no_wrap=in_table, overflow="ellipsis" if in_table else "fold")
    return console.export_svg(title="sfumato", theme=THEME, code_format=SVG.replace("{title}", command))


def _lines(command: str, output: str) -> Iterator[Text]:
    yield Text(f"$ {command}", style="bold")
    yield from map(Text, output.splitlines())
    yield Text("")  # the picture ends in the middle of the last line
