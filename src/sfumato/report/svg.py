"""SVG elements as text: bars, lines and labels, and the picture around them. `bars` draws charts with them.

The text is placed in an HTML page. It contains no scripts and no styles, and refers to no other file. Colours are
attributes with a class beside them, such as `fill-after`, so that the style sheet of a page can replace them.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import accumulate
from math import floor
from string import ascii_lowercase, digits
from unicodedata import combining, east_asian_width

INK, MUTED, ALARM = "#2b2621", "#655c53", "#a63c26"
GRID, LINE, PAPER = "#e9e3da", "#9a9086", "#fffdfa"
BEFORE, AFTER = "#a5824c", "#33566b"
"""The colours of the original and of the release. On paper, each has a contrast of 3 to 1 or more."""

_NAMES = {
    INK: "ink", MUTED: "muted", ALARM: "alarm", GRID: "grid", LINE: "line", PAPER: "paper", BEFORE: "before",
    AFTER: "after",
}  # fmt: skip
_FONT, _SIZE = "Helvetica, Arial, Liberation Sans, sans-serif", 12
_NARROW, _WIDE = frozenset(" !'(),-./:;I[]fijlrt|"), frozenset("%@MWmw…—")
_COMMON = frozenset(ascii_lowercase + digits + "–_#$?")


def picture(width: float, height: float, title: str, description: str, marks: Iterable[str]) -> str:
    """A picture with a title and a description for readers who cannot see it; a page may draw it smaller."""
    across, down = coordinate(width), coordinate(height)
    face = f'font-family="{_FONT}" font-size="{_SIZE}" {_painted(("fill", INK))}'
    words = f"<title>{escape_text(title)}</title><desc>{escape_text(description)}</desc>"
    size = f'viewBox="0 0 {across} {down}" width="{across}" height="{down}"'
    return f'<svg role="img" {size} {face}>{words}{"".join(marks)}</svg>'


def standalone(drawn: str) -> str:
    """A picture as the text of an SVG file of its own, on paper: the page around it may be dark."""
    paper = f'<rect width="100%" height="100%" {_painted(("fill", PAPER))}/>'
    named = drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return named.replace("</desc>", f"</desc>{paper}", 1)


def bar(x: float, y: float, width: float, height: float, colour: str, *, tooltip: str = "") -> str:
    """A bar; `tooltip` is shown while the pointer is over it."""
    place = f'x="{coordinate(x)}" y="{coordinate(y)}" width="{coordinate(width)}" height="{coordinate(height)}"'
    return f"<rect {place} {_painted(('fill', colour))}>{_title(tooltip)}</rect>"


def lines(steps: Iterable[str], colour: str, *, dashes: str = "") -> str:
    """Thin lines as one path element, from the steps that `vertical_line` and `horizontal_line` return."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{"".join(steps)}" {_painted(("stroke", colour))} fill="none"{dashed}/>'


def vertical_line(x: float, top: float, bottom: float) -> str:
    """The path of a vertical line; x is moved to the middle of a pixel, where a thin line is sharp."""
    return f"M{floor(x) + 0.5} {coordinate(top)}V{coordinate(bottom)}"


def horizontal_line(y: float, left: float, right: float) -> str:
    """The path of a horizontal line; y is moved to the middle of a pixel."""
    return f"M{coordinate(left)} {floor(y) + 0.5}H{coordinate(right)}"


def text(
    x: float, y: float, words: str, anchor: str = "start", *,
    angle: float = 0, colour: str = INK, max_width: float = float("inf"), halo: bool = False,
) -> str:  # fmt: skip
    """A line of text; if it is wider than `max_width`, it is shortened and its tooltip shows the whole text.

    A halo in the colour of the background keeps text readable that crosses a line.
    """
    shown = shorten(words, max_width)
    marks = [f'x="{coordinate(x)}" y="{coordinate(y)}"']
    marks += [f'text-anchor="{anchor}"'] if anchor != "start" else []
    marks += [f'transform="rotate({coordinate(angle)} {coordinate(x)} {coordinate(y)})"'] if angle else []
    paints = ([("fill", colour)] if colour != INK else []) + ([("stroke", PAPER)] if halo else [])
    marks += [_painted(*paints)] if paints else []
    marks += ['stroke-width="3" paint-order="stroke"'] if halo else []
    return f"<text {' '.join(marks)}>{escape_text(shown)}{_title(words if shown != words else '')}</text>"


def width_of(words: str) -> float:
    """The width of a text in pixels; estimated, and rather too wide, because the fonts of the reader are not known.

    >>> round(width_of("Widow"), 1) > round(width_of("ill"), 1)
    True
    """
    return _SIZE * sum(map(_relative_width, words))


def shorten(words: str, max_width: float) -> str:
    """The text, or the longest beginning that fits into `max_width` together with an ellipsis.

    >>> shorten("Married-civ-spouse", 70)
    'Married-c…'
    """
    if width_of(words) <= max_width:
        return words
    ends = accumulate((_SIZE * _relative_width(character) for character in words), initial=width_of("…"))
    return words[: max(sum(end <= max_width for end in ends) - 1, 0)].rstrip() + "…"


def clipped(words: str, most: int = 100) -> str:
    """A text of at most so many characters, without its middle if it is longer: long names often begin alike.

    >>> clipped("a" * 60 + "b" * 60, 11)
    'aaaaa…bbbbb'
    """
    if len(words) <= most:
        return words
    end = (most - 1) // 2
    return f"{words[: most - 1 - end]}…{words[-end:]}"


def _relative_width(character: str) -> float:
    """The width of a character as a share of the font size."""
    if combining(character):
        return 0.0
    if character in _NARROW:
        return 0.34
    if character in _WIDE or east_asian_width(character) in "WF":
        return 1.0
    return 0.57 if character in _COMMON else 0.78


def coordinate(number: float) -> str:
    """A number with at most two decimals, so that rounding errors of sums do not change the page.

    >>> coordinate(12.0), coordinate(0.125), coordinate(-0.001)
    ('12', '0.12', '0')
    """
    return f"{number:z.2f}".rstrip("0").rstrip(".")


def escape_text(words: str) -> str:
    """The text escaped for HTML; unprintable characters become blanks."""
    return escape("".join(character if character.isprintable() else " " for character in words), quote=True)


def _painted(*paints: tuple[str, str]) -> str:
    """Colours as attributes, with the classes by which a style sheet finds them."""
    classes = " ".join(f"{attribute}-{_NAMES[colour]}" for attribute, colour in paints if colour in _NAMES)
    attributes = " ".join(f'{attribute}="{colour}"' for attribute, colour in paints)
    return f'{attributes} class="{classes}"' if classes else attributes


def _title(tooltip: str) -> str:
    return f"<title>{escape_text(tooltip)}</title>" if tooltip else ""
