"""Compiled loops of masks; each module is named like its mask."""
