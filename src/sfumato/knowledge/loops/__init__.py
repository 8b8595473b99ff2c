"""Compiled loops of matching and of beliefs."""
