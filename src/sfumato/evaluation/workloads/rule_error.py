"""How much a bucketized release costs a recipient who mines rules: wrong confidences, added rules and lost rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.errors import UsageError
from sfumato.evaluation.queries.estimator import Estimator
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.item import Item
from sfumato.knowledge.rule import Rule

Numbers = NDArray[np.float64]
When = tuple[Item, ...]

_EQUAL = 1e-12


@dataclass(frozen=True)
class RuleErrors:
    """How rules in a release differ from those in its original.

    `confidence` is the mean relative error of the confidence of the given rules. `rules` is the number of rules that
    hold in the original; the share `lost` of them does not hold in the release, and `added` is the number of rules that
    hold only in the release, as a share of `rules`. Both are nan if there are no rules.
    """

    confidence: float
    added: float
    lost: float
    rules: int


@dataclass(frozen=True, kw_only=True)
class RuleError:
    """Measures how well positive rules survive: `if these items, then this value` with enough support and conviction.

    Confidences in the release are expected values, which assume independence within buckets. Added and lost rules are
    found by checking, in the original and in the release, every value for the items of every rule and for further
    `antecedents`.

    >>> from sfumato.algorithms import Anatomy
    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=1), seed=0)
    >>> rules = [Rule((Item("Sex", "F"),), "Ovarian Cancer", share=2 / 3)]
    >>> RuleError().measure(nine_patients(), Estimator.of_release(release), rules)
    RuleErrors(confidence=0.0, added=0.0, lost=0.0, rules=1)

    References: Li and Li (2008), section VI-C; Brin, Motwani, Ullman and Tsur (1997) for conviction.
    """

    min_support: float = 0.05
    min_conviction: float = 1.1
    sensitive: str = ""

    def measure(
        self, original: Table, estimator: Estimator, rules: Iterable[Rule], antecedents: Iterable[When] = ()
    ) -> RuleErrors:
        """Compare rules in a release with those in its original."""
        given, secret = tuple(rules), original.schema.one_sensitive(self.sensitive)
        whole = original.histogram(secret).astype(np.float64), _expected_counts(original, estimator, secret, ())
        wrong, was, now = [], 0, np.zeros(2, dtype=np.int64)
        for when in dict.fromkeys((*(rule.when for rule in given), *antecedents)):
            counts = _value_counts(original, secret, when), _expected_counts(original, estimator, secret, when)
            wrong += [_confidence_error(original, secret, counts, rule) for rule in given if rule.when == when]
            held, holds = (self._rules_hold(*pair) for pair in zip(counts, whole, strict=True))
            was += int(held.sum())
            now += [(holds & ~held).sum(), (held & ~holds).sum()]
        added, lost = now / was if was else np.full(2, np.nan)
        return RuleErrors(float(np.mean(wrong)) if wrong else float("nan"), float(added), float(lost), was)

    def _rules_hold(self, counts: Numbers, whole: Numbers) -> Flags:
        """The values for which a rule with these items holds: enough support and enough conviction."""
        records, support = whole.sum(), counts.sum()
        often = counts >= self.min_support * records * (1 - _EQUAL)
        chance, broken = support * (records - whole) / records, support - counts
        return np.asarray(often & (chance > 0) & (chance * (1 + _EQUAL) >= self.min_conviction * broken))


def _confidence_error(original: Table, secret: str, counts: tuple[Numbers, Numbers], rule: Rule) -> float:
    """The relative error of the confidence of one rule."""
    code = original.domain(secret).code_of(rule.value)
    if code is None or counts[0][code] == 0:
        raise UsageError("the original has no record with the items and the value of a rule; leave that rule out.")
    was, now = (found[code] / found.sum() if found.sum() else 0.0 for found in counts)
    return float(abs(now - was) / was)


def _value_counts(original: Table, secret: str, when: When) -> Numbers:
    """How many records of the original with all items have each value."""
    hit = np.ones(len(original), dtype=bool)
    for item in when:
        hit &= item.true_of(original.domain(item.column))[original.codes[item.column]]
    weights = np.where(hit, original.counts, 0)
    found = np.bincount(original.codes[secret], weights=weights, minlength=len(original.domain(secret)))
    return found.astype(np.float64)


def _expected_counts(original: Table, estimator: Estimator, secret: str, when: When) -> Numbers:
    """The expected counts in the release, by the codes of the original."""
    theirs, found = estimator.records.domain(secret), estimator.spread(secret, *when)
    places = original.domain(secret).codes_of(theirs.texts)
    counts = np.zeros(len(original.domain(secret)))
    counts[places[places >= 0]] = found[places >= 0]
    return counts
