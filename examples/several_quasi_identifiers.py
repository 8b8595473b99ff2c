"""Two attackers know different columns, so there are two quasi-identifiers, each with a k of its own."""

from __future__ import annotations

import sfumato
from sfumato.algorithms import Exhaustive
from sfumato.datasets import patients
from sfumato.taxonomies import Dates, Flat, Intervals, Masking


def main() -> None:
    """A neighbour knows sex, age and postcode; the employer knows when somebody was away and how old they are."""
    schema = sfumato.Schema.of(
        quasi=["sex", "age", "postcode", "admitted"],
        sensitive=["diagnosis"],
        taxonomies={
            "sex": Flat(),
            "age": Intervals(width=15),
            "postcode": Masking(side="right"),
            "admitted": Dates(),
        },
        quasi_identifiers={"neighbour": ["sex", "age", "postcode"], "employer": ["age", "admitted"]},
    )
    table = sfumato.Table.from_frame(patients(2000, seed=3), schema)
    model = sfumato.KAnonymity(k=20, quasi="neighbour") & sfumato.KAnonymity(k=5, quasi="employer")

    release = sfumato.anonymize(table, model, algorithm=Exhaustive(), suppression=0.05)
    print("levels:", release.recoding.levels)
    for name, columns in schema.quasi_identifiers.items():
        sizes = release.candidate.groups(columns).sizes
        print(f"the {name} cannot tell {sizes.min()} people apart, at the least")


if __name__ == "__main__":
    main()
