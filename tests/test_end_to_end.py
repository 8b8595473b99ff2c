"""From a random file and plan to the published file, judged by code that shares nothing with the library.

The judge reads both files with the standard library, reads labels as a stranger would, and counts with dictionaries.
"""

import csv
import io
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InfeasibleError
from sfumato.plan import Plan
from tests.examples import examples

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
    {"name": "info_gain_mondrian"},
    {"name": "lsd_mondrian"},
    {"name": "top_down_refinement"},
    {"name": "top_down_refinement", "taxonomies": False},
    {"name": "top_down_refinement", "taxonomies": False, "target": "secret", "beneficial": False},
    {"name": "top_down_disclosure", "target": "secret"},
    {"name": "hdtds"},
    {"name": "bottom_up_generalization"},
    {"name": "genetic", "population": 6, "evaluations": 30},
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


def plan_for(kinds, way, limit, models):
    quasi = {name: {"role": "quasi", "type": kind, "taxonomy": TAXONOMIES[kind]} for name, kind in kinds.items()}
    return {
        "data": {"path": "in.csv"},
        "columns": {**quasi, "secret": {"role": "sensitive"}},
        "models": models,
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
    if kind in ("number", "date") and value and label.startswith((">=", "<")):
        at, bound = place(value, kind), place(label.lstrip("<>="), kind)
        return at >= bound if label.startswith(">") else at < bound
    if kind in ("number", "date") and label == "known":
        return bool(value)
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


def outcome(case, models):
    """The original and the published records, those that were left out marked by None; nothing where it is refused."""
    kinds, columns, way, _, _, limit = case
    with TemporaryDirectory() as folder:
        path = Path(folder)
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        written(path / "in.csv", [list(columns), *rows])
        try:
            Plan.of(plan_for(kinds, way, limit, models), path).run()
        except InfeasibleError:
            assert sorted(file.name for file in path.iterdir()) == ["in.csv"]
            return [], []
        header, *published = read(path / "out.csv")
        assert sorted(file.name for file in path.iterdir()) == ["certificate.json", "in.csv", "out.csv", "report.html"]
    assert header == list(columns)
    assert len(published) == len(rows)
    kept = [row if row != ["*"] * len(row) else None for row in published]
    assert kept.count(None) <= limit * len(rows)
    for original, row in zip(rows, kept, strict=True):
        if row is not None:
            assert row[len(kinds) :] == original[len(kinds) :]
            cells = zip(row, original, kinds.values(), strict=False)
            assert all(says(label, value, kind) for label, value, kind in cells)
    return rows, kept


@given(cases())
@examples(50)
def test_the_published_file_keeps_every_promise(case):
    kinds, _, _, k, l, _ = case
    _, published = outcome(case, [{"name": "k_anonymity", "k": k}, {"name": "distinct_l_diversity", "l": l}])
    groups, secrets = Counter(), defaultdict(set)
    for row in filter(None, published):
        seen = tuple(row[: len(kinds)])
        groups[seen] += 1
        secrets[seen].add(row[len(kinds)])
    assert all(size >= k for size in groups.values())
    assert all(len(values) >= l for values in secrets.values())


@given(cases(), st.integers(1, 3), st.sampled_from([0.5, 0.8, 1.0]))
@examples(25)
def test_whoever_knows_a_few_values_finds_enough_records(case, known, share):
    """LKC-privacy, by every choice of as many columns and fewer."""
    kinds, _, _, k, _, _ = case
    _, published = outcome(case, [{"name": "lkc_privacy", "l": known, "k": k, "c": share}])
    rows = [row for row in published if row is not None]
    for size in range(1, min(known, len(kinds)) + 1):
        for columns in combinations(range(len(kinds)), size):
            groups = Counter(tuple(row[at] for at in columns) for row in rows)
            secrets = Counter((tuple(row[at] for at in columns), row[len(kinds)]) for row in rows)
            assert all(found >= k for found in groups.values())
            assert share == 1 or all(found <= share * groups[key[0]] + 1e-9 for key, found in secrets.items())
