"""The commands of `sfumato gateway`; `sfumato.cli.app` adds them to the command line."""
