"""Identifiers of an original whose values are still in a release, under another name or beside other records.

`ReleaseComparison` looks for them. A column under its old name with its values in their old places is found there by
comparing records; here only the sets of values are compared, so a new name or another order hides nothing.

The values of a counter say nothing alone: any two columns that number records have them in common, such as a patient
number and the pseudonyms that replaced it. So a counter is taken for kept only if most records have their own number,
and if it is not the place of the record in the file, which everybody sees anyway. Names that many records have in
common are taken for kept only if most records have their own name: doctors may be called as patients are.

Often only a part of the values is left, because the others are suppressed, so it is asked how many of the values of the
release are in the original. A part may meet by chance where the whole does not, and so more is asked of it: the common
values are no counter by themselves, and repeat no more often than in the original.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.identifying_columns import why_identifying
from sfumato.engines.base import BESIDE, Engine
from sfumato.engines.writing.order_disclosure import sorted_columns
from sfumato.errors import SchemaError
from sfumato.plan.proposals.column_vocabulary import is_person_key
from sfumato.plan.proposals.distinguishability import Separation
from sfumato.report.figures import percent
from sfumato.taxonomies.taxonomy import ROOT

_FIRST = 20_000
"""Records at the start in which columns are looked for that have many values; only these are counted."""
_MANY = 0.02
"""The share of different values among these records from which a column is counted."""
_NEARLY_UNIQUE = 0.5
"""The share of different values from which those of an identifier say enough; those of a key of persons always do."""
_OVERLAP = 0.5
"""The share of the values of the released column that the original one has, from which they are its values."""
_ENOUGH = 5
"""Common values that are no chance where they are few of those of the original."""
_OFTEN = 1.5
"""How many times as often as in the original a part of its values repeats in a column that is about something else."""
_DENSE = 0.25
"""The share of a range of whole numbers from which numbers in it are a counter; fewer do not meet by chance."""
_NUMBERED = re.compile(r"(\D*)(\d+)(\D*)")


@dataclass(frozen=True)
class KeptIdentifier:
    """A column of a release with values of an identifying column of its original.

    `share` is how many of the values of the original column are in the release. `why` says why that column identifies
    persons.
    """

    column: str
    original: str
    share: float
    why: str

    @property
    def warning(self) -> str:
        """What the publisher should know, without a value."""
        return (
            f"column {self.column!r} of the release has {percent(self.share)} of the values of column "
            f"{self.original!r} of the original, which {self.why}. Whoever knows these values of persons sees who is "
            "in the release, and may find their records. Publish the records without it, or under pseudonyms."
        )


def kept_identifiers(
    source: Engine, missing: Sequence[str] = (), *, known: Collection[str] = ()
) -> tuple[KeptIdentifier, ...]:
    """The identifiers in a release beside its original; `known` are columns of which it is known already."""
    columns = [name for name in source.columns if source.is_comparable(name)]
    if not columns:
        return ()
    first = source.without([name for name in source.columns if name not in columns]).first(_FIRST)
    columns = [name for name in columns if len(first.raw[name]) > max(1, _MANY * len(first.counts))]
    published = [name for name in columns if not name.startswith(BESIDE) and name not in known]
    original = [name for name in columns if name.startswith(BESIDE)]
    identifying = dict(_identifying(source, original, missing)) if published else {}
    if not identifying:
        return ()
    gone = {None, "", ROOT, *missing}
    values = {name: _values(one.raw, gone) for name, one in identifying.items()}
    found = []
    for column in published:
        here = _values(_domain(source, column), gone)
        shared = _shared(here, values)
        names = [
            name
            for name in shared
            if _is_kept(_Pair(source, column, name, here, values[name]), repeats=identifying[name].repeats)
        ]
        if names:
            name = max(names, key=shared.__getitem__)
            found.append(KeptIdentifier(column, name.removeprefix(BESIDE), shared[name], identifying[name].why))
    return tuple(found)


@dataclass(frozen=True)
class _Identifier:
    """The values of a column of the original, why they identify persons, and whether many records share one."""

    raw: Sequence[str | None] = field(repr=False)
    why: str
    repeats: bool


def _identifying(source: Engine, columns: Sequence[str], missing: Sequence[str]) -> Iterator[tuple[str, _Identifier]]:
    """The columns of the original that identify persons."""
    for column in columns:
        try:
            counted = source.count((column,))
        except SchemaError:  # it has too many values to be compared
            continue
        separation = Separation.of_columns(counted, [column])
        why = why_identifying(source, column, counted, missing)
        if why:
            repeats = separation.distinct < _NEARLY_UNIQUE and not is_person_key(column.removeprefix(BESIDE))
            yield column, _Identifier(counted.raw[column], why, repeats)


def _domain(source: Engine, column: str) -> Sequence[str | None]:
    """The values of a column; none if there are too many to be compared."""
    try:
        return source.domains([column])[column]
    except SchemaError:
        return ()


def _values(raw: Sequence[str | None], gone: Collection[str | None]) -> frozenset[str]:
    """The values, without what stands for a missing one."""
    return frozenset(_as_text(text) for text in raw if text is not None and text not in gone)


def _as_text(text: str) -> str:
    """A value as a text that does not depend on how a file stores numbers, or on upper and lower case."""
    return text.strip().removesuffix(".0").casefold()


def _shared(here: frozenset[str], values: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """The columns that have many of these values, and the share of their values that are here."""
    found = {}
    for name, there in values.items():
        both = len(here & there)
        enough = both >= min(_ENOUGH, _OVERLAP * len(there))
        if both and enough and both >= _OVERLAP * len(here):
            found[name] = both / len(there)
    return found


def _is_counter(values: frozenset[str]) -> bool:
    """Whether values are whole numbers that fill much of their range, alone or within the same letters.

    >>> _is_counter(frozenset({"P001", "P002", "P004"})), _is_counter(frozenset({"3817", "90144", "52270"}))
    (True, False)
    """
    around, numbers = set(), []
    for text in values:
        found = _NUMBERED.fullmatch(text)
        if found is None:
            return False
        around.add((found[1], found[3]))
        if len(around) > 1:
            return False
        numbers.append(int(found[2]))
    return len(numbers) >= _DENSE * (max(numbers) - min(numbers) + 1)


@dataclass(frozen=True)
class _Pair:
    """A column of a release and one of its original, with the values of both."""

    source: Engine = field(repr=False)
    column: str
    original: str
    here: frozenset[str] = field(repr=False)
    there: frozenset[str] = field(repr=False)

    @cached_property
    def texts(self) -> tuple[NDArray[np.object_], NDArray[np.object_], NDArray[np.int64]]:
        """The different pairs of values of records, and the number of the records of each."""
        counted = self.source.count((self.column, self.original))
        here, there = (
            np.array(["" if text is None else _as_text(text) for text in counted.raw[name]], dtype=object)[
                counted.codes[name]
            ]
            for name in (self.column, self.original)
        )
        return here, there, counted.counts


def _is_kept(pair: _Pair, *, repeats: bool) -> bool:
    """Whether common values are no chance: they are unique and no counter, or stand at the records that had them."""
    common, counter = pair.here & pair.there, _is_counter(pair.there)
    if len(common) < _OVERLAP * len(pair.there):
        counter = counter or _is_counter(common)
        repeats = repeats or _repeat_more(pair, common)
    return not (counter or repeats) or _at_its_records(pair, counter=counter)


def _repeat_more(pair: _Pair, common: frozenset[str]) -> bool:
    """Whether more records have these values than in the original."""
    here, there, counts = pair.texts
    often, before = (int(counts[[text in common for text in texts]].sum()) for texts in (here, there))
    return often > _OFTEN * before


def _at_its_records(pair: _Pair, *, counter: bool) -> bool:
    """Whether most records with a value have the one that they had; a counter must not be the order of the records."""
    source = pair.source
    others = [name for name in source.columns if name != pair.original]
    if counter and sorted_columns(source.without(others).first(_FIRST)):
        return False
    here, there, counts = pair.texts
    filled = int(counts[[text in pair.here for text in here]].sum())
    same = int(counts[(here == there) & [text in pair.there for text in there]].sum())
    return same >= max(_OVERLAP * filled, min(_ENOUGH, _OVERLAP * int(counts.sum())))
