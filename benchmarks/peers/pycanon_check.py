"""pycanon measures k, distinct l, entropy l and t of a file."""

import pandas as pd
from arguments import Clock, answer, arguments
from pycanon import anonymity

given = arguments()
frame = pd.read_csv(given.source)
quasi, sensitive = given.quasi, [given.sensitive]
with Clock() as clock:
    k = anonymity.k_anonymity(frame, quasi)
    l = anonymity.l_diversity(frame, quasi, sensitive)
    entropy_l = anonymity.entropy_l_diversity(frame, quasi, sensitive)
    t = anonymity.t_closeness(frame, quasi, sensitive)
answer(seconds=clock.wall, cpu=clock.cpu, k=int(k), l=int(l), entropy_l=float(entropy_l), t=float(t))
