from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.report.svg import (
    AFTER,
    ALARM,
    BEFORE,
    INK,
    MUTED,
    PAPER,
    bar,
    clipped,
    coordinate,
    escape_text,
    horizontal_line,
    lines,
    picture,
    shorten,
    standalone,
    text,
    vertical_line,
    width_of,
)
from tests.report.releases import NASTY

# advance widths in thousandths of the size, from the Adobe font metrics of Helvetica
HELVETICA = {
    " ": 278, "%": 889, "&": 667, "(": 333, ",": 278, "-": 333, ".": 278, "/": 278, "0": 556, "1": 556, "9": 556,
    "A": 667, "G": 778, "I": 278, "M": 833, "O": 778, "W": 944, "_": 556, "a": 556, "f": 278, "i": 222,
    "l": 222, "m": 833, "o": 556, "r": 333, "t": 278, "w": 722, "–": 556, "—": 1000, "…": 1000,
}  # fmt: skip


@pytest.mark.parametrize("sign", sorted(HELVETICA))
def test_no_sign_is_thought_narrower_than_helvetica_draws_it(sign):
    assert width_of(sign) >= 12 * HELVETICA[sign] / 1000
    assert width_of(sign) <= 12 * (HELVETICA[sign] + 280) / 1000


def test_wide_and_combining_signs_are_known():
    assert width_of("東京") == 24
    assert width_of("e\u0301") == width_of("e")


@given(st.text(), st.floats(12, 200))
def test_what_is_shortened_fits_and_is_a_beginning(words, room):
    shown = shorten(words, room)
    assert width_of(shown) <= room
    assert shown == words or (shown[-1] == "…" and words.startswith(shown[:-1]))
    assert shown == words or width_of(words) > room


def test_no_more_is_cut_off_than_must_be():
    assert shorten("abcdefgh", width_of("abc…")) == "abc…"
    assert shorten("abcdefgh", width_of("abcdefgh")) == "abcdefgh"


def test_a_long_text_is_shortened_in_one_pass():
    assert shorten("a" * 200_000, 120) == "a" * 15 + "…"  # 15 · 6.84 + 12 is below 120, 16 · 6.84 + 12 above


@given(st.text())
def test_any_text_is_text_and_nothing_else(words):
    marks = [text(1, 2, words), text(1, 2, words, max_width=20), bar(0, 0, 1, 1, "red", tooltip=words)]
    drawn = picture(100, 50, words, words, marks)
    root = ElementTree.fromstring(drawn)
    plain = "".join(sign if sign.isprintable() else " " for sign in words)
    assert [(child.tag, child.text) for child in root[:3]] == [
        (tag, plain or None) for tag in ("title", "desc", "text")
    ]
    assert {element.tag for element in root.iter()} <= {"svg", "text", "title", "desc", "rect"}
    drawn.encode()


def test_nothing_breaks_out():
    drawn = picture(10, 10, NASTY, NASTY, [text(0, 0, NASTY, max_width=30), bar(0, 0, 1, 1, "red", tooltip=NASTY)])
    assert "<script" not in drawn
    assert drawn.count("</svg>") == 1
    assert escape_text("a\x00b\u202ec\n") == "a b c "


def test_a_shortened_text_keeps_the_whole_in_a_title():
    (title,) = ElementTree.fromstring(text(0, 0, "a very long name of a value", max_width=60))
    assert title.text == "a very long name of a value"
    assert len(ElementTree.fromstring(text(0, 0, "short", max_width=60))) == 0


def test_a_picture_adapts_and_needs_no_names_from_elsewhere():
    drawn = picture(440, 190.5, "named", "told", [])
    root = ElementTree.fromstring(drawn)
    assert (root.get("viewBox"), root.get("role")) == ("0 0 440 190.5", "img")
    assert (root.get("width"), root.get("height"), root.get("style")) == ("440", "190.5", None)
    assert "xmlns" not in drawn
    assert " id=" not in drawn


def test_a_picture_alone_is_an_svg_file():
    root = ElementTree.fromstring(standalone(picture(440, 190.5, "named", "told", [])))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    (paper,) = root.iter("{http://www.w3.org/2000/svg}rect")
    assert (paper.get("width"), paper.get("height"), paper.get("fill")) == ("100%", "100%", PAPER)


def test_colours_of_a_report_have_a_class_that_a_page_can_restyle():
    drawn = ElementTree.fromstring(bar(0, 0, 1, 1, AFTER))
    assert (drawn.get("fill"), drawn.get("class")) == (AFTER, "fill-after")
    turned = ElementTree.fromstring(text(1, 2, "a", colour=ALARM, halo=True))
    assert turned.get("class") == "fill-alarm stroke-paper"
    assert ElementTree.fromstring(bar(0, 0, 1, 1, "red")).get("class") is None


def luminance(colour):
    """The relative luminance of WCAG 2.2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(("colour", "least"), [(INK, 4.5), (MUTED, 4.5), (ALARM, 3), (BEFORE, 3), (AFTER, 3)])
def test_colours_can_be_told_from_the_paper(colour, least):
    """WCAG 2.2 asks for 4.5 to 1 for text and for 3 to 1 for what is needed to understand a picture."""
    light, dark = sorted((luminance(PAPER), luminance(colour)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= least


def test_long_names_are_clipped_in_the_middle():
    assert clipped("a" * 60 + "b" * 60, 11) == "aaaaa…bbbbb"
    assert clipped("a" * 100) == "a" * 100
    assert len(clipped("a" * 101)) == 100


@given(st.floats(-1e6, 1e6))
def test_numbers_have_at_most_two_decimals(number):
    shown = coordinate(number)
    assert abs(float(shown) - number) <= 0.00501
    assert len(shown.partition(".")[2]) <= 2
    assert shown != "-0"
    assert "e" not in shown


def test_thin_lines_lie_in_the_middle_of_a_pixel():
    assert vertical_line(10.2, 8, 30) == "M10.5 8V30"
    assert horizontal_line(7.9, 1.25, 30) == "M1.25 7.5H30"


def test_lines_are_one_path_and_may_be_dashed():
    path = ElementTree.fromstring(lines([vertical_line(1, 0, 2), horizontal_line(3, 0, 4)], ALARM, dashes="5 4"))
    assert (path.get("d"), path.get("stroke"), path.get("stroke-dasharray")) == ("M1.5 0V2M0 3.5H4", ALARM, "5 4")
    assert "dash" not in lines([], ALARM)


def test_only_what_is_out_of_the_ordinary_is_written():
    assert text(1, 2, "a") == '<text x="1" y="2">a</text>'
    turned = ElementTree.fromstring(text(1, 2, "a", "end", angle=-35, colour="red", halo=True))
    assert turned.get("transform") == "rotate(-35 1 2)"
    assert (turned.get("text-anchor"), turned.get("fill"), turned.get("paint-order")) == ("end", "red", "stroke")
