"""The condition language of policies, read, checked and turned into SQL."""
