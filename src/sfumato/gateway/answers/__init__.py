"""A question on its way to an answer: parameters, limits, order of rows, what is shown and explained."""
