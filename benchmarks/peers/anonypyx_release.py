"""anonypyx publishes a file by its Mondrian; its largest difference is the EMD for two values."""

import pandas as pd
from anonypyx import Anonymiser
from arguments import Clock, answer, arguments

given = arguments()
frame = pd.read_csv(given.source)[[*given.quasi, given.sensitive]]
for column in frame.select_dtypes("object"):
    frame[column] = frame[column].astype("category")
with Clock() as clock:
    anonymiser = Anonymiser(
        frame,
        feature_columns=given.quasi,
        sensitive_column=given.sensitive,
        k=given.k,
        l=given.l,
        t=given.t,
        generalisation_strategy="human-readable",
    )
    released = anonymiser.anonymise()
pd.DataFrame(released).to_csv(given.target, index=False)
answer(seconds=clock.wall, cpu=clock.cpu)
