"""No representation of an object shows a value of a record: notebooks, logs and tracebacks print representations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

from sfumato import Audit, Plan, Schema, Table
from sfumato.algorithms import Anatomy, Mdav, Mondrian, Slicing, TopDownRefinement
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.report.report import Report

PEOPLE = pa.table(
    {
        "id": [f"canary{place}" for place in range(40)],
        "age": [7_770_000 + place for place in range(40)],
        "city": [f"canary{place % 5}" for place in range(40)],
        "ill": [f"canary{place % 4}" for place in range(40)],
    }
)
ADDRESS = re.compile(r" at 0x\w+")
SCHEMA = Schema.of(quasi=["age", "city"], sensitive=["ill"], identifiers=["id"])


def reachable(thing: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """The objects of this library that can be reached from one of them by its attributes."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing
    if isinstance(thing, dict):
        inner = list(thing.values())
    elif isinstance(thing, (list, tuple)) and not hasattr(thing, "_fields"):
        inner = list(thing)
    elif type(thing).__module__.startswith("sfumato."):
        yield thing
        inner = list(vars(thing).values()) if hasattr(thing, "__dict__") else []
        inner += [getattr(thing, name, None) for name in ("view", "groups", "numbers")]
    else:
        return
    for one in inner:
        yield from reachable(one, seen)


def shown(thing: Any) -> dict[str, str]:
    """By class, the start of a representation with a value of a record."""
    found = {type(one).__name__: ADDRESS.sub("", repr(one)) for one in reachable(thing, {})}
    return {name: text[:200] for name, text in found.items() if "canary" in text or "777" in text}


def test_a_value_would_be_found() -> None:
    assert shown(Table.from_frame(PEOPLE, SCHEMA).taxonomies | {"x": Leaky()}) == {"Leaky": "canary"}


class Leaky:
    """Shows a value."""

    def __repr__(self) -> str:
        return "canary"


Leaky.__module__ = "sfumato.test"


@pytest.mark.parametrize(
    ("algorithm", "model"),
    [
        (Mondrian(), KAnonymity(k=4)),
        (Mdav(), KAnonymity(k=4)),
        (TopDownRefinement(), KAnonymity(k=4)),
        (Anatomy(), DistinctLDiversity(l=3)),
        (Slicing(), DistinctLDiversity(l=2)),
    ],
    ids=str,
)
def test_a_release_and_what_it_holds_show_no_value(algorithm: Any, model: Any) -> None:
    release = algorithm.anonymize(Table.from_frame(PEOPLE, SCHEMA), model)
    assert "40 records" in repr(release)
    assert str(model) in repr(release)
    assert shown(release) == {}
    assert shown(Report.of_release(release)) == {}


def test_a_plan_and_its_outcome_show_no_value(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "in.csv")
    roles = {"id": "identifier", "age": "quasi", "city": "quasi", "ill": "sensitive"}
    plan = Plan.of(
        {
            "data": {"path": "in.csv"},
            "columns": {name: {"role": role} for name, role in roles.items()},
            "models": [{"name": "k_anonymity", "k": 4}],
            "output": {"path": "out.csv"},
        },
        tmp_path,
    )
    assert shown([plan, plan.run()]) == {}
    audit = Audit.of_file(tmp_path / "out.csv", quasi=["age", "city"], sensitive=["ill"])
    assert repr(audit).startswith("<Audit: 40 records in ")
    assert shown(audit) == {}
