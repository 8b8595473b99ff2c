"""From a random file and plan to the published file, judged by code that shares nothing with the library.

The judge reads both files with the standard library, reads labels as a stranger would, and counts with dictionaries.
"""

import csv
import io
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InfeasibleError
from sfumato.plan import Plan

TEXTS = st.text(alphabet="ab'\"é ,;{}[]*\n", min_size=1, max_size=4).filter(lambda text: text.strip() and text != "*")
NUMBERS = st.integers(-20, 20).map(str) | st.sampled_from(["0.5", "1.25", "-3.75", "1e3"])
DATES = st.dates().map(str)
KINDS = {"number": NUMBERS, "date": DATES, "text": TEXTS}
TAXONOMIES = {"number": {"width": 4}, "date": {"dates": True}, "text": {"flat": True}}
WAYS = [
    {"name": "mondrian"},
    {"name": "mondrian", "cut": "median"},
    {"name": "mondrian", "cut": "median", "relaxed": True},
    {"name": "mondrian", "categories": "taxonomy"},
    {"name": "exhaustive"},
]


@st.composite
def cases(draw):
    rows = draw(st.integers(1, 14))
    kinds = {f"q {index}": draw(st.sampled_from(sorted(KINDS))) for index in range(draw(st.integers(1, 3)))}
    columns = {
        name: draw(st.lists(st.just("") | KINDS[kind] | KINDS[kind], min_size=rows, max_size=rows))
        for name, kind in kinds.items()
    }
    columns["secret"] = draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=rows, max_size=rows))
    columns["note"] = draw(st.lists(st.just("") | TEXTS, min_size=rows, max_size=rows))
    way = draw(st.sampled_from(WAYS))
    k, l, limit = draw(st.integers(1, 4)), draw(st.integers(1, 2)), draw(st.sampled_from([0.0, 0.3]))
    return kinds, columns, way, k, l, limit


def plan_for(kinds, way, k, l, limit):
    quasi = {name: {"role": "quasi", "type": kind, "taxonomy": TAXONOMIES[kind]} for name, kind in kinds.items()}
    return {
        "data": {"path": "in.csv"},
        "columns": {**quasi, "secret": {"role": "sensitive"}},
        "models": [{"name": "k_anonymity", "k": k}, {"name": "distinct_l_diversity", "l": l}],
        "algorithm": way,
        "suppression": {"limit": limit},
        "output": {"path": "out.csv", "certificate": "certificate.json", "report": "report.html"},
    }


def written(path, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)


def read(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def place(text, kind):
    """Where a number or a date lies; dates compare as they are written."""
    return float(text) if kind == "number" else text


def says(label, value, kind):
    """Whether a published label is true of the original value."""
    if label in (value, "*"):
        return True
    if kind == "number" and value and not label.startswith(("[", "{")):
        return float(label) == float(value)
    if kind in ("number", "date") and value and label.startswith("["):
        low, high = label[1:-1].split(", ")
        at = place(value, kind)
        below = at < place(high, kind) if label.endswith(")") else at <= place(high, kind)
        return place(low, kind) <= at and below
    if kind == "date" and value and not label.startswith("{"):
        return calendar(label, value)
    inner = next(csv.reader(io.StringIO(label[1:-1], newline=""), skipinitialspace=True), [])
    return label.startswith("{") and (value or "missing") in inner


def calendar(label, value):
    """Months, quarters, years and decades."""
    quarter = f"{value[:4]}-Q{(int(value[5:7]) + 2) // 3}"
    return label in (value[:7], quarter, value[:4], value[:3] + "0s")


@given(cases())
@settings(max_examples=120)
def test_the_published_file_keeps_every_promise(case):
    kinds, columns, way, k, l, limit = case
    with TemporaryDirectory() as folder:
        path = Path(folder)
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        written(path / "in.csv", [list(columns), *rows])
        try:
            Plan.of(plan_for(kinds, way, k, l, limit), path).run()
        except InfeasibleError:
            assert sorted(file.name for file in path.iterdir()) == ["in.csv"]
            return
        header, *published = read(path / "out.csv")
        assert sorted(file.name for file in path.iterdir()) == ["certificate.json", "in.csv", "out.csv", "report.html"]
    assert header == list(columns)
    assert len(published) == len(rows)
    kept = [number for number, row in enumerate(published) if row != ["*"] * len(row)]
    assert len(rows) - len(kept) <= limit * len(rows)
    groups, secrets = Counter(), defaultdict(set)
    for number in kept:
        original, row = rows[number], published[number]
        assert row[len(kinds) :] == original[len(kinds) :]
        seen = tuple(row[: len(kinds)])
        assert all(says(label, value, kind) for label, value, kind in zip(seen, original, kinds.values(), strict=False))
        groups[seen] += 1
        secrets[seen].add(row[len(kinds)])
    assert all(size >= k for size in groups.values())
    assert all(len(values) >= l for values in secrets.values())
