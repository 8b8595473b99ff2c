"""A certificate: what was promised, what was measured on the written files, and the digests of these files.

`plan.publication` makes it, and writes it beside the release.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.attacks.base import AttackResult
from sfumato.audit.audit import Audit
from sfumato.releases.table_release import TableRelease
from sfumato.releases.verdict import Verdict
from sfumato.report.cost import Cost

FORMAT = 2
_MEASURED = ("k", "smallest_bucket", "sensitive", "worst_groups", "risk")


@dataclass(frozen=True, eq=False)
class Certificate:
    """Evidence that travels with a release. It holds no time of day, so the same plan gives the same bytes.

    The digest of the input is keyed, so that nobody without the key can test guesses about it; there is none without a
    key. Where randomness hides people there is neither a digest nor a seed. `verdicts`, `audit` and `attacks` come from
    the written files, read back without any knowledge of how they were made; `costs` are measured on the release.
    """

    plan: Mapping[str, Any]
    release: TableRelease
    verdicts: tuple[Verdict, ...]
    audit: Audit
    input_digest: Mapping[str, str] | None
    output_sha256: Mapping[str, str]
    costs: tuple[Cost, ...]
    attacks: tuple[AttackResult, ...] = ()

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
            **({"attacks": [result.to_dict() for result in self.attacks]} if self.attacks else {}),
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
    """JSON with sorted keys; NaN and infinity become null, because JSON cannot express them."""
    return json.dumps(_finite(plain), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return {str(key): _finite(value) for key, value in plain.items()}
    if isinstance(plain, (list, tuple)):
        return [_finite(value) for value in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
