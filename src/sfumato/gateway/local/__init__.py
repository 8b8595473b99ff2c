"""The local socket through which the command line sends commands to a server that holds the database open."""
