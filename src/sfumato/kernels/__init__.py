"""Compiled loops that several packages share: lookups, bit sets, CSV lines, random numbers, neighbours, cover losses.

Loops of a single family of algorithms are in the `loops` folder of that family. A function `<name>_plain` is a slow and
simple version of `<name>`; the tests compare the two.
"""
