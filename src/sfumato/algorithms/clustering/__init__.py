"""Groups of near rows, grown by what they lose."""
