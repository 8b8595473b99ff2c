"""A pandas frame in, the same frame out: index, row order and other columns stay, quasi columns grow vaguer."""

from __future__ import annotations

import pandas as pd

import sfumato
from sfumato.datasets import patients
from sfumato.metrics import Ncp


def main() -> None:
    """Publish the adults among a thousand made-up hospital stays."""
    everybody = patients(1000, seed=3).to_pandas()
    frame = everybody[everybody["age"] >= 18]  # an index with gaps, as filtered frames have
    schema = sfumato.Schema.of(
        identifiers=["patient_number", "name"],
        quasi=["sex", "age", "postcode"],
        sensitive=["diagnosis"],
    )
    table = sfumato.Table.from_frame(frame, schema)
    model = sfumato.KAnonymity(k=5) & sfumato.DistinctLDiversity(l=3)
    release = sfumato.anonymize(table, model, suppression=0.01)
    published: pd.DataFrame = release.frame()

    print(published[["sex", "age", "diagnosis", "days"]].head(3))
    for verdict in release.verdicts:
        print(f"{verdict.described}: asked {verdict.required:g}, found {verdict.level:g}")
    for name, loss in Ncp().per_column(release).items():
        print(f"{name} lost {loss:.1%} of its detail")
    print("same index:", published.index.equals(frame.index), "- names gone:", "name" not in published)
    # The index is there to put results beside the original. Leave it out of what you hand on: to_csv(index=False).


if __name__ == "__main__":
    main()
