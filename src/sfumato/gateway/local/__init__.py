"""The local socket through which commands reach a server that holds the database."""
