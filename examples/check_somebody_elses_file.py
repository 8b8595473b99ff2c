"""Somebody hands over a file and says that it is anonymous. Measure it, and judge it by your own standard."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import sfumato

TABLE = """\
age;zip;diagnosis
20-29;130**;flu
20-29;130**;flu
20-29;130**;asthma
30-39;148**;angina
30-39;148**;angina
30-39;148**;angina
*;*;*
"""


def main() -> int:
    """Say what the file gives away; the answer is the exit code, as in a pipeline."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "theirs.csv"
        file.write_text(TABLE, encoding="utf-8")
        audit = sfumato.Audit.of_file(file, quasi=["age", "zip"], sensitive=["diagnosis"])
    print(f"{audit.records} records in {audit.groups} groups, {audit.suppressed} suppressed; k = {audit.k}")
    print(f"a neighbour finds somebody with a chance of up to {audit.risk.prosecutor.highest:.0%}")
    verdicts = audit.judge(sfumato.KAnonymity(k=3) & sfumato.DistinctLDiversity(l=2))
    for verdict in verdicts:
        print(f"{verdict.described}: {'holds' if verdict.holds else f'fails for {verdict.failing_records} records'}")
    return 0 if all(verdict.holds for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
