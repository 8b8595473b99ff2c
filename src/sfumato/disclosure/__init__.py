"""What an attacker sees of a release: views, groups of indistinguishable records, and the links between columns."""
