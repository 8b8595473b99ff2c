"""Everything on offer, found by looking into the folders.

A thing on offer is a public class in a file of its own, the file named like the thing. Nobody registers anything, and a
folder is looked into only when somebody asks for it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from sfumato.errors import UsageError, nearest
from sfumato.params import Declared

_FOLDERS = ("models", "algorithms", "metrics", "taxonomies", "learners", "clusterers", "masks", "transforms", "attacks")


@dataclass(frozen=True)
class Entry:
    """One thing on offer: the folder it lies in, its name and its class."""

    kind: str
    name: str
    thing: type[Declared]

    @property
    def doc(self) -> str:
        """Its docstring without the indentation of the source."""
        from inspect import getdoc

        return getdoc(self.thing) or ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the command line: what it is and what it lets one set."""
        settings = [
            {"name": item.name, "allowed": item.allowed, "doc": item.doc}
            | ({"required": True} if item.required else {"default": _plain(item.default)})
            for item in self.thing.settings()
        ]
        return {"kind": self.kind, "name": self.name, "summary": self.thing.summary(), "settings": settings}


def kinds() -> tuple[str, ...]:
    """The folders one can look into.

    >>> kinds()
    ('models', 'algorithms', 'metrics', 'taxonomies', 'learners', 'clusterers', 'masks', 'transforms', 'attacks')
    """
    return _FOLDERS


def entries(kind: str) -> tuple[Entry, ...]:
    """Everything of one kind, in order of name."""
    return tuple(_look_into(_known_kind(kind)).values())


def names(kind: str) -> tuple[str, ...]:
    """The names of everything of one kind.

    >>> "k_anonymity" in names("models")
    True
    """
    return tuple(_look_into(_known_kind(kind)))


def find(kind: str, name: str) -> type[Declared]:
    """The class of that name; a name that is not there is refused with the nearest one that is.

    >>> find("models", "k_anonymity").__name__
    'KAnonymity'
    """
    found = _look_into(_known_kind(kind))
    if name not in found:
        raise UsageError(f"there is no {_singular(kind)} called {name!r}; {nearest(name, found)}")
    return found[name].thing


def describe(name: str) -> Entry:
    """The thing of that name, whatever kind it is."""
    everything = {entry.name: entry for kind in _FOLDERS for entry in entries(kind)}
    if name not in everything:
        raise UsageError(f"nothing on offer is called {name!r}; {nearest(name, everything)}")
    return everything[name]


@cache
def _look_into(kind: str) -> dict[str, Entry]:
    package = f"sfumato.{kind}"
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec else None
    found = {}
    for module in sorted(item.name for item in pkgutil.iter_modules(places)):
        for thing in _things(import_module(f"{package}.{module}")):
            if thing.name() == module:
                found[module] = Entry(kind, module, thing)
    return found


def _things(module: ModuleType) -> Iterator[type[Declared]]:
    """The declared classes that are at home in a module."""
    for name, thing in vars(module).items():
        home = isinstance(thing, type) and issubclass(thing, Declared) and thing.__module__ == module.__name__
        if home and not name.startswith("_"):
            yield thing


def _known_kind(kind: str) -> str:
    if kind not in _FOLDERS:
        raise UsageError(f"there is no kind {kind!r} of things on offer; {nearest(kind, _FOLDERS)}")
    return kind


def _singular(kind: str) -> str:
    return "taxonomy" if kind == "taxonomies" else kind.removesuffix("s")


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, list)) or value is None else str(value)
