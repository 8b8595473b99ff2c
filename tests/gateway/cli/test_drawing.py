from __future__ import annotations

from pathlib import Path

from sfumato.gateway.cli.drawing import report_text
from sfumato.gateway.log.audit_lines import AuditEntry
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.log.audit_report import AuditReport

FORGED = "\nDecisions\n  answered  9999\n\u202e\x1b[2J"


def test_no_text_in_the_log_forges_a_line_of_the_report(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "log")
    log.append(
        AuditEntry(
            who=f"eve{FORGED}", operation="select", roles=(), purpose=FORGED, statement="", tables=(FORGED,),
            decision="refused", reason="DeniedError", policy="digest",
        )
    )  # fmt: skip
    log.close()
    told = report_text(AuditReport.of(tmp_path / "log"), [f"tool{FORGED}"])
    assert told.splitlines().count("Decisions") == 1
    assert all(line.isprintable() for line in told.splitlines())
    assert "\\nDecisions\\n  answered  9999\\n\\u202e\\x1b[2J" in told
