"""Top-down specialization: everything begins fully generalized, and the best safe refinement is taken."""
