"""How much a release costs a recipient who trains a classifier: the errors BE, AE (CE) and UE of the literature.

The baseline error (BE) is that of a learner trained on raw records, the masked error (AE in the papers, CE in the book)
that of one trained and tested on masked records, the upper error (UE) that of one trained without any quasi column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import DataError, ParameterError, SchemaError, nearest
from sfumato.evaluation.learners.base import Codes, Learner
from sfumato.evaluation.learners.c45 import C45
from sfumato.evaluation.learners.features import Features
from sfumato.evaluation.workloads.classification_errors import ClassificationErrors
from sfumato.evaluation.workloads.split import Split
from sfumato.kernels.arrays import Flags
from sfumato.models.base import PrivacyModel
from sfumato.releases.table_release import TableRelease

_PROTOCOLS = {
    "train": "the masking was decided on training records alone and applied to the test records",
    "all": "all records were masked together, so the classes of test records took part in the masking",
}


@dataclass(frozen=True, kw_only=True)
class Classification:
    """Measures how well a class can be predicted from raw, from masked and from no quasi columns.

    `masking="train"` computes the recoding on training records and applies it to test records, as for new persons; with
    `Split.into_folds` it is the cross-validation of the literature. `masking="all"` masks all records at once and
    splits afterwards; with `Split.first` it is the protocol of Fung, Wang and Yu (2007), with `Split.at_random` that of
    the book's chapter 6. The classes of test records then influence the masking, and the result says so.

    >>> import pyarrow as pa
    >>> from sfumato.algorithms import Mondrian
    >>> from sfumato.models import KAnonymity
    >>> people = pa.table({"age": list(range(20, 60)), "ill": ["no"] * 20 + ["yes"] * 20})
    >>> schema = Schema.of(quasi=["age"], target=["ill"])
    >>> whole = Classification(masking="all")
    >>> found = whole.measure(people, schema, Mondrian(), KAnonymity(k=10), Split.at_random(40, seed=1))
    >>> round(found.masked, 3), "took part in the masking" in found.protocol
    (0.0, True)
    """

    learner: Learner = field(default_factory=C45)
    masking: Literal["train", "all"] = "train"

    def __post_init__(self) -> None:
        if self.masking not in _PROTOCOLS:
            raise ParameterError(f"'masking' of Classification must be one of 'train', 'all'; got {self.masking!r}.")

    def measure(
        self,
        frame: Any,
        schema: Schema,
        algorithm: TableAlgorithm,
        model: PrivacyModel,
        split: Split,
        *,
        suppression: float = 0.0,
        seed: int = 0,
    ) -> ClassificationErrors:
        """The errors on raw records, on records masked so that the model holds, and without quasi columns.

        Features are all columns except identifiers and the target. Masked columns count as names, all others keep their
        type. Suppressed records are left out of training; in testing their class is predicted from missing values.
        """

        def masking(table: Any) -> TableRelease:
            counted = Table.from_frame(table, records.schema)
            return algorithm.anonymize(counted, model, suppression=suppression, seed=seed)

        records = _Records.of(frame, schema)
        split.check_against(len(records.raw))
        masked = self._masked_together if self.masking == "all" else self._masked_by_fold
        return ClassificationErrors(
            baseline=self._share_wrong(records.raw, records.classes, split),
            masked=masked(records, masking, split),
            upper=self._share_wrong(records.raw.without(schema.quasi), records.classes, split),
            protocol=f"{self.learner}; {split.described}; {_PROTOCOLS[self.masking]}",
        )

    def error(
        self, frame: Any, target: str, split: Split, *, without: Iterable[str] = (), nominal: Iterable[str] = ()
    ) -> float:
        """The error on a frame, raw or published, without the columns `without` and with those in `nominal` as names.

        Records without a class (suppressed ones) are left out of training, and are refused in testing.
        """
        from sfumato.engines.frames.frames import to_arrow

        table = to_arrow(frame)
        classes = _classes(table, target)
        split.check_against(len(classes))
        _refuse_unknown(np.concatenate([classes[test] for _, test in split.folds]), target)
        columns = [name for name in table.column_names if name != target]
        features = Features.of_frame(table, columns, nominal=nominal).without(without)
        return self._share_wrong(features, classes, split, classes >= 0)

    def _masked_together(self, records: _Records, masking: Callable[[Any], TableRelease], split: Split) -> float:
        published = masking(records.table).frame()
        return self._share_wrong(
            records.masked_features(published), records.classes, split, records.published_rows(published)
        )

    def _masked_by_fold(self, records: _Records, masking: Callable[[Any], TableRelease], split: Split) -> float:
        wrong = 0
        for train, test in split.folds:
            # Masking sees training records only; test records are
            # recoded by its result, as those of new persons would be.
            release = masking(records.table.take(train))
            published = release.frame()
            kept = records.published_rows(published)
            classifier = self.learner.fit(records.masked_features(published).rows(kept), records.classes[train][kept])
            predicted = classifier.predict(records.masked_features(release.apply(records.table.take(test))))
            wrong += int((predicted != records.classes[test]).sum())
        return wrong / _test_records(split)

    def _share_wrong(self, features: Features, classes: Codes, split: Split, kept: Flags | None = None) -> float:
        """The share of wrong predictions over all folds; records that are not `kept` are left out of training."""
        wrong = 0
        for train, test in split.folds:
            places = train if kept is None else train[kept[train]]
            classifier = self.learner.fit(features.rows(places), classes[places])
            wrong += int((classifier.predict(features.rows(test)) != classes[test]).sum())
        return wrong / _test_records(split)


@dataclass(frozen=True, eq=False)
class _Records:
    """Raw records without identifiers, their features for a learner, and their classes."""

    table: Any = field(repr=False)
    schema: Schema
    target: str
    raw: Features
    classes: Codes

    @classmethod
    def of(cls, frame: Any, schema: Schema) -> _Records:
        from sfumato.engines.frames.frames import to_arrow

        table, target = to_arrow(frame), schema.one_target()
        schema.check_against(table.column_names)
        table = _without_string_views(table.drop_columns(list(schema.identifiers)))
        columns = [name for name in table.column_names if name != target]
        classes = _classes(table, target)
        _refuse_unknown(classes, target)
        bare = tuple(column for column in schema.columns if column.name not in schema.identifiers)
        known = Schema(bare, schema.quasi_identifiers, schema.missing)
        return cls(table, known, target, Features.of_frame(table, columns, missing=schema.missing), classes)

    def masked_features(self, published: Any) -> Features:
        """The features of published records: masked columns are names, others keep their type."""
        names = {column.name for column in self.raw.columns if not column.numeric} | set(self.schema.quasi)
        return Features.of_frame(published, self.raw.names, nominal=names, missing=self.schema.missing)

    def published_rows(self, published: Any) -> Flags:
        """Which records are published; every cell of a suppressed record is empty, its class included."""
        return np.asarray(published.column(self.target).is_valid().to_numpy(), dtype=bool)


def _without_string_views(table: Any) -> Any:
    """The table with string views (as polars exports them) cast to strings, because Arrow cannot take rows of views."""
    for place, name in enumerate(table.column_names):
        if str(table.column(place).type) == "string_view":
            table = table.set_column(place, name, table.column(place).cast("string"))
    return table


def _classes(table: Any, target: str) -> Codes:
    """The classes, numbered in order of first occurrence; -1 for a record without a class."""
    if target not in table.column_names:
        raise SchemaError(f"the frame has no column {target!r} to predict; {nearest(target, table.column_names)}")
    indices = table.column(target).unify_dictionaries().combine_chunks().dictionary_encode().indices
    codes = np.asarray(indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int32)
    values, first = np.unique(codes[codes >= 0], return_index=True)
    # One entry more than codes: index -1 (no class) reads the last one, which stays -1.
    renumbered = np.full(int(codes.max(initial=-1)) + 2, -1, dtype=np.int32)
    renumbered[values[np.argsort(first)]] = np.arange(len(values))
    return np.asarray(renumbered[codes])


def _refuse_unknown(classes: Codes, target: str) -> None:
    unknown = int((classes < 0).sum())
    if unknown:
        raise DataError(f"column {target!r} is empty in {unknown} test records; leave them out.")


def _test_records(split: Split) -> int:
    return sum(len(test) for _, test in split.folds)
