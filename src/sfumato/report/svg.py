"""SVG elements that pictures are made of, as text to be placed in a page; they load and run nothing."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import accumulate
from math import floor
from string import ascii_lowercase, digits
from unicodedata import combining, east_asian_width

INK, QUIET, ALARM = "#2b2621", "#8a8178", "#b4442f"
GRID, LINE, PAPER = "#e9e3da", "#cfc6ba", "#fffdfa"
_FONT, _SIZE = "Helvetica, Arial, Liberation Sans, sans-serif", 12
_NARROW, _BROAD = frozenset(" !'(),-./:;I[]fijlrt|"), frozenset("%@MWmw…—")
_COMMON = frozenset(ascii_lowercase + digits + "–_#$?")


def picture(width: float, height: float, told: str, marks: Iterable[str]) -> str:
    """A picture that shrinks with the page, never grows beyond its size, and has a text for those who cannot see it."""
    size = f'viewBox="0 0 {coordinate(width)} {coordinate(height)}" style="max-width:{coordinate(width)}px"'
    face = f'font-family="{_FONT}" font-size="{_SIZE}" fill="{INK}"'
    return f'<svg role="img" aria-label="{escaped(told)}" {size} {face}>{"".join(marks)}</svg>'


def bar(x: float, y: float, width: float, height: float, colour: str, *, says: str = "") -> str:
    """A bar; `says` is shown when the pointer is over it."""
    place = f'x="{coordinate(x)}" y="{coordinate(y)}" width="{coordinate(width)}" height="{coordinate(height)}"'
    return f'<rect {place} fill="{colour}">{_title(says)}</rect>'


def lines(steps: Iterable[str], colour: str, *, dashes: str = "") -> str:
    """Thin lines, all in one path."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{"".join(steps)}" stroke="{colour}" fill="none"{dashed}/>'


def upright(x: float, top: float, bottom: float) -> str:
    """The step of a path from the top to the bottom, in the middle of a pixel, where a thin line is sharp."""
    return f"M{floor(x) + 0.5} {coordinate(top)}V{coordinate(bottom)}"


def level(y: float, left: float, right: float) -> str:
    """The step of a path from left to right, in the middle of a pixel as well."""
    return f"M{coordinate(left)} {floor(y) + 0.5}H{coordinate(right)}"


def text(
    x: float, y: float, words: str, anchor: str = "start", *,
    angle: float = 0, colour: str = INK, room: float = float("inf"), halo: bool = False,
) -> str:  # fmt: skip
    """A line of text; where it is longer than the room, the whole text is shown when the pointer is over it.

    A halo keeps it readable where it crosses a line.
    """
    shown = shortened(words, room)
    marks = [f'x="{coordinate(x)}" y="{coordinate(y)}"']
    marks += [f'text-anchor="{anchor}"'] if anchor != "start" else []
    marks += [f'transform="rotate({coordinate(angle)} {coordinate(x)} {coordinate(y)})"'] if angle else []
    marks += [f'fill="{colour}"'] if colour != INK else []
    marks += [f'stroke="{PAPER}" stroke-width="3" paint-order="stroke"'] if halo else []
    return f"<text {' '.join(marks)}>{escaped(shown)}{_title(words if shown != words else '')}</text>"


def width_of(words: str) -> float:
    """About how wide a text is, estimated generously because the reader's fonts are not known.

    >>> round(width_of("Widow"), 1) > round(width_of("ill"), 1)
    True
    """
    return _SIZE * sum(map(_em, words))


def shortened(words: str, room: float) -> str:
    """The text, or as much of its beginning as fits together with an ellipsis.

    >>> shortened("Married-civ-spouse", 70)
    'Married-c…'
    """
    if width_of(words) <= room:
        return words
    ends = accumulate((_SIZE * _em(sign) for sign in words), initial=width_of("…"))
    return words[: max(sum(end <= room for end in ends) - 1, 0)].rstrip() + "…"


def _em(sign: str) -> float:
    """The width of a sign in parts of its size."""
    if combining(sign):
        return 0.0
    if sign in _NARROW:
        return 0.34
    if sign in _BROAD or east_asian_width(sign) in "WF":
        return 1.0
    return 0.57 if sign in _COMMON else 0.78


def coordinate(number: float) -> str:
    """At most two decimals: enough for every screen, and the last bits of a sum never change the page.

    >>> coordinate(12.0), coordinate(0.125), coordinate(-0.001)
    ('12', '0.12', '0')
    """
    return f"{number:z.2f}".rstrip("0").rstrip(".")


def escaped(words: str) -> str:
    """The text with everything escaped that HTML would read as markup; unprintable signs become blanks."""
    return escape("".join(sign if sign.isprintable() else " " for sign in words), quote=True)


def _title(says: str) -> str:
    return f"<title>{escaped(says)}</title>" if says else ""
