"""A taxonomy drawn as a tree: indented text, TOML, or nested tables."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.domain import Domain
from sfumato.errors import DataError, TaxonomyError, listed
from sfumato.params import param
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import ROOT


@dataclass(frozen=True, kw_only=True)
class Tree(TaxonomyBuilder):
    """Named nodes over named nodes over values.

    A file ending in `.toml` holds nested tables whose innermost lists are the values; any other file is text in which a
    line that is indented further lies under the line above it. Several tops, or none, get the root `*`.

    >>> tree = Tree(branches={"ANY": {"Artist": ["Dancer", "Writer"], "Engineer": []}})
    >>> domain, _ = Domain.of("job", ["Engineer", "Dancer", "Writer"])
    >>> tree.build(domain)[0].level_rows()
    [['Dancer', 'Artist', 'ANY'], ['Writer', 'Artist', 'ANY'], ['Engineer', 'Engineer', 'ANY']]
    """

    plan_keys = {"tree": "path", "branches": "branches"}

    path: Path | str | None = param(None, doc="file with indented text or nested TOML tables")
    branches: Mapping[str, Any] | None = param(None, doc="nested tables; the innermost lists are the values")

    def _levels(self, domain: Domain) -> list[list[str]]:
        paths: dict[str, tuple[str, ...]] = {}
        for leaf, above in _leaves(self._nested(), ()):
            if paths.setdefault(leaf, above) != above:
                raise TaxonomyError(f"the tree of {domain.column!r} holds {leaf!r} in two places; a value has one parent.")
        values = [domain.named(code) for code in range(domain.present)]
        strange = [value for value in values if value not in paths]
        if strange:
            raise TaxonomyError(f"the tree of {domain.column!r} does not cover {len(strange)} values: {listed(strange)}.")
        chains = [(*reversed(paths[value]), ROOT) if self._needs_root() else paths[value][::-1] for value in values]
        height = max((len(chain) for chain in chains), default=0)
        padded = [[value] * (height - len(chain)) + list(chain) for value, chain in zip(values, chains, strict=True)]
        return [[chain[level] for chain in padded] for level in range(height)]

    def _needs_root(self) -> bool:
        return len(self._nested()) != 1

    def _nested(self) -> Mapping[str, Any]:
        if (self.path is None) == (self.branches is None):
            raise TaxonomyError("a tree needs either a path or branches.")
        if self.branches is not None:
            return self.branches
        return _read(Path(str(self.path)))


def _leaves(nested: Any, above: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Every value with the names above it, top first."""
    if isinstance(nested, Mapping):
        return [
            found
            for name, below in nested.items()
            for found in (_leaves(below, (*above, str(name))) if below else [(str(name), above)])
        ]
    return [(str(value), above) for value in nested]


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise DataError(f"the taxonomy file {str(path)!r} cannot be read as UTF-8 text.") from None
    if path.suffix.lower() == ".toml":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise TaxonomyError(f"the taxonomy file {path.name!r} is no valid TOML: {error}.") from None
    return _indented(text)


def _indented(text: str) -> Mapping[str, Any]:
    top: dict[str, Any] = {}
    stack: list[tuple[int, dict[str, Any]]] = [(-1, top)]
    for line in text.splitlines():
        name = line.strip()
        if not name:
            continue
        depth = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        while stack[-1][0] >= depth:
            stack.pop()
        below: dict[str, Any] = {}
        if name in stack[-1][1]:
            raise TaxonomyError(f"the tree names {name!r} twice under the same parent.")
        stack[-1][1][name] = below
        stack.append((depth, below))
    return top
