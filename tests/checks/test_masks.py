"""Every mask keeps its promises, and the checks notice when one does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from sfumato.checks.base import ConformanceError
from sfumato.checks.masks import CHECKS, check_mask
from sfumato.datasets import employees
from sfumato.errors import DataError
from sfumato.masks.base import Mask
from sfumato.settings.params import param
from tests.instances import instances

MASKS = instances("masks")


def frames():
    arrow = employees()
    pandas = arrow.to_pandas()
    return {"arrow": arrow, "pandas": pandas.set_index(np.arange(len(pandas)) * 7), "polars": pl.from_arrow(arrow)}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_every_mask_conforms(mask, check):
    assert check(mask, employees()) is None


@pytest.mark.parametrize("frame", frames().values(), ids=frames())
@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_every_kind_of_frame(mask, frame):
    assert check_mask(mask, frame) is None


@dataclass(frozen=True, kw_only=True)
class _Adding(Mask):
    def _mask(self, values, random, others):
        return values + random.random(values.shape)


class _Still(_Adding):
    randomized = False

    def _mask(self, values, random, others):
        return values


class _Fixed(_Adding):
    def _mask(self, values, random, others):
        return values + 1


class _Secretly(_Adding):
    randomized = False


@dataclass(frozen=True, kw_only=True)
class _Forgetful(_Adding):
    share: float = param(0.1, doc="of what")

    def to_dict(self):
        return {"name": self.name()}


class _Careless(_Adding):
    for_kind = "categories"

    def _mask(self, values, random, others):
        made = random.permutation(values)
        made[0] = -1
        return made


class _Grumpy(_Adding):
    def _check_columns(self, columns):
        if not columns:
            raise DataError("no")
        return super()._check_columns(columns)


class _Lenient(_Adding):
    def mask(self, frame, columns, *, seed=None):
        return frame if columns == ["nobody's"] else super().mask(frame, columns, seed=seed)


class _Dropping(_Adding):
    def mask(self, frame, columns, *, seed=None):
        return super().mask(frame, columns, seed=seed).slice(1)


class _Renaming(_Adding):
    def mask(self, frame, columns, *, seed=None):
        return super().mask(frame, columns, seed=seed).drop_columns(["town"])


class _Meddling(_Adding):
    def mask(self, frame, columns, *, seed=None):
        return super().mask(frame, [*columns, "age"], seed=seed)


class _Converting(_Adding):
    def mask(self, frame, columns, *, seed=None):
        return super().mask(frame, columns, seed=seed).to_pandas()


class _Unstable(_Adding):
    def mask(self, frame, columns, *, seed=None):
        return super().mask(frame, columns)


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (_Still, "changes nothing"),
        (_Fixed, "repeats itself"),
        (_Secretly, "declares that it is not randomized"),
        (_Careless, "loses values"),
        (_Grumpy, "another error than UsageError"),
        (_Lenient, "which cannot be masked"),
        (_Dropping, "loses or adds records"),
        (_Renaming, "the names of columns"),
        (_Meddling, "not asked to mask"),
        (_Converting, "another kind of frame"),
        (_Unstable, "two results"),
    ],
)
def test_a_broken_promise_is_noticed(mask, words):
    with pytest.raises(ConformanceError, match=words):
        check_mask(mask())


def test_settings_that_do_not_come_back_are_noticed():
    with pytest.raises(ConformanceError, match="not rebuilt"):
        check_mask(_Forgetful(share=0.3))


class _Writing(_Adding):
    def mask(self, frame, columns, *, seed=None):
        made = super().mask(frame, columns, seed=seed)
        frame["years"] = frame["years"] + 1
        return made


class _Reindexing(_Adding):
    def mask(self, frame, columns, *, seed=None):
        return super().mask(frame, columns, seed=seed).reset_index(drop=True)


@pytest.mark.parametrize(("mask", "words"), [(_Writing, "changes its input"), (_Reindexing, "changes the index")])
def test_a_frame_that_was_spoiled_is_noticed(mask, words):
    with pytest.raises(ConformanceError, match=words):
        check_mask(mask(), frames()["pandas"])
