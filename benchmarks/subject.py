"""What is measured, called as a user would call it; runs in measuring processes only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.files import QUASI, SENSITIVE, level_file
from benchmarks.measure import repeated, timed

if TYPE_CHECKING:
    from sfumato import Schema
    from sfumato.models.base import PrivacyModel


def schema(*, sensitive: bool = True) -> Schema:
    """The eight quasi columns with their level files, and the salary class as the secret."""
    from sfumato import Schema
    from sfumato.taxonomies import LevelFile

    taxonomies = {name: LevelFile(path=level_file(name)) for name in QUASI}
    return Schema.of(quasi=QUASI, sensitive=[SENSITIVE] if sensitive else [], taxonomies=taxonomies)


def model(k: int, l: int | None = None, t: float | None = None) -> PrivacyModel:
    """k-anonymity, with distinct l-diversity or t-closeness (equal distance) on the salary class where asked."""
    from sfumato import DistinctLDiversity, KAnonymity, TCloseness

    asked: PrivacyModel = KAnonymity(k=k)
    if l is not None:
        asked = asked & DistinctLDiversity(l=l, sensitive=SENSITIVE)
    if t is not None:
        asked = asked & TCloseness(t=t, sensitive=SENSITIVE, distance="equal")
    return asked


def publish(
    *,
    path: str,
    target: str | None,
    cut: Literal["median", "best"],
    repeat: int,
    k: int = 10,
    l: int | None = None,
    t: float | None = None,
) -> dict[str, Any]:
    """Read, decide several times over, and write if a target is named; the first decision only loads the kernels."""
    from sfumato import Mondrian, Table, anonymize

    with timed() as first_read:
        table = Table.read(path, schema())
    algorithm, asked = Mondrian(cut=cut), model(k, l, t)
    with timed() as first:
        release = anonymize(table, asked, algorithm=algorithm)
    decided = repeated(lambda: anonymize(table, asked, algorithm=algorithm), repeat)
    read = repeated(lambda: Table.read(path, schema()), repeat) if target is None else first_read
    with timed() as written:
        if target is not None:
            release.write(Path(target))
    return {
        "read": read.wall,
        "decide": decided.wall,
        "decide_cpu": decided.cpu,
        "first": first.wall,
        "write": written.wall,
        "distinct": len(table),
    }
