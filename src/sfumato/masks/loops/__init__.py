"""Compiled loops of masks, each named like its mask."""
