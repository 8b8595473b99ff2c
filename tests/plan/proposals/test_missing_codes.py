"""Numbers that may mean "no answer": usual codes, apart from small codes of answers."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

from sfumato.data.domain import Domain
from sfumato.plan.proposals.drafting import draft
from sfumato.plan.proposals.missing_codes import missing_codes, question
from sfumato.plan.proposals.proposal import Proposal
from tests.cli.commands import sfumato


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 3, 4, 5, 99], ("99",)),
        ([1, 2, 3, 4, 5, 98, 99, -9], ("-9", "98", "99")),
        ([0, 1, 999], ("999",)),
        ([1, 2, -1], ("-1",)),
        ([-1, 0, 1], ()),  # a scale around zero
        ([-2, -1, 0, 1, 2], ()),
        ([1, 2, 3, 50], ()),  # no usual code
        ([18, 44, 84, 99], ()),  # ages
        ([1, 99], ()),  # one answer is no scale
        ([77, 88, 99], ()),
        ([0.5, 1, 2, 99], ()),
        ([*range(1, 20), 21, 99], ()),  # larger than codes of answers
    ],
)
def test_which_values_are_found(values: list[float], codes: tuple[str, ...]) -> None:
    domain, _ = Domain.of("q", [f"{value:g}" for value in values])
    assert missing_codes(domain) == codes


def test_texts_and_declared_codes_are_none() -> None:
    assert missing_codes(Domain.of("q", ["a", "b", "99"])[0]) == ()
    assert missing_codes(Domain.of("q", ["1", "2", "3", "99"], missing=["99"])[0]) == ()


def test_the_question_names_some_columns() -> None:
    assert question("99", ["a", "b", "c", "d", "e"]) == (
        "99 stands apart from all other values of a, b, c and 2 more: does it mean that there is no answer? If so, add "
        '"99" to missing under [data]; it is then missing in all columns.'
    )


def test_a_proposal_asks_once_for_every_code(tmp_path: Path) -> None:
    draws = random.Random(5)
    answers = {name: draws.choices([1, 2, 3, 4, 5, 99], k=300) for name in ("trust", "q2")}
    frame = pd.DataFrame({"age": draws.choices(range(18, 80), k=300), **answers})
    frame.to_csv(tmp_path / "s.csv", index=False)
    proposal = Proposal.of_file(tmp_path / "s.csv")
    assert proposal.missing_codes == {"99": ["trust", "q2"]}
    assert proposal.to_dict()["missing_codes"] == {"99": ["trust", "q2"]}
    text = draft(proposal, tmp_path / "plan.toml")
    assert text.count("decide: 99 stands apart from all other values of trust, q2") == 1
    assert text.index("stands apart") < text.index("[data]")
    told = sfumato("init", tmp_path / "s.csv", "--output", tmp_path / "plan.toml").stdout
    assert "Decide: 99 stands apart from all other values of trust, q2" in told
