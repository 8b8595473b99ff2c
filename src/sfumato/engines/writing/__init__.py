"""Published records on their way to a frame or a file."""
