"""Instances of everything on offer, for the tests that go through the catalogue."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sfumato.settings.catalogue import Entry, entries


def instances(kind: str) -> list[Any]:
    """At least one instance of every entry of a kind."""
    return [one for entry in entries(kind) for one in instances_of(entry)]


def instances_of(entry: Entry) -> list[Any]:
    """The list `CONFORMING` of the entry's own test; without one, the entry with its defaults."""
    folder, _, name = entry.thing.__module__.removeprefix("sfumato.").rpartition(".")
    module = f"tests.{folder}.test_{name}"
    found = getattr(import_module(module), "CONFORMING", None)
    if found is None:
        required = [setting.name for setting in entry.thing.settings() if setting.required]
        assert not required, (
            f"{module} has no list CONFORMING; write one with {entry.name} in settings that fit the tables of the "
            f"conformance tests, because {', '.join(required)} has no default."
        )
        return [entry.thing()]
    return list(found)
