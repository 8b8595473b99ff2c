"""The attackers of the risk section: a description of each, and the chances of success."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.attacks.risk import Risk


@dataclass(frozen=True)
class Attacker:
    """One of the three attackers; what does not apply to it is None."""

    name: str
    meaning: str
    highest: float | None
    average: float
    share_above: float | None


def attackers_of(risk: Risk) -> tuple[Attacker, ...]:
    """The three attackers of a risk, the best informed first."""
    prosecutor, journalist = risk.prosecutor, risk.journalist
    unknown = "" if risk.population_known else " No population was given, so the numbers are the prosecutor's."
    return (
        Attacker(
            "prosecutor",
            "Knows one person, and knows that this person is in the data, and looks for the row.",
            prosecutor.highest,
            prosecutor.average,
            prosecutor.share_above,
        ),
        Attacker(
            "journalist",
            f"Looks for anybody at all, without knowing who of the population is in the data.{unknown}",
            journalist.highest,
            journalist.average,
            journalist.share_above,
        ),
        Attacker(
            "marketer",
            "Tries to put a name to every row and lives with mistakes; the average is the share of rows named rightly.",
            None,
            risk.marketer,
            None,
        ),
    )
