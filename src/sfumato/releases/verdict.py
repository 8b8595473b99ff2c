"""Verdicts: the results of checking models on published data.

Models return them; releases, certificates, reports and the audit show them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sfumato.disclosure.published_digits import rounded_level
from sfumato.runtime.representations import html_table


@dataclass(frozen=True)
class Verdict:
    """The result of checking one model on published data.

    `level` is the level of the worst group, `required` that of the model; a witness is the size and level of a failing
    group, never its values. `reasons` say why groups fail, if the model knows. `evidence` is "measured" if the data
    show it and "accounted" if the algorithm guarantees it. `unit` is what sizes, `failing_records` and witnesses count:
    records, or persons if the schema has a person key.
    """

    model: Mapping[str, Any]
    described: str
    holds: bool
    level: float
    required: float
    better: Literal["higher", "lower"]
    groups: int
    failing_groups: int
    failing_records: int
    witnesses: tuple[tuple[int, float], ...] = ()
    reasons: tuple[str, ...] = ()
    evidence: Literal["measured", "accounted"] = "measured"
    unit: Literal["records", "persons"] = "records"

    def __repr__(self) -> str:
        sign = ">=" if self.better == "higher" else "<="
        outcome = "holds" if self.holds else f"fails in {self.failing_groups:,} of {self.groups:,} groups"
        return f"<Verdict: {self.described} {outcome}, required {sign} {self.required:.4g}, found {self.level:.4g}>"

    def _repr_html_(self) -> str:
        """The verdict as a small table, for notebooks."""
        sign = "at least" if self.better == "higher" else "at most"
        rows = [
            ("required", f"{sign} {self.required:.4g}"),
            ("found", f"{self.level:.4g}"),
            ("groups", f"{self.groups:,}"),
            ("failing groups", f"{self.failing_groups:,}"),
            (f"failing {self.unit}", f"{self.failing_records:,}"),
            ("evidence", self.evidence),
        ]
        return html_table(f"{self.described} {'holds' if self.holds else 'FAILS'}", rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a certificate; without a unit, records are counted."""
        left_out = ("model", "witnesses", "reasons", *(("unit",) if self.unit == "records" else ()))
        plain = {key: value for key, value in self.__dict__.items() if key not in left_out}
        witnesses = [{self.unit: size, "level": level} for size, level in self.witnesses]
        return {"model": dict(self.model), **plain, "witnesses": witnesses, "reasons": list(self.reasons)}

    def rounded(self) -> Verdict:
        """The verdict with rounded levels, for a certificate or a report if the published file does not show them."""
        level = rounded_level(self.level, required=self.required, better=self.better, holds=self.holds)
        witnesses = tuple(
            (size, rounded_level(found, required=self.required, better=self.better, holds=False))
            for size, found in self.witnesses
        )
        return replace(self, level=level, witnesses=witnesses)


def worst_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Combine the verdicts of one model on several groupings of records: all must hold, and the worst level counts.

    Groups are counted over all groupings. A record may fail in several, so failing records are those of the grouping
    in which most fail.
    """
    pick = min if verdicts[0].better == "higher" else max
    failing = sorted(
        (verdict for verdict in verdicts if not verdict.holds), key=lambda verdict: -verdict.failing_records
    )
    return replace(
        verdicts[0],
        holds=not failing,
        level=pick(verdict.level for verdict in verdicts),
        groups=sum(verdict.groups for verdict in verdicts),
        failing_groups=sum(verdict.failing_groups for verdict in verdicts),
        failing_records=failing[0].failing_records if failing else 0,
        witnesses=failing[0].witnesses if failing else (),
    )
