"""Which aggregates were answered, kept in a file so that a restart forgets none of them."""

from __future__ import annotations

import base64
import json
import threading
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from sfumato.errors import DataError, ParameterError
from sfumato.gateway.audit_files import set_aside
from sfumato.gateway.auditing import ALLOWED, AggregateQuestion, Auditor, Judgement
from sfumato.gateway.durable_lines import DurableLines
from sfumato.gateway.record_sets import RecordSet

_NAMES = ("who", "purpose", "table", "function", "column", "population")


class AuditedQuestions:
    """Several auditors that must all agree, and the file of all questions that they agreed to.

    `admit` judges and remembers in one step, so that two questions at once cannot both be judged without the other; it
    returns when the question is on disk. The file has record numbers and no values. One person can have
    `most` different sets answered of one table for one purpose; more are refused, so that memory has an end.

    >>> from tempfile import TemporaryDirectory
    >>> from sfumato.gateway.sum_auditor import SumAuditor
    >>> def total(*records):
    ...     return AggregateQuestion(who="ada", purpose="research", table="people", function="sum", column="score",
    ...                              sets=(RecordSet.of(records),), population=5)
    >>> with TemporaryDirectory() as folder:
    ...     with AuditedQuestions(Path(folder) / "questions.jsonl", [SumAuditor()]) as questions:
    ...         _ = questions.admit(total(1, 2, 3))
    ...     with AuditedQuestions(Path(folder) / "questions.jsonl", [SumAuditor()]) as questions:
    ...         questions.admit(total(2, 3)).allowed
    False
    """

    def __init__(self, path: str | Path, auditors: Sequence[Auditor], *, most: int = 10_000) -> None:
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise ParameterError(f"'most' must be a whole number >= 1; got {most!r}.")
        self.path, self.auditors, self.most = Path(path), tuple(auditors), most
        self._deciding = threading.RLock()
        self._known: dict[str, RecordSet] = {}
        self._asked: defaultdict[tuple[str, str, str], set[RecordSet]] = defaultdict(set)
        self._lines = DurableLines(self.path)
        try:
            self._restore()
        except BaseException:
            self._lines.close()
            raise
        self._written = set(self._known)

    def judge(self, question: AggregateQuestion) -> Judgement:
        """The first refusal, or none; nothing is remembered."""
        with self._deciding:
            asked = self._asked.get(question.asker, set())
            if len(asked) + len({records for records in question.sets if records not in asked}) > self.most:
                return Judgement(False, f"AuditedQuestions: at most {self.most} sets are answered")
            judgements = (auditor.judge(question) for auditor in self.auditors)
            return next((judgement for judgement in judgements if not judgement.allowed), ALLOWED)

    def remember(self, question: AggregateQuestion) -> None:
        """The question is answered; it is on disk when this returns."""
        with self._deciding:
            self._take(question)
        self._lines.append(lambda: self._line(question))

    def admit(self, question: AggregateQuestion) -> Judgement:
        """Judge a question, and remember it if it may be answered; call it before the answer is worked out."""
        with self._deciding:
            shared = replace(question, sets=tuple(self._known.get(_name(kept), kept) for kept in question.sets))
            judgement = self.judge(shared)
            if judgement.allowed:
                self._take(shared)
        if judgement.allowed:
            self._lines.append(lambda: self._line(shared))
        return judgement

    def close(self) -> None:
        """Wait for questions on their way and let others write."""
        self._lines.close()

    def __enter__(self) -> AuditedQuestions:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, question: AggregateQuestion) -> None:
        for auditor in self.auditors:
            auditor.remember(question)
        self._asked[question.asker].update(question.sets)
        self._known.update({_name(records): records for records in question.sets})

    def _line(self, question: AggregateQuestion) -> bytes:
        """Called in the order of the lines; the records of a set are written the first time that it is asked for."""
        unwritten = {_name(records): records for records in question.sets if _name(records) not in self._written}
        named: dict[str, Any] = {name: getattr(question, name) for name in _NAMES}
        named["sets"] = [_name(records) for records in question.sets]
        named["records"] = {name: _packed(records) for name, records in unwritten.items()}
        self._written.update(unwritten)
        return json.dumps(named, sort_keys=True, separators=(",", ":")).encode()

    def _restore(self) -> None:
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):  # its writer was killed, and nobody got an answer
                    set_aside(self.path, line)
                    return
                try:
                    question = self._read(line)
                except (ValueError, KeyError, TypeError, zlib.error):
                    raise DataError(
                        f"line {number} of {self.path.name!r} cannot be read as a question. What was answered must not "
                        "be forgotten: restore the file from a copy; or move it away, and begin anew."
                    ) from None
                self._take(question)

    def _read(self, line: bytes) -> AggregateQuestion:
        named = json.loads(line)
        unpacked = {name: _unpacked(packed) for name, packed in named["records"].items()}
        if any(_name(records) != name for name, records in unpacked.items()):
            raise ValueError("these are not the records that were written.")
        self._known.update(unpacked)
        sets = tuple(self._known[name] for name in named["sets"])
        return AggregateQuestion(sets=sets, **{name: named[name] for name in _NAMES})


def _name(records: RecordSet) -> str:
    return records.digest.hex()


def _packed(records: RecordSet) -> dict[str, Any]:
    data = base64.b64encode(zlib.compress(records.to_bytes(), 1)).decode()
    return {"bits": records.words is not None, "data": data}


def _unpacked(packed: dict[str, Any]) -> RecordSet:
    data = zlib.decompress(base64.b64decode(packed["data"]))
    return RecordSet.of_bytes(data, bits=packed["bits"])
