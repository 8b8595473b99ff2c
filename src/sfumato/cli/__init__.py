"""The command line: thin, with no privacy logic of its own."""
