"""The catalogue: all models, algorithms, metrics and other classes a user can choose, found by searching folders.

An entry is a public class in a file of its own, named like the class; there is no registry. To find one entry, only its
own file is imported; to list a kind, all files of its folders are imported. The command line, the plan, the reference
pages and the conformance checks read the catalogue.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from sfumato.errors import UsageError, nearest
from sfumato.settings.params import Declared, catalogue_name


class _Kind(NamedTuple):
    """The package of a kind, and the class in its `base.py` from which all entries are derived.

    With `families`, the packages inside hold entries too, one family each.
    """

    package: str
    base: str
    families: bool = False


_KINDS: Mapping[str, _Kind] = {
    "models": _Kind("models", "PrivacyModel"),
    "algorithms": _Kind("algorithms", "Algorithm", families=True),
    "metrics": _Kind("metrics", "Metric"),
    "taxonomies": _Kind("taxonomies", "TaxonomyBuilder"),
    "learners": _Kind("evaluation.learners", "Learner"),
    "clusterers": _Kind("evaluation.clusterers", "Clusterer"),
    "masks": _Kind("masks", "Mask"),
    "transforms": _Kind("gateway.transforms", "Transform"),
    "attacks": _Kind("attacks", "Attack"),
}

_BUILDABLE = re.compile(
    r"^@dataclass\(frozen=True, kw_only=True[^)]*\)\nclass (?P<name>\w+)\((?P<body>.*?)(?=^@|^class |\Z)",
    re.MULTILINE | re.DOTALL,
)
"""The text of a class with settings."""

_LOOPS = "loops"
"""Packages of compiled loops have no entries, and importing them is slow."""

_ROOT = Path(__file__).parent.parent
EntryClass = TypeVar("EntryClass", bound=Declared)


@dataclass(frozen=True)
class Entry:
    """One entry of the catalogue: its kind, its name and its class."""

    kind: str
    name: str
    thing: type[Declared]

    @property
    def doc(self) -> str:
        """The docstring of the class without the indentation of the source."""
        from inspect import getdoc

        return getdoc(self.thing) or ""

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data for the command line: kind, name, summary and settings."""
        settings = [
            {"name": item.name, "allowed": item.allowed, "doc": item.doc}
            | ({"required": True} if item.required else {"default": _plain(item.default)})
            for item in self.thing.settings()
        ]
        return {"kind": self.kind, "name": self.name, "summary": self.thing.summary(), "settings": settings}


def kinds() -> tuple[str, ...]:
    """The kinds of entries.

    >>> kinds()
    ('models', 'algorithms', 'metrics', 'taxonomies', 'learners', 'clusterers', 'masks', 'transforms', 'attacks')
    """
    return tuple(_KINDS)


def package(kind: str) -> str:
    """The package of a kind.

    >>> package("learners")
    'sfumato.evaluation.learners'
    """
    return f"sfumato.{_KINDS[_known_kind(kind)].package}"


def base_class(kind: str) -> type[Declared]:
    """The class from which all entries of a kind are derived.

    >>> base_class("learners").__name__
    'Learner'
    """
    known = _KINDS[_known_kind(kind)]
    found: type[Declared] = getattr(import_module(f"sfumato.{known.package}.base"), known.base)
    return found


def entries(kind: str) -> tuple[Entry, ...]:
    """All entries of one kind, sorted by name."""
    return tuple(_entries_by_name(_known_kind(kind)).values())


def names(kind: str) -> tuple[str, ...]:
    """The names of all entries of one kind.

    >>> "k_anonymity" in names("models")
    True
    """
    return tuple(_entries_by_name(_known_kind(kind)))


