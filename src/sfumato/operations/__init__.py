"""Pure functions that turn a table into something publishable."""
