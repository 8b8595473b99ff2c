"""Tree: a taxonomy written as a tree: indented text, TOML, or nested tables."""

from __future__ import annotations

import tomllib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.data.domain import Domain
from sfumato.errors import ParameterError, TaxonomyError, listed
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder, key_of, look_up_values, text_of

Chain = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Tree(TaxonomyBuilder):
    """Generalizes values by a tree of named nodes with one root, from a file or from nested tables.

    A file ending in `.toml` holds nested tables whose innermost lists are the values; any other file is text in which a
    line that is indented further lies under the line above it. A node with nothing below it is a value. Several roots,
    a name in two places and a node below itself are refused.

    >>> tree = Tree(branches={"ANY": {"Artist": ["Dancer", "Writer"], "Engineer": []}})
    >>> domain, _ = Domain.of("job", ["Engineer", "Dancer", "Writer"])
    >>> tree.grow(domain)[0].level_rows()
    [['Dancer', 'Artist', 'ANY'], ['Writer', 'Artist', 'ANY'], ['Engineer', 'Engineer', 'ANY']]
    """

    plan_keys = {"tree": "path", "branches": "branches"}

    path: Path | str | None = param(None, doc="file with indented text or nested TOML tables")
    branches: Mapping[str, Any] | None = param(None, doc="nested tables; the innermost lists are the values")

    def __post_init__(self) -> None:
        if isinstance(self.path, Mapping):
            raise ParameterError(
                "'path' of Tree names a file that has the tree. Nested tables are given as branches, with one root and "
                'lists of the values innermost: branches={"ANY": {"Artist": ["Dancer", "Writer"], "Engineer": []}}.'
            )
        super().__post_init__()
        if (self.path is None) == (self.branches is None):
            raise ParameterError("Tree takes either 'path' or 'branches'; give exactly one of them.")

    def _listed_values(self) -> Iterable[str]:
        return (name for name, _, is_leaf in _nodes(self._nested_tables(), "") if is_leaf)

    def _nested_tables(self) -> Mapping[str, Any]:
        return self.branches if self.branches is not None else _read(Path(self.path or ""))

    def _levels(self, domain: Domain) -> list[list[str]]:
        nested = self._nested_tables()
        _check_top(nested, domain.column)
        paths = _paths(nested, domain.column)
        known: dict[Hashable, Chain] = {key_of(leaf, domain.kind): above for leaf, above in paths.items()}
        chains = [above[::-1] for above in look_up_values(domain, known, "the tree")]
        height = max((len(chain) for chain in chains), default=0)
        values = [domain.named(code) for code in range(domain.present)]
        padded = [[value] * (height - len(chain)) + list(chain) for value, chain in zip(values, chains, strict=True)]
        return [[chain[level] for chain in padded] for level in range(height)]


def _check_top(nested: Mapping[str, Any], column: str) -> None:
    if not nested:
        raise TaxonomyError(f"the tree of {column!r} is empty; write one root and the values under it.")
    if len(nested) > 1:
        raise TaxonomyError(
            f"the tree of {column!r} has {len(nested)} roots: {listed(nested)}. Put one node above them."
        )


def _paths(nested: Mapping[str, Any], column: str) -> dict[str, Chain]:
    """Every value with the names above it, root first; refuses cycles and duplicate names."""
    seen: set[str] = set()
    leaves: dict[str, Chain] = {}
    for name, above, is_leaf in _nodes(nested, column):
        if name in above:
            raise TaxonomyError(f"the tree of {column!r} has a cycle: {name!r} lies under itself.")
        if name in seen:
            raise TaxonomyError(f"the tree of {column!r} holds {name!r} in two places; a node has one parent.")
        seen.add(name)
        if is_leaf:
            leaves[name] = above
    return leaves


def _nodes(tree: Mapping[str, Any], column: str) -> Iterator[tuple[str, Chain, bool]]:
    """Every node with the names above it and whether it is a value, depth first in the written order."""
    waiting = list(reversed(_below(tree, (), column)))
    while waiting:
        name, nested, above = waiting.pop()
        yield name, above, not nested
        waiting.extend(reversed(_below(nested, (*above, name), column)))


def _below(nested: Any, above: Chain, column: str) -> list[tuple[str, Any, Chain]]:
    if isinstance(nested, Mapping):
        return [(str(name), below, above) for name, below in nested.items()]
    if _is_plain_list(nested):
        return [(str(value), (), above) for value in nested]
    raise TaxonomyError(
        f"the tree of {column!r} must hold tables or lists of values; {above[-1]!r} holds something else."
    )


def _is_plain_list(nested: Any) -> bool:
    return isinstance(nested, (list, tuple)) and not any(isinstance(item, (Mapping, list, tuple)) for item in nested)


def _read(path: Path) -> Mapping[str, Any]:
    text = text_of(path)
    if path.suffix.lower() != ".toml":
        return _parse_indented(text, path.name)
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise TaxonomyError(f"the taxonomy file {path.name!r} is no valid TOML: {error}.") from None


def _parse_indented(text: str, name: str) -> Mapping[str, Any]:
    top: dict[str, Any] = {}
    stack: list[tuple[int, dict[str, Any]]] = [(-1, top)]
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        spaces = line.expandtabs(4)
        depth, last = len(spaces) - len(spaces.lstrip()), stack[-1][0]
        while stack[-1][0] >= depth:
            last = stack.pop()[0]
        if last > depth:
            raise TaxonomyError(f"line {number} of {name!r} has an indentation that no line above it has.")
        _add_node(stack, depth, line.strip(), f"line {number} of {name!r}")
    return top


def _add_node(stack: list[tuple[int, dict[str, Any]]], depth: int, node: str, where: str) -> None:
    siblings, below = stack[-1][1], dict[str, Any]()
    if node in siblings:
        raise TaxonomyError(f"{where} names {node!r} a second time under the same parent.")
    siblings[node] = below
    stack.append((depth, below))
