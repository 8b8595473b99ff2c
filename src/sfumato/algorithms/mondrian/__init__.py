"""Mondrian and its relatives: records are cut at a value, again and again, while both sides stay safe."""
