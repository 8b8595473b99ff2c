"""Declared settings: constructor, checks, messages, command line, plan, certificate and reference read one declaration.

A class of the catalogue (a model, an algorithm, a metric, a taxonomy) is a frozen keyword-only dataclass whose fields
are created with `param`. Its base `Declared` checks them on construction and can list, describe, save and rebuild them.
"""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from sfumato.errors import ParameterError, nearest

Selected = Literal["sensitive", "quasi"]

_REQUIRED = object()
_FACTS = (bool, int, float, str, tuple, frozenset, set, list, dict, NoneType)
"""Types of facts; other class attributes are methods, properties and settings."""


def param(
    default: Any = _REQUIRED,
    *,
    doc: str,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    selects: Selected | None = None,
) -> Any:
    """Declare one setting: its default (none means required), its description and its bounds.

    `selects` declares that the setting names the sensitive column, or the quasi-identifier, that a model judges.
    """
    if not doc.strip():
        raise TypeError("a setting needs a `doc`: lists, messages and the reference show it.")
    metadata = {"doc": doc, "at_least": at_least, "above": above, "at_most": at_most, "selects": selects}
    if default is _REQUIRED:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


@cache
def catalogue_name(class_name: str) -> str:
    """The catalogue name of a class.

    >>> catalogue_name("KAnonymity"), catalogue_name("Mdav1")
    ('k_anonymity', 'mdav_1')
    """
    return re.sub(r"(?<!^)(?=[A-Z]|(?<=[a-z])(?=\d))", "_", class_name).lower()


