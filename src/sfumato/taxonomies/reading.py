"""From a plan's taxonomy table to a builder, and back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import TaxonomyError, nearest
from sfumato.taxonomies.base import TaxonomyBuilder


def builder_from_plan(given: Mapping[str, Any], folder: Path) -> TaxonomyBuilder:
    """The builder that a table such as `{ width = 5 }` or `{ file = "ages.csv" }` asks for.

    One key says which builder is meant; the builder's other settings may stand beside it. Relative paths are seen from
    the folder.

    >>> str(builder_from_plan({"mask": "right", "character": "#"}, Path(".")))
    'masking(character=#)'
    """
    known = builders()
    asked = [key for key in given if key in known]
    if len(asked) > 1:
        raise TaxonomyError(f"a taxonomy is asked for by one key; got {' and '.join(map(repr, asked))}.")
    if not asked:
        strange = next(iter(given), None)
        what = "an empty table" if strange is None else f"unknown key {strange!r}"
        raise TaxonomyError(f"a taxonomy cannot be asked for by {what}; {nearest(strange or '', known)}")
    thing = known[asked[0]]
    return thing(**_settings(thing, asked[0], given, folder))


def plan_of(builder: TaxonomyBuilder) -> dict[str, Any]:
    """The table that asks for this builder in a plan.

    >>> from sfumato.taxonomies import Intervals
    >>> plan_of(Intervals(width=5))
    {'width': 5}
    """
    told = builder.to_dict()
    keys = builder.plan_keys
    key = next((key for key, name in keys.items() if name in told), next(iter(keys)))
    others = {name: value for name, value in told.items() if name not in {"name", *keys.values()}}
    return {key: told.get(keys[key], getattr(builder, keys[key])), **others}


def builders() -> dict[str, type[TaxonomyBuilder]]:
    """Every key that asks for a taxonomy, and the builder it means."""
    from sfumato import taxonomies

    offered = (getattr(taxonomies, name) for name in taxonomies.__all__)
    things = [thing for thing in offered if isinstance(thing, type) and issubclass(thing, TaxonomyBuilder)]
    return {key: thing for thing in things for key in thing.plan_keys}


def _settings(thing: type[TaxonomyBuilder], asked: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    known = {setting.name: setting for setting in thing.settings()}
    beside = known.keys() - set(thing.plan_keys.values())
    found = {}
    for key, value in given.items():
        if key != asked and key not in beside:
            raise TaxonomyError(
                f"a taxonomy asked for by {asked!r} has no key {key!r}; {nearest(key, beside or {asked})}"
            )
        name = thing.plan_keys[asked] if key == asked else key
        found[name] = folder / value if known[name].is_path and isinstance(value, str) else value
    return found
