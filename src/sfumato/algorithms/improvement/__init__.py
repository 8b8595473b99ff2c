"""Local search that makes the groups of other algorithms better."""
