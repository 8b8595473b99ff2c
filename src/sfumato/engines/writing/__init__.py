"""Writing published records to a frame or a file."""
