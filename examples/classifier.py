"""Publish for a classifier: keep two attackers away, and measure whether income can still be predicted."""

from __future__ import annotations

import sfumato
from sfumato.algorithms import Mondrian, TopDownRefinement
from sfumato.datasets import census
from sfumato.evaluation.workloads import Classification, Split

NEIGHBOUR = ["age", "sex", "race", "marital_status", "country"]
EMPLOYER = ["age", "sex", "education", "work_class", "occupation"]


def main() -> None:
    """Refine for the target, look at the steps, and compare with masking that knows of no target."""
    schema = sfumato.Schema.of(
        quasi=[*NEIGHBOUR, "education", "work_class", "occupation"],
        target=["income"],
        quasi_identifiers={"neighbour": NEIGHBOUR, "employer": EMPLOYER},
    )
    people = census(8000, seed=3)
    table = sfumato.Table.from_frame(people, schema)
    model = sfumato.KAnonymity(k=30, quasi="neighbour") & sfumato.KAnonymity(k=15, quasi="employer")

    search = TopDownRefinement().refined(table, model)
    for step in search.steps[:3]:
        print(f"first told: {step.column} {step.at or step.value} ({step.gain:.3f} bits about the income)")

    split = Split.at_random(people.num_rows, seed=3)
    errors = Classification().measure(people, schema, TopDownRefinement(), model, split)
    print(errors)

    # Mondrian decides about combinations of values, so its decision cannot be applied to new ones: mask all together.
    together = Classification(masking="all")
    for way in (TopDownRefinement(), Mondrian()):
        found = together.measure(people, schema, way, model, split)
        print(f"{way.name()}: {found.masked:.1%} wrong where all records are masked together")


if __name__ == "__main__":
    main()
