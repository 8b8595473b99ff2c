"""The conformance suite: every model, algorithm, metric, mask and attack of the catalogue must pass it.

The checks are part of the package, so that authors of new classes can run them.
"""
