"""Functions with named arguments whose misspelled, missing and unnamed arguments are refused with what to write."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from sfumato.errors import UsageError, listed, nearest

P = ParamSpec("P")
R = TypeVar("R")


def named_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function; a call that does not fit its arguments is a `UsageError` with the nearest name, not a `TypeError`.

    >>> @named_arguments
    ... def publish(data, *, sensitive=()):
    ...     return data
    >>> publish("a.csv", sensitiv=["disease"])
    Traceback (most recent call last):
    sfumato.errors.UsageError: publish has no argument 'sensitiv'; did you mean 'sensitive'?
    """
    code, defaults = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    required = (
        *positional[: len(positional) - len(defaults)],
        *(name for name in named if name not in (function.__kwdefaults__ or {})),
    )

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        called = function.__qualname__
        for name in kwargs:
            if name not in positional and name not in named:
                raise UsageError(f"{called} has no argument {name!r}; {nearest(name, (*positional, *named))}")
        if len(args) > len(positional):
            first = [name for name in positional if name not in ("self", "cls")]
            unnamed = f"{' and '.join(first)} alone can be given without a name" if first else "arguments have a name"
            raise UsageError(f"{called}: {unnamed}; write the others as {named[0]}=...")
        missing = [name for name in required[len(args) :] if name not in kwargs]
        if missing:
            raise UsageError(f"{called} needs {listed(missing)}.")
        return function(*args, **kwargs)

    return checked
