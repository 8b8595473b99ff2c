"""What a release cost. One metric a file."""
