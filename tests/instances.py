"""Instances of everything on offer, for the tests that go through the catalogue."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from sfumato.settings.catalogue import Entry, entries


def instances(kind: str) -> list[Any]:
    """At least one instance of every entry of a kind."""
    return [one for entry in entries(kind) for one in instances_of(entry)]


def instances_of(entry: Entry) -> list[Any]:
    """The list `CONFORMING` of the entry's own test; without one, the entry with its defaults."""
    folder, _, name = entry.thing.__module__.removeprefix("sfumato.").rpartition(".")
    module = f"tests.{folder}.test_{name}"
    found = getattr(_own_test(entry, module), "CONFORMING", None)
    if found is None:
        required = [setting.name for setting in entry.thing.settings() if setting.required]
        assert not required, (
            f"{module} has no list CONFORMING; write one with {entry.name} in settings that fit the tables of the "
            f"conformance tests, because {', '.join(required)} has no default."
        )
        return [entry.thing()]
    return list(found)


def _own_test(entry: Entry, module: str) -> ModuleType:
    """The test of an entry; if it cannot be imported, an error says what is still to be written.

    Many tests go through the catalogue when they are collected, so a new class that is not complete stops all of them.
    """
    thing = entry.thing.__name__
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        wanted = f"{module.replace('.', '/')}.py, which is missing, and an __init__.py in each of its folders"
    except ImportError as error:
        if error.name is None or f"name {thing!r}" not in str(error):
            raise
        wanted = f"the import of {thing} in {error.name.replace('.', '/')}/__init__.py, and its name in __all__ there"
    raise AssertionError(f"{thing} is on offer, but not complete: write {wanted} (docs/adding_a_thing.md).")
