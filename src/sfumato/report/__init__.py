"""Reports on releases: one object holds everything measured; text, JSON and HTML draw it."""
