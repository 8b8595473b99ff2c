from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError, OutputError, ParameterError
from sfumato.gateway.audited_questions import AuditedQuestions
from sfumato.gateway.auditing import DifferenceControl, OverlapControl, SetSizeControl
from sfumato.gateway.record_sets import RecordSet
from sfumato.gateway.sum_auditor import SumAuditor
from tests.gateway.test_sum_auditor import total

WRITER = """
import os, sys
from sfumato.gateway.audited_questions import AuditedQuestions
from sfumato.gateway.auditing import OverlapControl
from tests.gateway.test_sum_auditor import total

questions = AuditedQuestions(sys.argv[1], [OverlapControl(0)])
for place in range(int(sys.argv[2]), 1_000_000):
    questions.admit(total({3 * place, 3 * place + 1}))
    os.write(1, b"%d\\n" % place)
"""


def auditors():
    return [SetSizeControl(1), OverlapControl(3), DifferenceControl(2), SumAuditor()]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sets(st.integers(0, 8)), min_size=1, max_size=2), max_size=8), st.integers(0, 8))
def test_a_restart_changes_no_decision(tmp_path_factory, history, restart):
    path = tmp_path_factory.mktemp("log") / "questions.jsonl"
    straight, decisions = auditors(), []
    questions = AuditedQuestions(path, auditors())
    for place, groups in enumerate(history):
        if place == restart:
            questions.close()
            questions = AuditedQuestions(path, auditors())
        question = total(*groups, population=9)
        expected = all(auditor.judge(question).allowed for auditor in straight)
        if expected:
            for auditor in straight:
                auditor.remember(question)
        decisions.append(questions.admit(question).allowed == expected)
    questions.close()
    assert all(decisions)


def test_the_first_refusal_is_told_and_nothing_is_kept(tmp_path):
    path = tmp_path / "questions.jsonl"
    with AuditedQuestions(path, [SetSizeControl(2), SumAuditor()]) as questions:
        assert questions.admit(total({1})).reason.startswith("SetSizeControl")
        assert questions.judge(total({1, 2})).allowed
        assert path.read_bytes() == b""
        questions.remember(total({1, 2}))
        assert questions.admit(total({1, 2, 3})).reason.startswith("SumAuditor")


def test_a_set_that_is_asked_for_often_is_written_once(tmp_path):
    path, records = tmp_path / "questions.jsonl", set(range(0, 40_000, 3))
    sizes = []
    with AuditedQuestions(path, [SumAuditor()]) as questions:
        for column in "abc":
            questions.admit(total(records, records, column=column))
            sizes.append(path.stat().st_size)
    assert sizes[1] - sizes[0] == sizes[2] - sizes[1] < 300
    with AuditedQuestions(path, [SumAuditor()]) as questions:
        assert not questions.admit(total(records - {3}, column="c")).allowed


def test_large_sets_come_back(tmp_path):
    path, rng = tmp_path / "questions.jsonl", np.random.default_rng(1)
    halves = [RecordSet.of_mask(rng.random(30_000) < share) for share in (0.5, 0.01)]
    with AuditedQuestions(path, [DifferenceControl(2)]) as questions:
        questions.admit(total(sets=tuple(halves), population=30_000))
    with AuditedQuestions(path, [DifferenceControl(2)]) as questions:
        for half in halves:
            near = RecordSet.of(half.all_numbers()[1:])
            assert questions.judge(total(sets=(half,))).allowed
            assert not questions.judge(total(sets=(near,))).allowed


def test_two_at_once_are_not_both_admitted(tmp_path):
    admitted = []
    with AuditedQuestions(tmp_path / "questions.jsonl", [SumAuditor()]) as questions:

        def work(place):
            admitted.append(questions.admit(total({1, 2, 3, 4} - {place})).allowed)

        threads = [threading.Thread(target=work, args=(place,)) for place in (0, 1, 2, 3, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert sum(admitted) < 5


def test_memory_has_an_end(tmp_path):
    with AuditedQuestions(tmp_path / "questions.jsonl", [], most=2) as questions:
        for records in ({1, 2}, {1, 2}, {3, 4}):
            assert questions.admit(total(records)).allowed
        assert questions.admit(total({5, 6})).reason == "AuditedQuestions: at most 2 sets are answered"
        assert questions.admit(total({3, 4})).allowed
        assert questions.admit(total({5, 6}, who="bob")).allowed


def test_a_torn_end_is_set_aside_and_a_broken_line_refused(tmp_path):
    path = tmp_path / "questions.jsonl"
    with AuditedQuestions(path, [SumAuditor()]) as questions:
        for records in ({1, 2}, {3, 4}):
            questions.admit(total(records))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    with AuditedQuestions(path, [SumAuditor()]) as questions:
        assert not questions.judge(total({1, 2, 3})).allowed
    assert path.read_bytes() == whole
    assert path.with_name("questions.jsonl.torn").read_bytes() == whole[:40] + b"\n"
    for broken in (whole.replace(b'"who"', b'"why"', 1), whole[5:], whole.replace(b'"data":"e', b'"data":"f', 1)):
        path.write_bytes(broken)
        with pytest.raises(DataError, match=r"line 1 of 'questions\.jsonl' cannot be read"):
            AuditedQuestions(path, [SumAuditor()])


def test_records_that_are_not_those_that_were_written_are_refused(tmp_path):
    path = tmp_path / "questions.jsonl"
    for records in ({1, 2}, {3, 4}):
        path.unlink(missing_ok=True)
        with AuditedQuestions(path, []) as questions:
            questions.admit(total(records))
        if records == {1, 2}:
            data = path.read_bytes().split(b'"data":"')[1].split(b'"')[0]
    other = path.read_bytes().split(b'"data":"')[1].split(b'"')[0]
    path.write_bytes(path.read_bytes().replace(other, data))
    with pytest.raises(DataError, match="must not be forgotten"):
        AuditedQuestions(path, [])


def test_one_writer_and_sound_settings(tmp_path):
    path = tmp_path / "questions.jsonl"
    with AuditedQuestions(path, []), pytest.raises(OutputError, match="somebody else"):
        AuditedQuestions(path, [])
    for most in (0, 1.5, True):
        with pytest.raises(ParameterError):
            AuditedQuestions(path, [], most=most)


def test_no_admitted_question_is_forgotten_when_the_process_is_killed(tmp_path):
    path, admitted = tmp_path / "questions.jsonl", []
    for run in range(3):
        command = [sys.executable, "-c", WRITER, str(path), str(run * 10_000)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as writer:
            seen = [writer.stdout.readline() for _ in range(30 + 40 * run)]
            writer.send_signal(signal.SIGKILL)
            seen += writer.stdout.read().splitlines(keepends=True)
        admitted += [int(line) for line in seen if line.endswith(b"\n")]
    with AuditedQuestions(path, [OverlapControl(0)]) as questions:
        assert len(admitted) >= 210
        assert not [place for place in admitted if questions.judge(total({3 * place})).allowed]
        assert questions.judge(total({2})).allowed
