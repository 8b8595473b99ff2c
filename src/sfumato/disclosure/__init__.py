"""What an attacker sees of a release: groups of records that look alike, and which columns stay linked."""
