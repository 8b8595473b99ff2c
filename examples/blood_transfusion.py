"""Hospitals, a health agency and the Red Cross: patients with many attributes, of which nobody knows more than a few.

The agency gives the Red Cross what it needs to predict who stays long, or to count patients in general, and promises
that whoever knows two attributes of a patient finds twenty of them, at most half with the same delicate diagnosis.
"""

from __future__ import annotations

import sfumato
from sfumato.algorithms import Hdtds
from sfumato.datasets import patients
from sfumato.evaluation.workloads import Classification, Split
from sfumato.metrics import DiscernibilityRatio
from sfumato.taxonomies import Dates, Flat, Intervals, Masking

SCHEMA = sfumato.Schema.of(
    identifiers=["patient_number", "name"],
    quasi=["sex", "age", "postcode", "admitted", "days"],
    sensitive=["diagnosis"],
    target=["insurer"],
    kinds={"postcode": "text"},
    taxonomies={
        "sex": Flat(),
        "age": Intervals(breaks=(0, 18, 30, 45, 60, 75, 90, 120)),
        "postcode": Masking(side="right"),
        "admitted": Dates(),
    },
)


def main() -> None:
    """Publish once for a classifier and once for general use, and compare both with protecting against everybody."""
    people = patients(6000, seed=4)
    table = sfumato.Table.from_frame(people, SCHEMA)
    few = sfumato.LkcPrivacy(l=2, k=20, c=0.5, values=("hiv", "hepatitis", "schizophrenia"))
    all_of_it = sfumato.LkcPrivacy(l=5, k=20, c=0.5, values=few.values)
    for need, score in (("prediction", "gain"), ("counting", "discernment")):
        for knows, model in (("two attributes", few), ("everything", all_of_it)):
            release = Hdtds(score=score).anonymize(table, model)
            ratio = DiscernibilityRatio().measure(release)
            labels = sum(len(found) for found in release.recoding.labels.values())
            print(f"{need}, against who knows {knows}: {labels} labels, discernibility ratio {ratio:.4f}")
    split = Split.at_random(people.num_rows, seed=4)
    print(Classification(masking="all").measure(people, SCHEMA, Hdtds(), few, split))


if __name__ == "__main__":
    main()
