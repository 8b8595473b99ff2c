"""What the ways of microaggregation are made of: points, groups of near ones, and what becomes of the others."""
