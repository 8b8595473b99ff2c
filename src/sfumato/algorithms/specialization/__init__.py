"""Top-down specialization: every column starts fully generalized, and the best safe refinement is applied in turn."""
