"""Access to aggregates alone: each is answered only if, with those before, it tells nobody's value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import DeniedError
from sfumato.gateway.audited_questions import AuditedQuestions
from sfumato.gateway.auditing import AggregateQuestion, Auditor, DifferenceControl, OverlapControl, SetSizeControl
from sfumato.gateway.record_numbers import RecordNumbers
from sfumato.gateway.record_sets import RecordSet
from sfumato.gateway.sections import AuditingSection
from sfumato.gateway.sql.compiling import Answerable
from sfumato.gateway.sql.measures import HASHES, hashed, measures_of, records_asked
from sfumato.gateway.sum_auditor import SumAuditor

if TYPE_CHECKING:
    import pyarrow as pa

Compile = Callable[[exp.Expr], Answerable]
Ask = Callable[[str], "pa.Table"]


class StatisticalAccess:
    """Watches over the aggregates that somebody asks of a table for a purpose.

    Which records an aggregate is of is asked first, on the masked relation, and judged by set sizes, overlaps,
    differences and sums together; only then is it answered. What was answered is kept in files, so that a restart
    forgets nothing.
    """

    def __init__(self, section: AuditingSection, folder: Path) -> None:
        auditors: list[Auditor] = [SetSizeControl(section.least), DifferenceControl(section.least)]
        if section.overlap is not None:
            auditors.append(OverlapControl(section.overlap))
        if section.sums:
            auditors.append(SumAuditor())
        self._numbers = RecordNumbers(folder / "records.bin")
        self._questions = AuditedQuestions(folder / "aggregates.jsonl", auditors, most=section.questions)

    def admit(self, tree: exp.Expr, who: str, purpose: str, compile_tree: Compile, ask: Ask, engine: str) -> None:
        """Let an aggregate question pass, or refuse it."""
        measures = measures_of(tree)
        if not isinstance(tree, exp.Select):
            return
        population = compile_tree(exp.select(exp.Count(this=exp.Star())).from_(tree.args["from_"].this.copy()))
        view = population.views[0]
        key = view.by_name.get(view.policy.table(view.table).key)
        if key is None or key.can_miss or key.shape != "plain":
            raise DeniedError(f"aggregates of {view.table!r} cannot be watched over, since its key is not shown.")
        made, people = compile_tree(records_asked(tree, measures, key.name)), ask(population.sql).column(0)[0].as_py()
        for place, measure in enumerate(measures):
            sets = self._sets(ask(hashed(made, place, engine)))
            question = AggregateQuestion(
                who=who, purpose=purpose, table=view.table, function=measure.function, column=measure.name, sets=sets,
                population=int(people),
            )  # fmt: skip
            judgement = self._questions.admit(question)
            if not judgement.allowed:
                raise DeniedError(f"this aggregate is not answered. {judgement.reason}.")

    def close(self) -> None:
        """Let others write."""
        self._questions.close()

    def _sets(self, found: pa.Table) -> tuple[RecordSet, ...]:
        groups, records = (_unsigned(found.column(name)) for name in HASHES)
        numbers = self._numbers.of(records)
        which = np.unique(groups, return_inverse=True)[1]
        order = np.argsort(which, kind="stable")
        cuts = np.flatnonzero(np.diff(which[order])) + 1
        return (
            tuple(RecordSet.of(part) for part in np.split(numbers[order], cuts))
            if len(numbers)
            else (RecordSet.of([]),)
        )


def _unsigned(column: pa.ChunkedArray) -> NDArray[np.uint64]:
    signed = str(column.type) == "int64"
    found: NDArray[np.uint64] = column.to_numpy().astype(np.int64 if signed else np.uint64).view(np.uint64)
    return found
