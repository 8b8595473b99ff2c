"""Convert the taxonomy table of a plan to a builder, and back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import TaxonomyError, nearest
from sfumato.settings.catalogue import subclasses_of
from sfumato.taxonomies.base import TaxonomyBuilder


def builder_from_plan(given: Mapping[str, Any], folder: Path) -> TaxonomyBuilder:
    """The builder for a table such as `{ width = 5 }` or `{ file = "ages.csv" }`.

    Exactly one key selects the builder; the builder's other settings may follow. Paths are relative to `folder`.

    >>> str(builder_from_plan({"mask": "right", "character": "#"}, Path(".")))
    'masking(character=#)'
    """
    known = builders()
    chosen = [key for key in given if key in known]
    if len(chosen) > 1:
        raise TaxonomyError(f"a taxonomy must be chosen by one key; got {' and '.join(map(repr, chosen))}.")
    if not chosen:
        unknown = next(iter(given), None)
        what = "an empty table" if unknown is None else f"unknown key {unknown!r}"
        raise TaxonomyError(f"a taxonomy cannot be chosen by {what}; {nearest(unknown or '', known)}")
    thing = known[chosen[0]]
    return thing(**_settings(thing, chosen[0], given, folder))


def plan_of(builder: TaxonomyBuilder) -> dict[str, Any]:
    """The table that selects this builder in a plan.

    >>> from sfumato.taxonomies import Intervals
    >>> plan_of(Intervals(width=5))
    {'width': 5}
    """
    settings = builder.to_dict()
    keys = builder.plan_keys
    key = next((key for key, name in keys.items() if name in settings), next(iter(keys)))
    others = {name: value for name, value in settings.items() if name not in {"name", *keys.values()}}
    return {key: settings.get(keys[key], getattr(builder, keys[key])), **others}


def builders() -> dict[str, type[TaxonomyBuilder]]:
    """Every key that selects a taxonomy, and its builder."""
    offered = subclasses_of("taxonomies", TaxonomyBuilder)  # type: ignore[type-abstract]
    return {key: thing for thing in offered.values() for key in thing.plan_keys}


def _settings(thing: type[TaxonomyBuilder], chosen: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    known = {setting.name: setting for setting in thing.settings()}
    optional = known.keys() - set(thing.plan_keys.values())
    found = {}
    for key, value in given.items():
        if key != chosen and key not in optional:
            raise TaxonomyError(
                f"a taxonomy chosen by {chosen!r} has no key {key!r}; {nearest(key, optional or {chosen})}"
            )
        name = thing.plan_keys[chosen] if key == chosen else key
        found[name] = folder / value if known[name].is_path and isinstance(value, str) else value
    return found
