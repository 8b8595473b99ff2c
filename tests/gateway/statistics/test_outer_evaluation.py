from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sfumato.errors import StatementError
from tests.gateway.statistics.test_exact_answers import ADA, BEFORE, NEWCOMER, gate, policy, students


def test_what_is_made_of_aggregates_may_be_anything() -> None:
    made = gate(policy(least=2), students([*BEFORE, NEWCOMER, (6, "X", "EE", 50)]))
    text = (
        "SELECT department AS d, sum(score) / count(*) AS a, count(*) + 1 AS n FROM student WHERE id > ? "
        "GROUP BY department HAVING count(*) > 1 ORDER BY a DESC, d LIMIT 5"
    )
    assert made.query(text, person=ADA, parameters=[0]).rows() == [("CS", 96.0, 5), ("EE", 70.5, 3)]
    assert made.query("SELECT upper(department) AS u, count(*) AS n FROM student GROUP BY 1", person=ADA).rows() == [
        ("CS", 4),
        ("EE", 2),
    ]
    with pytest.raises(StatementError, match=r"could not be converted|is out of the range"):
        made.query("SELECT CAST(sum(score) * 1000 AS SMALLINT) AS s FROM student", person=ADA)


FORKING = """
import os
from sfumato.gateway.statistics import outer_evaluation

outer_evaluation._instance().cursor().execute("SELECT 1").fetchall()
child = os.fork()
if child:
    raise SystemExit(os.waitpid(child, 0)[1])
outer_evaluation._instance().cursor().execute("SELECT 1").fetchall()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_process_that_forks_after_an_answer_ends_well() -> None:
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
