"""The tight loops, each beside a plain numpy twin that the tests compare it with."""
