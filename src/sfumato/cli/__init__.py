"""The command line: one module per command. Commands parse options, call the library and print the result."""
