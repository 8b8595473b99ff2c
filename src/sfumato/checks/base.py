"""What conformance checks share: their error, and the check of what classes of every kind declare."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import Field, fields

from sfumato.data.base import Data
from sfumato.data.table import Table
from sfumato.errors import ParameterError, SfumatoError, listed
from sfumato.settings.params import Declared


class ConformanceError(SfumatoError):
    """A class does not behave as it declares; the message names the class and the violated rule."""


def demand(conforms: bool, thing: Declared, violation: str) -> None:
    """Raise a ConformanceError with the violation, unless the thing conforms."""
    if not conforms:
        raise ConformanceError(f"{thing} {violation}.")


def demand_declared(thing: Declared) -> None:
    """Settings are declared by `param` in a frozen keyword-only dataclass and can be written and read back.

    If the class says what it `serves`, these are kinds of data that exist.
    """
    cls = type(thing)
    unmade = [name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, Field)]
    demand(not unmade, thing, f"declares {listed(unmade)} by param() in a class without @dataclass")
    initialized = [field for field in fields(cls) if field.init]
    frozen = cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    demand(frozen and all(field.kw_only for field in initialized), thing, "is no dataclass(frozen=True, kw_only=True)")
    settings = {setting.name for setting in cls.settings()}
    others = [field.name for field in initialized if field.name not in settings]
    demand(not others, thing, f"takes {listed(others)}, which is not declared by param()")
    kinds = _kinds_of_data(Data)  # type: ignore[type-abstract]
    unknown = sorted(getattr(thing, "serves", kinds) - kinds)
    demand(not unknown, thing, f"serves {listed(unknown)}; imported kinds of data are {listed(sorted(kinds))}")
    written = thing.to_dict()
    demand(written.pop("name", None) == thing.name(), thing, "writes another name than its own")
    rebuilt = None
    with suppress(ParameterError):
        rebuilt = cls.build(written)
    demand(rebuilt == thing, thing, "is not rebuilt from its own to_dict")


def _kinds_of_data(base: type[Data]) -> set[str]:
    """The kinds of the subclasses of `Data` that are imported, of which `Table` always is one."""
    kinds = {base.kind} if hasattr(base, "kind") else {Table.kind}
    return kinds.union(*map(_kinds_of_data, base.__subclasses__()))