def names_in_files(kind: str) -> tuple[str, ...]:
    """The same names, found in the text of the files without importing them: in milliseconds, for a shell.

    >>> names_in_files("learners") == names("learners")
    True
    """
    paths = {name: _ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py") for name, module in _modules(kind).items()}
    return tuple(sorted(name for name, path in paths.items() if _defines_entry(path.read_text(encoding="utf-8"), name)))


def _defines_entry(text: str, name: str) -> bool:
    """Whether a file defines a class that is named like the file and can be built."""
    for found in _BUILDABLE.finditer(text):
        if catalogue_name(found["name"]) == name:
            return "@abstractmethod" not in found["body"]
    return False


def find(kind: str, name: str) -> type[Declared]:
    """The class with that name; an unknown name is refused with the nearest known one.

    >>> find("models", "k_anonymity").__name__
    'KAnonymity'
    """
    entry = _entry(_known_kind(kind), name)
    if entry is None:
        raise UsageError(f"there is no {_singular(kind)} called {name!r}; {nearest(name, names(kind))}")
    return entry.thing


def describe(name: str) -> Entry:
    """The entry with that name, of any kind."""
    found = next((entry for kind in _KINDS if (entry := _entry(kind, name)) is not None), None)
    if found is None:
        everything = [other for kind in _KINDS for other in names(kind)]
        raise UsageError(f"the catalogue has no entry {name!r}; {nearest(name, everything)}")
    return found


def subclasses_of(kind: str, base: type[EntryClass]) -> dict[str, type[EntryClass]]:
    """All classes of one kind that are derived from `base`, by name.

    >>> from sfumato.algorithms.bucketization.base import Bucketizing
    >>> list(subclasses_of("algorithms", Bucketizing))
    ['anatomy', 'injector', 'permutation', 'slicing']
    """
    return {entry.name: entry.thing for entry in entries(kind) if issubclass(entry.thing, base)}


def without_required_settings(kind: str, base: type[EntryClass]) -> list[type[EntryClass]]:
    """The classes of one kind that are derived from `base` and can be built without settings."""
    found = subclasses_of(kind, base).values()
    return [thing for thing in found if not any(setting.required for setting in thing.settings())]


def class_named(kind: str, class_name: str) -> type[Declared]:
    """The class with that class name, for packages that import their names on first use."""
    entry = _entry(kind, catalogue_name(class_name))
    if entry is None or entry.thing.__name__ != class_name:
        raise AttributeError(f"module 'sfumato.{_KINDS[kind].package}' has no attribute {class_name!r}")
    return entry.thing


@cache
def _modules(kind: str) -> Mapping[str, str]:
    """The modules of a kind by file name; nothing is imported."""
    found: dict[str, str] = {}
    pending = [f"sfumato.{_KINDS[kind].package}"]
    while pending:
        package = pending.pop()
        folder = _ROOT.joinpath(*package.split(".")[1:])
        for item in pkgutil.iter_modules([str(folder)]):
            if not item.ispkg:
                found.setdefault(item.name, f"{package}.{item.name}")
            elif _KINDS[kind].families and item.name != _LOOPS:
                pending.append(f"{package}.{item.name}")
    return found


def _entry(kind: str, name: str) -> Entry | None:
    """The entry with that name; None if there is no such file, or no such class in it."""
    if not re.fullmatch(r"[a-z]\w*", name) or name not in _modules(kind):
        return None
    base = base_class(kind)
    classes = _classes_in(import_module(_modules(kind)[name]))
    return next((Entry(kind, name, one) for one in classes if one.name() == name and issubclass(one, base)), None)


@cache
def _entries_by_name(kind: str) -> dict[str, Entry]:
    found = {name: _entry(kind, name) for name in sorted(_modules(kind))}
    return {name: entry for name, entry in found.items() if entry is not None}


def _classes_in(module: ModuleType) -> Iterator[type[Declared]]:
    """The public concrete `Declared` classes that are defined in a module."""
    for name, thing in vars(module).items():
        defined_here = isinstance(thing, type) and issubclass(thing, Declared) and thing.__module__ == module.__name__
        if defined_here and not name.startswith("_") and not isabstract(thing):
            yield thing


def _known_kind(kind: str) -> str:
    if kind not in _KINDS:
        raise UsageError(f"the catalogue has no kind {kind!r}; {nearest(kind, _KINDS)}")
    return kind


def _singular(kind: str) -> str:
    return "taxonomy" if kind == "taxonomies" else kind.removesuffix("s")


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, list)) or value is None else str(value)
