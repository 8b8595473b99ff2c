"""anjana publishes a file by generalizing whole columns, with at most 5 % of the records left out."""

import pandas as pd
from anjana.anonymity import k_anonymity, l_diversity, t_closeness
from arguments import Clock, answer, arguments

SUPPRESSED = 5


def levels(column, pattern):
    """A level file as anjana wants it; numbers must be numbers."""
    table = pd.read_csv(pattern.format(column), sep=";", header=None, dtype=str)
    lowest = pd.to_numeric(table[0]) if table[0].str.isdigit().all() else table[0]
    return {level: (lowest if level == 0 else table[level]).to_numpy() for level in table.columns}


given = arguments()
frame = pd.read_csv(given.source)[[*given.quasi, given.sensitive]]
hierarchies = {column: levels(column, given.levels) for column in given.quasi}
with Clock() as clock:
    if given.l:
        released = l_diversity(frame, [], given.quasi, given.sensitive, given.k, given.l, SUPPRESSED, hierarchies)
    elif given.t:
        released = t_closeness(frame, [], given.quasi, given.sensitive, given.k, given.t, SUPPRESSED, hierarchies)
    else:
        released = k_anonymity(frame, [], given.quasi, given.k, SUPPRESSED, hierarchies)
released.to_csv(given.target, index=False)
answer(seconds=clock.wall, cpu=clock.cpu)
