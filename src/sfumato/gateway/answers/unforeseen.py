"""What is told of an error that nobody foresaw: that there was one, and to the operator where."""

from __future__ import annotations

from pathlib import Path


class Failed(Exception):
    """The gateway itself failed at a question; `where` has no word of the error, whose message may hold a value.

    >>> try:
    ...     int("56 Fay Street")
    ... except ValueError as error:
    ...     failed = Failed.of(error)
    >>> str(failed), failed.where.split()[0]
    ('the gateway itself failed, and the question was not answered.', 'ValueError')
    """

    def __init__(self, where: str) -> None:
        super().__init__("the gateway itself failed, and the question was not answered.")
        self.where = where

    @classmethod
    def of(cls, error: BaseException) -> Failed:
        """What may be told of an error; raise it where that error does not hang on to it."""
        return cls(where_of(error))


def where_of(error: BaseException) -> str:
    """The type of an error and the line it came from, without a word of the error itself."""
    if isinstance(error, Failed):
        return error.where
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{place}"
