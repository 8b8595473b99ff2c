"""How fast, how small and how faithful: measured against peers and against what the machine can do at all.

`python -m benchmarks` prints one table. Every figure is measured in this run, in a process of its own, and compared as
a ratio with something else measured in the same run: a peer, or one DuckDB pass over the same columns.

This package itself stays light: a child process inherits the peak memory of the parent that starts it, so numpy,
pyarrow and sfumato are imported only where the measuring processes run.
"""
