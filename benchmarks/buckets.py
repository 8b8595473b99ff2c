"""How fast are rules mined and buckets made, and how well do the buckets serve, on the paper's experiment?

The quality is measured as the paper does, on the same questions and rules for every release: the bars are relative to
Anatomy, with no value above 1 in l in any bucket and nobody vulnerable.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.files import Files, adult_file
from benchmarks.measure import task
from benchmarks.row import Bar, Row, at_most
from benchmarks.settings import Settings

ERRORS = {3: 0.28, 4: 0.40, 5: 0.55, 6: 0.70}
RULES = {3: 22.0, 6: 57.0}


def measure(settings: Settings) -> Iterator[Row]:
    """Seconds to mine and to share out, promises over all settings, and errors relative to Anatomy."""
    adult, million = adult_file("train"), Files(settings.cache).table(settings.million)
    for name, path, mining, sharing in (("30,162", adult, 0.15, 0.02), (f"{settings.million:,}", million, 0.25, 0.3)):
        found = task("benchmarks.bucketed:mine", path=path, items=3, repeat=settings.repeat).answer
        yield _row(f"rules of up to three items, {name} records", found["wall"], at_most(mining),
                   note=f"{found['rules']:,} rules")  # fmt: skip
        found = task("benchmarks.bucketed:share_out", path=path, l=6, repeat=settings.repeat).answer
        sizes = f"buckets of {found['smallest']} to {found['largest']}, {found['left']} records left"
        yield _row(f"guarded buckets, l=6, {name} records", found["wall"], at_most(sharing), note=sizes)
    found = task("benchmarks.bucketed:anatomize", path=adult, l=6, repeat=settings.repeat).answer
    yield _row("anatomy, l=6, judged, 30,162 records", found["wall"], at_most(0.1))
    yield from _end_to_end(settings)
    yield from _promises()
    yield from _use(settings)


def _end_to_end(settings: Settings) -> Iterator[Row]:
    million, folder = Files(settings.cache).quasi(settings.million), settings.cache
    small = adult_file("train")
    found = task("benchmarks.bucketed:end_to_end", path=million, small=small, folder=folder, l=6)
    name = f"read 8 columns, mine, bucketize, write two tables, {settings.million:,} records"
    yield _row(f"{name}: CPU", found.answer["cpu"], at_most(2.0), note=f"{found.answer['wall']:.2f} s")
    yield Row(question="buckets", name=f"{name}: memory", figure=found.megabytes, unit="MB", bar=at_most(1500.0))


def _promises() -> Iterator[Row]:
    found = task("benchmarks.bucketed:keep_promises", path=adult_file("train")).answer
    name = f"over {found['settings']} settings, l = 3 to 7"
    left = f"{found['suppressed']} records left out, {found['impossible']} have fewer than l values open to them"
    yield Row(question="buckets", name=f"vulnerable records, {name}", figure=found["vulnerable"], unit="records",
              bar=at_most(0), note=left)  # fmt: skip
    yield Row(question="buckets", name=f"buckets not of l or l + 1, or too many of l + 1, {name}",
              figure=found["odd"] + found["larger"], unit="buckets", bar=at_most(0))  # fmt: skip


def _use(settings: Settings) -> Iterator[Row]:
    adult, million = adult_file("train"), Files(settings.cache).table(settings.million)
    for l, limit in ERRORS.items():
        yield from _errors("30,162", task("benchmarks.bucketed:use", path=adult, l=l).answer, l, limit, 1.5)
    for effort, limit, seconds in ((1.0, 0.70, 20.0), (0.1, 0.80, 5.0)):
        found = task("benchmarks.bucketed:use", path=million, l=6, effort=effort).answer
        yield from _errors(f"{settings.million:,}", found, 6, limit, seconds)
    for l, limit in RULES.items():
        found = task("benchmarks.bucketed:rules", path=adult, l=l).answer
        note = f"Anatomy {found['anatomy']:.1f} %, the paper's algorithm {found['paper']:.1f} %"
        yield Row(question="buckets", name=f"confidence error of positive rules, l={l}", figure=found["near"], unit="%",
                  bar=at_most(limit), note=note)  # fmt: skip


def _errors(records: str, found: dict[str, float], l: int, limit: float, seconds: float) -> Iterator[Row]:
    """Time, error and how easy a prey, for one release."""
    kept = f"{found['vulnerable']} vulnerable, no value more than {found['commonest']} times in a bucket"
    yield _row(f"near buckets, l={l}, {records} records", found["wall"], at_most(seconds), note=kept)
    yield Row(
        question="buckets",
        name=f"error of 1,000 counts, l={l}, {records} records",
        figure=100 * found["error"],
        unit="%",
        ratio=found["error"] / found["anatomy"],
        against="anatomy",
        bar=at_most(limit, on="ratio"),
    )
    yield Row(question="buckets", name=f"secrets guessed right, l={l}, {records} records", figure=100 * found["prey"],
              unit="%", ratio=found["prey"] / found["anatomy_prey"], against="anatomy",
              bar=at_most(1.0, on="ratio"))  # fmt: skip


def _row(name: str, seconds: float, bar: Bar, note: str = "") -> Row:
    return Row(question="buckets", name=name, figure=seconds, unit="s", bar=bar, note=note)
