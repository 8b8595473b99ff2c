"""Verdicts: what checking one model against what was published found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal


@dataclass(frozen=True)
class Verdict:
    """What checking one model against what was published found.

    `level` is what the worst group reaches, `required` what the model asks for; a witness is a failing group's size and
    level, never its values. `reasons` say what makes groups fail, where the model can tell. `evidence` is "measured"
    when it was seen in the data, "accounted" when the process guarantees it. `unit` is what was counted, also by
    `failing_records` and witnesses: records, or persons where the schema names the person's key.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a certificate; where nothing is said of the unit, records are counted."""
        left_out = ("model", "witnesses", "reasons", *(("unit",) if self.unit == "records" else ()))
        plain = {key: value for key, value in self.__dict__.items() if key not in left_out}
        witnesses = [{self.unit: size, "level": level} for size, level in self.witnesses]
        return {"model": dict(self.model), **plain, "witnesses": witnesses, "reasons": list(self.reasons)}


def worst_of(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict over several ways to group the same records: all must hold, and the worst level counts.

    Groups are counted over all ways. A record may fail in many, so records are counted in the way most of them fail.
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
