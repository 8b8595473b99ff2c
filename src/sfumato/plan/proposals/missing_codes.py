"""Numbers that may mean "no answer" in a column of small codes, such as 99 beside 1 to 5.

`proposal` looks for them, and `drafting` and the command line ask what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind

_LARGE = (77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 7777, 8888, 9997, 9998, 9999)
_USUAL = frozenset({*_LARGE, *(-number for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, *_LARGE))})
"""Codes that questionnaires use for answers that are missing."""
_LARGEST = 20
"""The largest code of an answer; columns with larger values count or measure something."""
_APART = 2
"""The distance from all other values, at least."""


def missing_codes(domain: Domain) -> tuple[str, ...]:
    """The values of a column that stand apart from its other values and are usual codes of missing answers.

    >>> domain, _ = Domain.of("q1", ["1", "2", "3", "99", "-9"])
    >>> missing_codes(domain)
    ('-9', '99')
    """
    if domain.kind is not Kind.NUMBER or domain.numbers is None:
        return ()
    numbers = domain.numbers[: domain.present]
    if (numbers % 1 != 0).any():
        return ()
    answers = [number for number in numbers if number not in _USUAL]
    codes = [code for code in range(domain.present) if numbers[code] in _USUAL]
    if len(answers) < _APART or answers[0] < 0 or answers[-1] > _LARGEST:
        return ()
    nearest = min((min(abs(numbers[code] - answers[0]), abs(numbers[code] - answers[-1])) for code in codes), default=0)
    return tuple(domain.named(code) for code in codes) if nearest >= _APART else ()


def question(code: str, columns: Sequence[str]) -> str:
    """What somebody who knows the data must decide about a code that stands apart in some columns."""
    shown = ", ".join(columns[:3]) + (f" and {len(columns) - 3} more" if len(columns) > 3 else "")
    return (
        f"{code} stands apart from all other values of {shown}: does it mean that there is no answer? If so, add "
        f'"{code}" to missing under [data]; it is then missing in all columns.'
    )
