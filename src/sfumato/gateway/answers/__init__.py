"""From a query to its answer: parameters, limits, row order, the answer itself, and its explanation."""
