"""The local socket by which the command line reaches a server that holds the database open."""
