"""Compiled loops of recodings of whole columns."""
