"""The command line: no privacy logic of its own."""
