"""The conformance suite: every model, algorithm and metric on offer must pass it."""
