"""Text for a terminal: the output of the gateway's commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.cli.drawing import titled

if TYPE_CHECKING:
    from sfumato.gateway.answers.answer import Answer
    from sfumato.gateway.answers.explaining import Explanation
    from sfumato.gateway.log.audit_report import AuditReport
    from sfumato.gateway.people.choices import ChoiceRecord
    from sfumato.gateway.policy.sections import ObligationSection
    from sfumato.gateway.setup.findings import Finding


def count_of(number: int, name: str) -> str:
    """A number with its noun.

    >>> count_of(1, "row"), count_of(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {name if number == 1 else f'{name}s'}"


def printable(text: str) -> str:
    r"""Text from users or data on one line, with escapes for characters that could control a terminal.

    >>> print(printable("Sales" + chr(10) + "Refusals" + chr(27) + "[2J"))
    Sales\nRefusals\x1b[2J
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def answer_text(answer: Answer) -> str:
    """The rows, with a star for hidden and missing values."""
    from sfumato.gateway.answers.answer import HIDDEN

    names = answer.table.column_names
    rows = [[HIDDEN if value is None else str(value) for value in row] for row in answer.rows()]
    lines = [_columns([names, *rows]), f"{count_of(len(answer), 'row')} for {answer.purpose}."]
    lines.extend(f"Note: {printable(note)}." for note in answer.notes)
    lines.extend(
        f"Noise: {name} is within {margin:,.6g} of the exact number with probability 95 %."
        for name, margin in answer.margins.items()
    )
    lines.extend(f"Duty: {_obligation_text(obligation)}." for obligation in answer.obligations)
    return "\n\n".join([lines[0], "\n".join(lines[1:])])


def explanation_text(explanation: Explanation) -> str:
    """Who asks, what is seen of every column, and the SQL."""
    rows = [
        [
            f"{line.table}.{line.column}",
            line.rows,
            " ".join([line.seen, line.form]).strip(),
            "; ".join(line.because),
        ]
        for line in explanation.lines
    ]
    who = f"{explanation.person} ({', '.join(explanation.roles) or 'no role'}) asks for {explanation.purpose}."
    policies = [[table, policy] for table, policy in explanation.row_policies.items()]
    parts = [
        who,
        titled("What is seen", rows),
        titled("Rows with hidden values", policies),
        f"SQL\n  {explanation.sql}",
    ]
    parts.extend(f"Note: {note}." for note in explanation.notes)
    if explanation.uncertain:
        parts.append("Rows that may match, but are not certain to match, are left out.")
    return "\n\n".join(parts)


def findings_text(findings: Sequence[Finding]) -> str:
    """The lint findings, one line each."""
    if not findings:
        return "No findings."
    return titled("Findings", [[one.kind, one.where, one.said] for one in findings])


def choices_text(choices: Sequence[ChoiceRecord]) -> str:
    """The choices of a person over time, one line per change."""
    if not choices:
        return "Nothing was chosen."
    return _columns(
        [
            [
                f"{one.at:%Y-%m-%d %H:%M:%S}",
                printable(one.column),
                printable(one.choice) or "(withdrawn)",
                f"entered by {printable(_entrant(one))}",
            ]
            for one in choices
        ]
    )


def report_text(report: AuditReport, beside: Sequence[str] = ()) -> str:
    """The log in numbers, and the logins that query without the gateway, which are not in the log."""
    groups = {
        "By person": report.by_person,
        "By operation": report.by_operation,
        "By purpose": report.by_purpose,
        "By table": report.by_table,
        "Decisions": report.by_decision,
        "Refusals": report.by_refusal,
        "By day": report.by_day,
    }
    head = f"{count_of(report.questions, 'question')}, {count_of(report.rows, 'row')} answered."
    head += f" {count_of(report.choices, 'choice')} entered." if report.choices else ""
    head += f" {count_of(report.strangers, 'request')} of unknown callers." if report.strangers else ""
    tables = [
        titled(name, [[printable(key), f"{count:,}"] for key, count in counts.items()])
        for name, counts in groups.items()
        if counts
    ]
    parts = [head, *tables, f"Head {report.head}"]
    if beside:
        parts.append(
            "This log does not have the queries that other tools send to PostgreSQL with their own logins: "
            f"{', '.join(map(printable, beside))}. The server logs them if log_statement is set for these logins; "
            "`sfumato gateway reach` says for which it is not."
        )
    return "\n\n".join(parts)


def _entrant(one: ChoiceRecord) -> str:
    """Who entered a choice: a user, the owner by their name on the machine, or somebody in the database itself."""
    if not one.entered_by:
        return f"{one.login} in the database" if one.login else "the owner in the database"
    return f"{one.entered_by} ({one.login})" if one.login else one.entered_by


def _obligation_text(obligation: ObligationSection) -> str:
    """An obligation as text."""
    parts = [obligation.duty.replace("_", " ")]
    if obligation.days is not None:
        parts.append(f"{obligation.days} days")
    return " ".join([*parts, *([f"to {obligation.to}"] if obligation.to else [])])


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows in aligned columns."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