@dataclass(frozen=True)
class Setting:
    """One declared setting, as read by the command line, the reference pages and the report."""

    name: str
    type: Any
    required: bool
    default: Any
    doc: str
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    selects: Selected | None = None

    @property
    def allowed(self) -> str:
        """The allowed values in words: `int >= 1`."""
        words = _type_in_words(self.type)
        bounds = (("at_least", ">="), ("above", ">"), ("at_most", "<="))
        limits = [f"{sign} {getattr(self, key):g}" for key, sign in bounds if getattr(self, key) is not None]
        return " ".join([words, " and ".join(limits)]).strip()

    @property
    def is_path(self) -> bool:
        """Whether the setting accepts a file path."""
        return Path in _alternatives(self.type)

    def accepts(self, value: object) -> bool:
        """Whether the value has the declared type and lies within the declared bounds."""
        if not _has_type(value, self.type):
            return False
        if value is None or isinstance(value, (str, bool)) or not isinstance(value, (int, float)):
            return True
        return (
            float("-inf") < value < float("inf")
            and (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
        )

    def parse(self, text: str) -> object:
        """Read the setting from the command line: `10`, `0.5`, `true`, `a+b`."""
        for kind in _alternatives(self.type):
            try:
                return _parse_as(text, kind)
            except ValueError:
                continue
        return text


class Declared(ABC):
    """Base of all classes of the catalogue: settings are checked on construction, and can be listed and rebuilt.

    Facts are class attributes. A class may set a fact that a base declares; its own facts are annotated. Another public
    attribute that is a plain value is refused, because it would be a misspelled fact that nobody reads. `family` is a
    short heading under which lists group related classes of a kind.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    family: ClassVar[str] = ""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        declared = {name for base in cls.__mro__[1:] for name in (*vars(base), *getattr(base, "__annotations__", ()))}
        for name, value in vars(cls).items():
            is_fact = not name.startswith("_") and isinstance(value, _FACTS)
            if is_fact and name not in declared and name not in cls.__annotations__:
                facts = [one for one in declared if one[0] != "_" and isinstance(getattr(cls, one, None), _FACTS)]
                raise TypeError(
                    f"{cls.__name__} sets {name!r}, which none of its bases declares; {nearest(name, facts)} Annotate "
                    "a fact of your own as ClassVar, and declare a setting with param()."
                )

    def __new__(cls, *unnamed: Any, **given: Any) -> Self:
        """One whose settings the constructor will set; refuses settings that are unnamed, unknown or missing."""
        made = super().__new__(cls)
        if unnamed:
            raise ParameterError(f"{cls.__name__} takes its settings by name: write {cls._call_with(unnamed)}.")
        arguments = _arguments(cls)
        for key in given:
            if key not in arguments:
                hint = nearest(key, arguments) if arguments else "it has none."
                raise ParameterError(f"{cls.__name__} has no setting {key!r}; {hint}")
        missing = [key for key, required in arguments.items() if required and key not in given]
        if missing:
            raise ParameterError(f"{cls.__name__} needs {', '.join(missing)}: write {cls.call()}.")
        return made

    @classmethod
    def _call_with(cls, values: Sequence[Any]) -> str:
        """The Python call that gives these values to the first settings by their names, if there are as many."""
        names = [setting.name for setting in cls.settings()]
        if len(values) > len(names):
            return cls.call()
        named = (f"{name}={_display(value)}" for name, value in zip(names, values, strict=False))
        return f"{cls.__name__}({', '.join(named)})"

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        """The settings, with which copies and pickles are created."""
        return (), {name: getattr(self, name) for name in _arguments(type(self))}

    def __post_init__(self) -> None:
        for setting in self.settings():
            value = getattr(self, setting.name)
            plain = _plain_number(tuple(value) if isinstance(value, list) else value)
            if plain is not value:
                value = plain
                object.__setattr__(self, setting.name, value)
            if not setting.accepts(value):
                raise ParameterError(
                    f"{setting.name!r} of {type(self).__name__} must be {setting.allowed}; got {_display(value)}."
                )

    @classmethod
    def settings(cls) -> tuple[Setting, ...]:
        """The declared settings, in order."""
        return _settings(cls)

    @classmethod
    def name(cls) -> str:
        """The catalogue name: `KAnonymity` is `k_anonymity`."""
        return catalogue_name(cls.__name__)

    @classmethod
    def summary(cls) -> str:
        """The first sentence of the docstring."""
        return (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ").strip()

    @classmethod
    def call(cls) -> str:
        """The Python call that builds one, without the values of its required settings: `KAnonymity(k=...)`."""
        required = [f"{setting.name}=..." for setting in cls.settings() if setting.required]
        return f"{cls.__name__}({', '.join(required)})"

    @classmethod
    def build(cls, given: Mapping[str, Any]) -> Self:
        """Build from named settings, refusing unknown and missing names with a hint."""
        known = {setting.name: setting for setting in cls.settings()}
        for key in given:
            if key not in known:
                raise ParameterError(f"{cls.name()} has no setting {key!r}; {nearest(key, known)}")
        missing = [name for name, setting in known.items() if setting.required and name not in given]
        if missing:
            raise ParameterError(f"{cls.name()} needs {', '.join(missing)} ({known[missing[0]].doc}).")
        return cls(**given)

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """Build from settings written as text, as on the command line."""
        known = {setting.name: setting for setting in cls.settings()}
        return cls.build({key: known[key].parse(text) if key in known else text for key, text in given.items()})

    def to_dict(self) -> dict[str, Any]:
        """The name and the settings that differ from their defaults, as plain data for a plan or a certificate."""
        plain: dict[str, Any] = {"name": self.name()}
        for setting in self.settings():
            value = getattr(self, setting.name)
            if value is not None and value != setting.default:
                plain[setting.name] = _plain(value)
        return plain

    def __str__(self) -> str:
        shown = [f"{key}={value}" for key, value in self.to_dict().items() if key != "name"]
        return f"{self.name()}({', '.join(shown)})"


def _plain_number(value: Any) -> Any:
    """A number of another library, such as `numpy.int64`, as int or float; any other value as it is."""
    if isinstance(value, (int, float)) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


@cache
def _arguments(cls: type) -> Mapping[str, bool]:
    """The arguments of the constructor, and whether each must be given."""
    found = [item for item in fields(cls) if item.init] if is_dataclass(cls) else []
    return {one.name: one.default is MISSING and one.default_factory is MISSING for one in found}


@cache
def _settings(cls: type) -> tuple[Setting, ...]:
    hints = get_type_hints(cls)
    found = []
    for item in fields(cls):
        if "doc" not in item.metadata:
            continue
        required = item.default is MISSING and item.default_factory is MISSING
        default = None if required else item.default
        found.append(Setting(item.name, hints[item.name], required, default, **item.metadata))
    return tuple(found)


def _alternatives(kind: Any) -> Sequence[Any]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _has_type(value: object, kind: Any) -> bool:  # noqa: PLR0911  # one return per kind of type
    if get_origin(kind) in (Union, UnionType):
        return any(_has_type(value, option) for option in get_args(kind))
    if get_origin(kind) is Literal:
        return any(value == option and type(value) is type(option) for option in get_args(kind))
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return isinstance(value, tuple) and all(_has_type(item, inner) for item in value)
    if get_origin(kind) in (dict, Mapping):
        return isinstance(value, Mapping)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is Any:
        return True
    return isinstance(value, kind)


def _type_in_words(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_type_in_words(option) for option in get_args(kind) if option is not NoneType)
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(repr(option) for option in get_args(kind))
    if get_origin(kind) is tuple:
        return f"a list of {_type_in_words(get_args(kind)[0])}"
    if get_origin(kind) in (dict, Mapping):
        return "a table"
    return {float: "number", str: "text", bool: "true or false"}.get(kind, getattr(kind, "__name__", str(kind)))


def _parse_as(text: str, kind: Any) -> object:
    if kind is NoneType:
        raise ValueError
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError
        return text.lower() == "true"
    if kind in (int, float):
        return kind(text)
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return tuple(_parse_as(part, _alternatives(inner)[0]) for part in text.split("+"))
    if kind is Path:
        return Path(text)
    return text


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def _display(value: object) -> str:
    return repr(value) if isinstance(value, (int, float, str, bool, NoneType)) else type(value).__name__
