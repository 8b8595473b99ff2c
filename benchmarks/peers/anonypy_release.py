"""anonypy publishes a file by its Mondrian. It is not asked for t-closeness, which version 0.2.1 does not keep."""

import pandas as pd
from anonypy import Preserver
from arguments import Clock, answer, arguments

given = arguments()
frame = pd.read_csv(given.source)[[*given.quasi, given.sensitive]]
for column in frame.select_dtypes("object"):
    frame[column] = frame[column].astype("category")
with Clock() as clock:
    preserver = Preserver(frame, given.quasi, given.sensitive)
    rows = preserver.anonymize_l_diversity(given.k, given.l) if given.l else preserver.anonymize_k_anonymity(given.k)
pd.DataFrame(rows).to_csv(given.target, index=False)
answer(seconds=clock.wall, cpu=clock.cpu)
