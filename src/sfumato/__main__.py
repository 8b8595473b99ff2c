"""`python -m sfumato`: the command line."""

from sfumato.cli.app import main

if __name__ == "__main__":
    main()
