"""What every peer is told on its command line, and how it answers."""

import argparse
import json
import time


def arguments():
    """`IN OUT --quasi a,b --sensitive c --k 10 [--l 2] [--t 0.2] [--levels FOLDER]`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("target", nargs="?")
    parser.add_argument("--quasi", type=lambda names: names.split(","), required=True)
    parser.add_argument("--sensitive", required=True)
    parser.add_argument("--k", type=int, default=1)
    parser.add_argument("--l", type=int)
    parser.add_argument("--t", type=float)
    parser.add_argument("--levels", help="level file of a column, with {} for its name")
    return parser.parse_args()


class Clock:
    """Times only the peer's own work, not reading and writing files."""

    def __enter__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_):
        self.wall, self.cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu


def answer(**found):
    """The last line a peer prints."""
    print(json.dumps(found))
