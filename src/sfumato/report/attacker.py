"""The three attackers of the risk section, with a description and their probabilities of success."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.attacks.risk import Risk


@dataclass(frozen=True)
class Attacker:
    """One attacker; a number that does not apply to it is None."""

    name: str
    meaning: str
    highest: float | None
    average: float
    share_above: float | None


def attackers_of(risk: Risk, *, bucketized: bool = False) -> tuple[Attacker, ...]:
    """Prosecutor, journalist and marketer with their risks, in this order: the best informed first.

    In a bucketized release the record that is found does not show the sensitive value of the person.
    """
    prosecutor, journalist = risk.prosecutor, risk.journalist
    found = " The record shows the bucket of the person, and not the sensitive value." if bucketized else ""
    unknown = "" if risk.population_known else " No population was given, so the numbers equal those of the prosecutor."
    return (
        Attacker(
            "prosecutor",
            f"Knows a person and knows that this person is in the data; searches for the record.{found}",
            prosecutor.highest,
            prosecutor.average,
            prosecutor.share_above,
        ),
        Attacker(
            "journalist",
            f"Tries to re-identify any person, without knowing who of the population is in the data.{unknown}",
            journalist.highest,
            journalist.average,
            journalist.share_above,
        ),
        Attacker(
            "marketer",
            "Tries to re-identify all records and accepts errors; the average is the share re-identified correctly.",
            None,
            risk.marketer,
            None,
        ),
    )
