"""The transforms that `generalize` uses for the different kinds of taxonomies."""
