"""A certificate: what was promised, what was found on the written file, and how to tell that file from any other."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.audit.audit import Audit
from sfumato.releases.release import Release
from sfumato.releases.verdict import Verdict
from sfumato.report.cost import Cost, costs_of

FORMAT = 2
_MEASURED = ("k", "smallest_bucket", "sensitive", "worst_groups", "risk")


@dataclass(frozen=True, eq=False)
class Certificate:
    """Evidence that travels with a release. It holds no time of day, so the same plan gives the same bytes.

    The digest of the input is keyed, so that nobody without the key can test guesses about it; there is none without a
    key, and none where chance hides people, which have no seed here either.
    `verdicts` and `audit` come from the written file, read back by somebody who knows nothing of how it was made.
    """

    plan: Mapping[str, Any]
    release: Release
    verdicts: tuple[Verdict, ...]
    audit: Audit
    input_digest: Mapping[str, str] | None
    output_sha256: Mapping[str, str]

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        """What every metric says; measured once, for the file and for the console."""
        return costs_of(self.release.candidate)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: levels and counts, never a value of a record."""
        provenance = self.release.provenance
        measured = self.audit.to_dict()
        return {
            "format": FORMAT,
            "plan": dict(self.plan),
            "seed": provenance["seed"],
            "versions": dict(provenance["versions"]),
            "input": {
                "digest": self.input_digest,
                "records": self.release.original.records,
                **({} if self.audit.persons is None else {"persons": self.release.original.persons}),
            },
            "output": {
                "sha256": self.output_sha256["release"],
                **{f"{name}_sha256": said for name, said in self.output_sha256.items() if name != "release"},
                **{
                    key: measured[key]
                    for key in ("records", "suppressed", "groups", "persons", "unit")
                    if key in measured
                },
            },
            "holds": all(verdict.holds for verdict in self.verdicts),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "measured": {key: measured[key] for key in _MEASURED if key in measured},
            "metrics": {cost.name: cost.value for cost in self.costs},
            "recoding": self.release.recoding.summary(),
        }

    def to_json(self) -> str:
        """Sorted and stable: equal certificates are equal bytes."""
        return as_json(self.to_dict())

    def write(self, path: Path) -> Path:
        """Write it as JSON; the file appears when it is complete."""
        from sfumato.runtime.atomic_files import write_text

        return write_text(self.to_json(), path)


def as_json(plain: Any) -> str:
    """JSON with sorted keys; what is no number (NaN, infinity) becomes null, as JSON has no word for it."""
    return json.dumps(_sayable(plain), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _sayable(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return {str(key): _sayable(value) for key, value in plain.items()}
    if isinstance(plain, (list, tuple)):
        return [_sayable(value) for value in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
