"""Reads the text of a question: one SELECT, for a purpose, within limits; what cannot be read is refused."""

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

LONGEST = 20_000
"""Characters in a question."""

KIND = "sfumato.kind"
"""Where a parameter in a tree keeps the kind of its value."""

_MOST_DIGITS = 4
_DEEPEST = 60
_MOST_TOKENS = 4_000
_MOST_PARTS = 50
_DEEPEST_TREE = 200


@dataclass(frozen=True)
class Question:
    """A SELECT as a tree, the purpose that its text states, if any, and the text without its literals."""

    tree: exp.Expr
    purpose: str | None
    normalized: str

    @cached_property
    def folded_names(self) -> frozenset[str]:
        """Everything that is named as a table, also what WITH defines, in lower case."""
        return frozenset(table.name.lower() for table in self.tree.find_all(exp.Table))


def read_question(text: str, engine: str, kinds: Sequence[str] | None = None) -> Question:
    """One SELECT in the engine's SQL, maybe with FOR PURPOSE name at its end; its parameters are of these kinds.

    >>> question = read_question("SELECT name FROM customer WHERE age > 30 FOR PURPOSE Marketing", "duckdb")
    >>> question.purpose, question.normalized
    ('Marketing', 'SELECT name FROM customer WHERE age > ?')
    """
    if len(text) > LONGEST:
        raise StatementError(f"a question has at most {LONGEST:,} characters; this one has {len(text):,}.")
    tokens = tokens_of(text, engine)
    text, tokens, purpose = _without_purpose(text, tokens)
    _demand_depth(tokens)
    tree = _parsed(_numbered(text, tokens), engine)
    if kinds is not None:
        _note_kinds(tree, kinds)
    return Question(tree, purpose, _normalized(tokens))


def tokens_of(text: str, engine: str) -> list[Token]:
    """The words of one question; refused where there is none, more than one, or one that asks nothing."""
    demand_characters(text, "the question")
    try:
        found = list(tokenizer(engine).tokenize(text))
    except (SqlglotError, RecursionError, ValueError):
        raise StatementError("the question cannot be read; a quote or a comment may not be closed.") from None
    while found and found[-1].token_type == TokenType.SEMICOLON:
        found.pop()
    if not found:
        raise StatementError("there is no question.")
    if len(found) > _MOST_TOKENS:
        raise StatementError(f"a question has at most {_MOST_TOKENS:,} words; this one has {len(found):,}.")
    if any(token.token_type == TokenType.SEMICOLON for token in found):
        raise StatementError("one question at a time; there are several statements.")
    if found[0].token_type not in _ASKING:  # not even parsed: what a parser does not know, it writes into a log
        raise StatementError("only SELECT can be asked.")
    demand_literals(text, found)
    return found


def _without_purpose(text: str, tokens: list[Token]) -> tuple[str, list[Token], str | None]:
    """The text without FOR PURPOSE name, and the name."""
    words = [token.text.upper() for token in tokens[-3:]]
    if len(tokens) < 4 or words[:2] != ["FOR", "PURPOSE"]:
        return text[: tokens[-1].end + 1], tokens, None
    if tokens[-1].token_type not in (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING) and not (
        tokens[-1].text.replace("_", "").isalnum()
    ):
        raise StatementError("FOR PURPOSE is followed by the name of a purpose.")
    return text[: tokens[-3].start], tokens[:-3], tokens[-1].text


def _numbered(text: str, tokens: list[Token]) -> str:
    """The text with every ? as $1, $2 and so on, so that a parameter may be written twice in what is compiled."""
    parts, at, number = [], 0, 0
    for token in tokens:
        if token.token_type == TokenType.PLACEHOLDER and token.text == "?":
            number += 1
            parts.append(f"{text[at : token.start]} ${number} ")
            at = token.end + 1
    return "".join(parts) + text[at:]


def _demand_depth(tokens: list[Token]) -> None:
    depth = deepest = 0
    for token in tokens:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise StatementError(f"parentheses may lie {_DEEPEST} deep; these lie {deepest} deep.")
    parts = sum(token.token_type in _JOINING for token in tokens) + 1
    if parts > _MOST_PARTS:
        raise StatementError(f"UNION and its kin join at most {_MOST_PARTS} questions; these are {parts}.")


def _parsed(text: str, engine: str) -> exp.Expr:
    try:
        read = sqlglot.parse(text, dialect=dialect(engine), error_level=ErrorLevel.RAISE)
        found = [tree for tree in read if tree is not None]
    except RecursionError:
        raise StatementError("the question is nested too deeply.") from None
    except (SqlglotError, ValueError, AttributeError, TypeError, IndexError, KeyError):
        raise StatementError("the question cannot be read as SQL.") from None
    if len(found) != 1:
        raise StatementError("one question at a time.")
    tree = found[0]
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise StatementError("only SELECT can be asked.")
    _demand_shallow(tree)
    return tree


def _demand_shallow(tree: exp.Expr) -> None:
    """Long chains of AND and OR are compiled at once; all others cost the square of their length."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST_TREE:
            raise StatementError("the question is nested too deeply.")
        deeper = depth + (not isinstance(node, exp.Connector))
        waiting.extend((inner, deeper) for inner in node.iter_expressions())


def _note_kinds(tree: exp.Expr, kinds: Sequence[str]) -> None:
    """Tell every parameter its kind; there must be as many values as there are parameters."""
    found = [(node, parameter_number(node)) for node in tree.find_all(exp.Parameter, exp.Placeholder)]
    wanted = max((number for _, number in found), default=0)
    if wanted != len(kinds):
        raise StatementError(f"the question has {wanted} parameters, and {len(kinds)} values are given.")
    for node, number in found:
        node.meta[KIND] = kinds[number - 1]


def parameter_number(node: exp.Expr) -> int:
    """Which one it is, from 1, whichever way a parser keeps it."""
    given = str((node.this.this if isinstance(node.this, exp.Literal) else node.this) or "")
    if not (given.isascii() and given.isdigit() and 1 <= len(given) <= _MOST_DIGITS and int(given)):
        raise StatementError("a parameter is written as ? or $1.")
    return int(given)


def _normalized(tokens: list[Token]) -> str:
    """The words with every literal as ?, without comments, so that they can be kept without anybody's values."""
    told = ""
    for token in tokens:
        word = "?" if token.token_type in _LITERALS else token.text
        if token.token_type == TokenType.IDENTIFIER:
            word = f'"{word}"'
        close = not told or told[-1] in "(." or word in (",", ")", ".") or (word == "(" and told[-1].isalnum())
        told += word if close else f" {word}"
    return told


_JOINING = {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT}
_ASKING = {TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.L_PAREN}
_LITERALS = {kind for kind in TokenType if kind.name.endswith("STRING") or kind.name == "NUMBER"}
