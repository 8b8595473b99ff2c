"""Certificates: the plan of a release, the results measured on the written files, and digests of these files.

`plan.publication` creates a certificate and writes it together with the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.attacks.base import AttackResult
from sfumato.audit.audit import Audit
from sfumato.disclosure.published_digits import file_shows_levels, rounded_down
from sfumato.releases.table_release import TableRelease
from sfumato.releases.verdict import Verdict
from sfumato.report.cost import Cost
from sfumato.runtime.json_text import as_json

FORMAT = 2
_PRIVATE, _NOT_SHOWN = ("query", "question", "person"), "not shown"
_MEASURED = ("k", "smallest_bucket", "sensitive", "worst_groups", "risk", "plain_columns")


@dataclass(frozen=True, eq=False)
class Certificate:
    """Evidence for a release. It contains no date or time, so that the same plan gives the same bytes.

    The digest of the input is keyed, so that nobody without the key can test guesses about the input. Without a key
    there is no digest, unless the plan asks for a plain one. If randomness protects persons, there is neither a digest
    nor a seed. `input_version` is that of a Delta table. Files of the output have digests, tables of a database do not.
    `verdicts`, `audit` and `attacks` are measured on the written files or tables, without knowledge of how they were
    made; `costs` are measured on the release in memory. Here they have all digits; what is written has three digits of
    numbers that depend on the original and that the written file does not show (`disclosure.published_digits`).
    """

    plan: Mapping[str, Any]
    release: TableRelease
    verdicts: tuple[Verdict, ...]
    audit: Audit
    input_digest: Mapping[str, str] | None
    output_sha256: Mapping[str, str]
    costs: tuple[Cost, ...]
    attacks: tuple[AttackResult, ...] = ()
    input_version: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain data for JSON: levels and counts, never values of records."""
        provenance, shown = self.release.provenance, file_shows_levels(self.release.original)
        measured = self.audit.to_dict(rounded=not shown)
        persons = self.release.original.persons
        return {
            "format": FORMAT,
            "plan": _shown_plan(self.plan),
            "seed": provenance["seed"],
            "versions": dict(provenance["versions"]),
            "input": {
                "digest": self.input_digest,
                **({} if self.input_version is None else {"delta_version": self.input_version}),
                "records": self.release.original.records,
                **({} if self.audit.persons is None else {"persons": persons if shown else rounded_down(persons)}),
            },
            "output": {
                **{
                    "sha256" if name == "release" else f"{name}_sha256": digest
                    for name, digest in self.output_sha256.items()
                },
                **{
                    key: measured[key]
                    for key in ("records", "suppressed", "waived", "groups", "persons", "unit")
                    if key in measured
                },
                **({"dropped": self._dropped} if self._dropped else {}),
                **({"order": "random"} if self._is_shuffled else {}),
            },
            "holds": all(verdict.holds for verdict in self.verdicts),
            "verdicts": [(verdict if shown else verdict.rounded()).to_dict() for verdict in self.verdicts],
            "measured": {key: measured[key] for key in _MEASURED if key in measured},
            "metrics": self._metrics(),
            **({"attacks": [result.rounded().to_dict() for result in self.attacks]} if self.attacks else {}),
            "recoding": self.release.recoding.summary(),
        }

    @property
    def _dropped(self) -> int:
        """The number of suppressed records that the file does not have as rows of `*`."""
        dropping = self.plan.get("suppression", {}).get("rows") == "drop"
        return self.release.suppressed_records if dropping else 0

    @property
    def _is_shuffled(self) -> bool:
        """Whether records are in random order, as the plan wants it or because they are in buckets."""
        return self.plan.get("output", {}).get("order") == "random" or self.release.recoding.linkage.cut

    def _metrics(self) -> dict[str, float]:
        """The result of every metric by its name; with its settings, if a plan names the metric more than once."""
        names = [cost.name for cost in self.costs]
        return {
            cost.name if names.count(cost.name) == 1 else cost.described: cost.rounded().value for cost in self.costs
        }

    def to_json(self) -> str:
        """The certificate as JSON with sorted keys; equal certificates give equal bytes."""
        return as_json(self.to_dict())

    def write(self, path: Path) -> Path:
        """Write the certificate as JSON; the file appears when it is complete."""
        from sfumato.runtime.atomic_files import write_text

        return write_text(self.to_json(), path)


def _shown_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The plan as recipients may read it: without connections and without questions, which may name persons."""
    shown = dict(plan)
    for section in ("data", "output"):
        given = dict(shown.get(section, {}))
        if str(given.get("database", "")).startswith("postgresql:"):
            given["database"] = "postgresql"
        given |= {key: _NOT_SHOWN for key in _PRIVATE if key in given}
        if given:
            shown[section] = given
    return shown
