"""Errors that the gateway did not foresee: callers learn that there was one, operators where it occurred."""

from __future__ import annotations

from pathlib import Path


class UnexpectedFailure(Exception):
    """The gateway itself failed; `where` is free of the error's message, which may contain a value of a record.

    >>> try:
    ...     int("56 Fay Street")
    ... except ValueError as error:
    ...     failed = UnexpectedFailure.of(error)
    >>> str(failed), failed.where.split()[0]
    ('the gateway itself failed, and the question was not answered.', 'ValueError')
    """

    def __init__(self, where: str) -> None:
        super().__init__("the gateway itself failed, and the question was not answered.")
        self.where = where

    @classmethod
    def of(cls, error: BaseException) -> UnexpectedFailure:
        """The failure for an error.

        Raise it outside the except block, so that it does not carry the error as its context.
        """
        return cls(where_of(error))


def where_of(error: BaseException) -> str:
    """The type of an error and the line that raised it, without its message."""
    if isinstance(error, UnexpectedFailure):
        return error.where
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    location = f" in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{location}"
