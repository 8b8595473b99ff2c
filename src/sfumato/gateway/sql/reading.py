"""Parses the text of a query: one SELECT, with an optional purpose, within size limits.

Limits are checked on the tokens before parsing, and on the tree after it, so that no query costs more than it may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from sfumato.errors import StatementError
from sfumato.gateway.policy.characters import demand_characters
from sfumato.gateway.sql.dialects import dialect, tokenizer
from sfumato.gateway.sql.literals import demand_literals

MAX_CHARACTERS = 20_000
"""The largest number of characters in a query."""

KIND = "sfumato.kind"
"""The key under which a parameter in a tree keeps the kind of its value."""

# The parser and the compiler recurse, and their cost grows faster than the
# length of the text. These limits are far above queries that people write.
_MAX_PARAMETER_DIGITS = 4
_MAX_PARENTHESES = 60
_MAX_TOKENS = 4_000
_MAX_SET_OPERANDS = 50
_MAX_TREE_DEPTH = 200


@dataclass(frozen=True)
class ParsedQuery:
    """A SELECT as a tree, the purpose that its text states, if any, and the text without its literals."""

    tree: exp.Expr
    purpose: str | None
    normalized: str

    @cached_property
    def table_names(self) -> frozenset[str]:
        """All names in table positions, also those that WITH defines, in lower case."""
        return frozenset(table.name.lower() for table in self.tree.find_all(exp.Table))


def parse_query(text: str, engine: str, kinds: Sequence[str] | None = None) -> ParsedQuery:
    """Parse one SELECT in the engine's SQL, which may end with FOR PURPOSE name.

    `kinds` are the kinds of the parameter values, or None if no values are given.

    >>> query = parse_query("SELECT name FROM customer WHERE age > 30 FOR PURPOSE Marketing", "duckdb")
    >>> query.purpose, query.normalized
    ('Marketing', 'SELECT name FROM customer WHERE age > ?')
    """
    if len(text) > MAX_CHARACTERS:
        raise StatementError(f"a query has at most {MAX_CHARACTERS:,} characters; this one has {len(text):,}.")
    tokens = tokens_of(text, engine)
    text, tokens, purpose = _without_purpose(text, tokens)
    _demand_depth(tokens)
    tree = _parse(_number_parameters(text, tokens), engine)
    if kinds is not None:
        _store_parameter_kinds(tree, kinds)
    return ParsedQuery(tree, purpose, _normalized(tokens))


def tokens_of(text: str, engine: str) -> list[Token]:
    """The tokens of one query; refuses a text that is empty, has several statements, or is no SELECT."""
    demand_characters(text, "the query")
    try:
        found = list(tokenizer(engine).tokenize(text))
    except (SqlglotError, RecursionError, ValueError):
        raise StatementError("the query cannot be read; a quote or a comment may not be closed.") from None
    while found and found[-1].token_type == TokenType.SEMICOLON:
        found.pop()
    if not found:
        raise StatementError("the query is empty.")
    if len(found) > _MAX_TOKENS:
        raise StatementError(f"a query has at most {_MAX_TOKENS:,} words; this one has {len(found):,}.")
    if any(token.token_type == TokenType.SEMICOLON for token in found):
        raise StatementError("one query at a time; there are several statements.")
    if (
        found[0].token_type not in _FIRST_TOKENS
    ):  # refused before parsing: the parser logs the text of statements it does not know
        raise StatementError("only SELECT is allowed.")
    demand_literals(text, found)
    return found


def _without_purpose(text: str, tokens: list[Token]) -> tuple[str, list[Token], str | None]:
    """The text and tokens without FOR PURPOSE name, and the name."""
    words = [token.text.upper() for token in tokens[-3:]]
    if len(tokens) < 4 or words[:2] != ["FOR", "PURPOSE"]:
        return text[: tokens[-1].end + 1], tokens, None
    if tokens[-1].token_type not in (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING) and not (
        tokens[-1].text.replace("_", "").isalnum()
    ):
        raise StatementError("FOR PURPOSE is followed by the name of a purpose.")
    # Cutting the text at the token also removes comments behind it.
    return text[: tokens[-3].start], tokens[:-3], tokens[-1].text


def _number_parameters(text: str, tokens: list[Token]) -> str:
    """The text with every ? as $1, $2 and so on, so that the compiled query may repeat a parameter."""
    parts, at, number = [], 0, 0
    for token in tokens:
        if token.token_type == TokenType.PLACEHOLDER and token.text == "?":
            number += 1
            # Spaces around it, so that the number does not merge with a neighbouring word.
            parts.append(f"{text[at : token.start]} ${number} ")
            at = token.end + 1
    return "".join(parts) + text[at:]


def _demand_depth(tokens: list[Token]) -> None:
    """Refuse too many nested parentheses or set operations, before the parser recurses into them."""
    depth = deepest = 0
    for token in tokens:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        deepest = max(deepest, depth)
    if deepest > _MAX_PARENTHESES:
        raise StatementError(f"parentheses may be nested {_MAX_PARENTHESES} deep; these are nested {deepest} deep.")
    parts = sum(token.token_type in _SET_OPERATORS for token in tokens) + 1
    if parts > _MAX_SET_OPERANDS:
        raise StatementError(
            f"UNION, INTERSECT and EXCEPT combine at most {_MAX_SET_OPERANDS} queries; these are {parts}."
        )


def _parse(text: str, engine: str) -> exp.Expr:
    """The tree of a query; a failure of the parser becomes a refusal without its message, which quotes the text."""
    try:
        read = sqlglot.parse(text, dialect=dialect(engine), error_level=ErrorLevel.RAISE)
        found = [tree for tree in read if tree is not None]
    except RecursionError:
        raise StatementError("the query is nested too deeply.") from None
    except (SqlglotError, ValueError, AttributeError, TypeError, IndexError, KeyError):
        raise StatementError("the query cannot be read as SQL.") from None
    if len(found) != 1:
        raise StatementError("one query at a time.")
    tree = found[0]
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise StatementError("only SELECT is allowed.")
    _demand_shallow(tree)
    _forget_positions(tree)
    return tree


def _demand_shallow(tree: exp.Expr) -> None:
    """Refuse deep trees, whose cost is quadratic; chains of AND and OR are compiled at once and do not count."""
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > _MAX_TREE_DEPTH:
            raise StatementError("the query is nested too deeply.")
        deeper = depth + (not isinstance(node, exp.Connector))
        pending.extend((inner, deeper) for inner in node.iter_expressions())


def _forget_positions(tree: exp.Expr) -> None:
    """Remove comments and where each node stands in the text: nothing reads them, and every copy of a tree has them."""
    for node in tree.walk():
        node.comments = None
        node._meta = None  # `meta` would make an empty dictionary for every node, to be copied as well


def _store_parameter_kinds(tree: exp.Expr, kinds: Sequence[str]) -> None:
    """Store the kind of every parameter in the tree; there must be one value for each."""
    found = [(node, parameter_number(node)) for node in tree.find_all(exp.Parameter, exp.Placeholder)]
    wanted = max((number for _, number in found), default=0)
    # The largest number decides, because $2 may be used without $1; the values must still be as many.
    if wanted != len(kinds):
        raise StatementError(f"the query has {wanted} parameters, and {len(kinds)} values are given.")
    for node, number in found:
        node.meta[KIND] = kinds[number - 1]


def parameter_number(node: exp.Expr) -> int:
    """The number of a parameter, from 1, in either form in which the parser keeps it."""
    number = str((node.this.this if isinstance(node.this, exp.Literal) else node.this) or "")
    if not (number.isascii() and number.isdigit() and 1 <= len(number) <= _MAX_PARAMETER_DIGITS and int(number)):
        raise StatementError("a parameter is written as ? or $1.")
    return int(number)


def _normalized(tokens: list[Token]) -> str:
    """The tokens with every literal as ?, without comments: what the log keeps, free of personal values."""
    words = ""
    for token in tokens:
        word = "?" if token.token_type in _LITERALS else token.text
        if token.token_type == TokenType.IDENTIFIER:
            word = f'"{word}"'
        close = not words or words[-1] in "(." or word in (",", ")", ".") or (word == "(" and words[-1].isalnum())
        words += word if close else f" {word}"
    return words


_SET_OPERATORS = {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT}
_FIRST_TOKENS = {TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.L_PAREN}
_LITERALS = {kind for kind in TokenType if kind.name.endswith("STRING") or kind.name == "NUMBER"}
